// The errors of the embedded PostgreSQL, each as one line that says what to do.

const ELSEWHERE = 'set DATA_DIR to another directory, or DATABASE_URL to a PostgreSQL server of your own'

/**
 * The embedded PostgreSQL cannot be used. The message is one line for the operator, and is shown without a stack. `remedy` ends the
 * line. A caller with another remedy says only the problem.
 */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
  readonly problem: string

  constructor(problem: string, remedy = '') {
    super(problem + remedy)
    this.problem = problem
  }
}

/** Returns the error for a failed file operation on `path`. */
export function explainFileError(error: unknown, path: string): EmbeddedError {
  if (error instanceof EmbeddedError) return error
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(path)
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
    case 'ENOENT': // mkdir's error on a read-only disk
      return new EmbeddedError(
        `The data directory cannot be used, ${path} is not writable`,
        `: allow it, or ${ELSEWHERE}.`,
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return new EmbeddedError(
        `The data directory cannot be used, ${path} is not a directory`,
        `: remove that file, or ${ELSEWHERE}.`,
      )
    default:
      return new EmbeddedError(
        `The data directory cannot be used, ${path} failed (${lastLine(String(error))})`,
        `: ${ELSEWHERE}.`,
      )
  }
}

/** Returns the error for a PostgreSQL program that failed with this output. `what` completes "could not ...". */
export function explainOutput(output: string, what: string, path: string): EmbeddedError {
  if (/No space left on device|Disk quota exceeded|Check free disk space/.test(output)) return diskFull(path)
  if (/Read-only file system/.test(output)) return explainFileError({ code: 'EROFS' }, path)
  if (/could not look up effective user ID/.test(output)) {
    return new EmbeddedError(
      `PostgreSQL needs a user with a name, and the user id ${process.getuid?.()} has no entry in /etc/passwd`,
      ': start Kassa as a user with a name, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
  const cause = decisiveLine(output) ?? 'it printed nothing'
  return new EmbeddedError(
    `The private PostgreSQL could not ${what}: ${cause}`,
    ` (see ${path}, or set DATABASE_URL).`,
  )
}

/** Returns the code of a system or PostgreSQL error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

function diskFull(path: string): EmbeddedError {
  return new EmbeddedError(
    `The disk that holds ${path} is full`,
    `: free some space and start again, or ${ELSEWHERE}.`,
  )
}

/** Returns the line that PostgreSQL marked as the reason, or the last line. */
function decisiveLine(output: string): string | undefined {
  const lines = output.split('\n')
  const last = (mark: RegExp) => lines.findLast((line) => mark.test(line))
  // A PANIC line often only follows from the FATAL line before it.
  const line = last(/ FATAL: /) ?? last(/ PANIC: |: error: /) ?? lastLine(output)
  return line?.replace(/^.*?\b(?:FATAL|PANIC|error):\s+/, '').trim() || undefined
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1)
}
