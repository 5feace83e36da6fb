/** Files that an operator names on the command line. */
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { AppError } from '../errors.ts'

/** `-` reads standard input. @throws AppError validation_failed for a file that cannot be read */
export async function readGivenFile(path: string): Promise<Buffer> {
  try {
    return path === '-' ? await buffer(process.stdin) : await readFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // In an archive root's commands run as the user of the service, which may not read root's files.
    const hint =
      code === 'EACCES'
        ? ` The user ${userInfo().username} may not read it. Give - in place of the name, and add < ${path} to the end of the command.`
        : ''
    throw new AppError('validation_failed', {
      message: `The file ${path} cannot be read (${code}).${hint}`,
      cause,
    })
  }
}
