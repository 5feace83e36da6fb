/** Files that an operator names on the command line. */
import { createReadStream } from 'node:fs'
import { access, constants, readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { AppError } from '../errors.ts'

/** `-` reads standard input. @throws AppError validation_failed for a file that cannot be read */
export async function readGivenFile(path: string): Promise<Buffer> {
  try {
    return path === '-' ? await buffer(process.stdin) : await readFile(path)
  } catch (cause) {
    throw unreadable(path, cause as NodeJS.ErrnoException)
  }
}

/** The same for a file that may be long. It is read in pieces, and may be opened several times. */
export async function openGivenFile(path: string): Promise<{ open(): Readable }> {
  if (path === '-') {
    const bytes = await readGivenFile(path)
    return { open: () => Readable.from([bytes]) }
  }
  try {
    await access(path, constants.R_OK)
  } catch (cause) {
    throw unreadable(path, cause as NodeJS.ErrnoException)
  }
  return { open: () => createReadStream(path) }
}

function unreadable(path: string, cause: NodeJS.ErrnoException): AppError {
  const { code } = cause
  // In an archive root's commands run as the user of the service, which may not read root's files.
  const hint =
    code === 'EACCES'
      ? ` The user ${userInfo().username} may not read it. Give - in place of the name, and add < ${path} to the end of the command.`
      : ''
  return new AppError('validation_failed', {
    message: `The file ${path} cannot be read (${code}).${hint}`,
    cause,
  })
}
