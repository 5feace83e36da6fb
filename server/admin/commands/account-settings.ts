/** The settings of an account on the command line: NAME=VALUE, or NAME=@FILE for a value that no shell history should keep. */
import { readFile } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { several } from '../flag.ts'

export const SETTINGS = several(
  'NAME=VALUE',
  'a setting of the driver; NAME=@FILE reads the value from a file, so that the shell does not keep it',
)

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
    written[name] = value.startsWith('@') ? await readValue(value.slice(1)) : value
  }
  return written
}

async function readValue(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new AppError('validation_failed', { message: `The file ${path} cannot be read (${code}).` })
  }
}
