/** The settings of an account on the command line: NAME=VALUE, or NAME=@FILE for a value that no shell history should keep. */
import { AppError } from '../../../errors.ts'
import { readGivenFile } from '../../given-file.ts'

/** @throws AppError validation_failed for a text that is not NAME=VALUE, a name that is given twice, or a file that cannot be read */
export async function readSettings(given: string[]): Promise<Record<string, string>> {
  const written: Record<string, string> = {}
  for (const text of given) {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.+)$/s.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw new AppError('validation_failed', {
        message: `--set must be NAME=VALUE with the name in capital letters, not "${text.replace(/=.*/s, '=...')}".`,
      })
    if (Object.hasOwn(written, name))
      throw new AppError('validation_failed', { message: `--set ${name} is given more than once.` })
    written[name] = value.startsWith('@') ? (await readGivenFile(value.slice(1))).toString().trim() : value
  }
  return written
}
