/** The flag `--zone`: the time zone of the days that a command is asked about, or shows. */
import type { Context } from '../context.ts'
import { TIME_ZONE } from '../contract/time-zone.ts'
import { AppError } from '../errors.ts'
import { zoneOf } from '../merchants/branding.ts'
import { type Flag, optional } from './flag.ts'

export const ZONE: Flag<string | undefined> = {
  ...optional('ZONE', `the time zone of the days, such as Asia/Yerevan (default: the shop's)`),
  read: ([text]) => {
    if (text === undefined) return
    try {
      return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
    } catch {
      throw new AppError('validation_failed', {
        message: `must be the name of a time zone, such as Asia/Yerevan or Europe/Berlin, not "${text}".`,
      })
    }
  },
}

/** The zone that was asked for, else the shop's, else the one of shops that have set none. */
export async function zoneFor(
  ctx: Context,
  { zone, merchant }: { zone: string | undefined; merchant: string | undefined },
): Promise<string> {
  return zone ?? (merchant === undefined ? TIME_ZONE : await zoneOf(ctx, merchant))
}
