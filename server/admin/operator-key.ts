/** Finds the personal key of the person who runs the command. */
import { readFile, stat } from 'node:fs/promises'
import { AppError } from '../errors.ts'

const OTHERS = 0o077

/**
 * Returns the key, from the environment or from a file; undefined if neither is set.
 * @throws AppError validation_failed for a file that cannot be read, or that others may read
 */
export async function readOperatorKey({
  key,
  file,
}: {
  key: string | undefined
  file: string | undefined
}): Promise<string | undefined> {
  if (key || !file) return key || undefined
  const fault = (why: string) =>
    new AppError('validation_failed', { message: `KASSA_OPERATOR_KEY_FILE: ${file} ${why}.` })
  const found = await stat(file).catch(() => null)
  if (!found?.isFile()) throw fault('is not a file that can be read')
  if (found.mode & OTHERS) throw fault(`can be read by other users. Run: chmod 600 ${file}`)
  return (
    await readFile(file, 'utf8').catch((error: Error) => {
      throw fault(`cannot be read: ${error.message}`)
    })
  ).trim()
}
