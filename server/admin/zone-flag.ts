/** The flag `--zone`: the time zone of the days that a command is asked about, or shows. */
import { AppError } from '../errors.ts'
import { type Flag, optional } from './flag.ts'

const OWN = Intl.DateTimeFormat().resolvedOptions().timeZone

export const ZONE: Flag<string> = {
  ...optional('ZONE', `the time zone of the days, such as Asia/Yerevan (default: this machine's)`),
  read: ([text = OWN]) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
    } catch {
      throw new AppError('validation_failed', {
        message: `must be the name of a time zone, such as Asia/Yerevan or Europe/Berlin, not "${text}".`,
      })
    }
  },
}
