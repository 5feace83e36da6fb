/**
 * Writes structured log lines. It logs only the parts of an error that cannot contain a buyer's or a merchant's data. The errors of a
 * database client contain its settings, statements and values, and those of a parser contain the body.
 */
import { destination, type Logger, pino } from 'pino'
import { maskCardNumbers } from './mask.ts'

const FILE_DESCRIPTORS = { stdout: 1, stderr: 2 } as const
const CAUSES_MAX = 3
/** Values with these names are replaced by [redacted], at the top level and one level below. */
const SECRET_NAMES = new Set([
  'authorization',
  'token',
  'secret',
  'password',
  'webhookSecret',
  'secretsKey',
  'databaseUrl',
])

export type Log = Logger

/** A stream of this process, or a function that gets each line. */
export type LogTarget = keyof typeof FILE_DESCRIPTORS | ((line: string) => void)

export function createLog(level: string, to: LogTarget = 'stdout'): Log {
  const options = {
    level,
    base: null,
    serializers: { err: describeError },
    formatters: { log: (fields: Fields) => withoutSecrets(fields, 1) },
  }
  const sink = typeof to === 'function' ? { write: to } : destination(FILE_DESCRIPTORS[to])
  // Some logged texts are chosen by a caller, such as an unknown origin. They must not bring a card number into the log.
  return pino(options, { write: (line) => void sink.write(maskCardNumbers(line)) })
}

type Fields = Record<string, unknown>

/** Copies only what it changes. The logger's own `redact` copies every line, which took 4 % of a creation's time in this process. */
function withoutSecrets(fields: Fields, levelsBelow: number): Fields {
  let shown = fields
  for (const [name, value] of Object.entries(fields)) {
    const isObject = typeof value === 'object' && value !== null && !(value instanceof Error)
    const below = isObject && levelsBelow > 0 ? withoutSecrets(value as Fields, levelsBelow - 1) : value
    const written = SECRET_NAMES.has(name) ? '[redacted]' : below
    if (written !== value) shown = { ...shown, [name]: written }
  }
  return shown
}

/** The same failure, again and again, is written this often. */
const REPEATED_EVERY_MS = 60_000
/** Error messages can contain anything, so there may be any number of them. */
const FAILURES_MAX = 500

type Failure = { writtenAt: number; repeated: number }
/** The failures that each log has written lately. */
const failures = new WeakMap<Log, Map<string, Failure>>()

/**
 * Logs a failure that may come several times a second, for example while the database is away: at once, and then once a minute with
 * the number of times since. Without this the lines would hide every other line, and fill the disk. `about`: what failed.
 */
export function logFailure(
  log: Log,
  level: 'warn' | 'error',
  message: string,
  { err, ...about }: { err?: unknown } & Record<string, unknown> = {},
): void {
  const seen = failures.get(log) ?? new Map<string, Failure>()
  failures.set(log, seen)
  const key = JSON.stringify([message, about, describeError(err)])
  const last = seen.get(key)
  const now = performance.now()
  if (last && now - last.writtenAt < REPEATED_EVERY_MS) {
    last.repeated += 1
    return
  }
  if (seen.size >= FAILURES_MAX) seen.clear()
  seen.set(key, { writtenAt: now, repeated: 0 })
  const fields = { ...(err !== undefined && { err }), ...about, ...(last && { repeated: last.repeated }) }
  log[level](fields, message)
}

type Described = { type: string; code?: string; message: string; at?: string; cause?: Described }

/** Returns an error for the log: its type, code, first line of the message, place in the code, and causes. */
export function describeError(error: unknown, depth = 0): Described {
  if (!(error instanceof Error)) return { type: typeof error, message: '' }
  const { code } = error as { code?: unknown }
  const at = /\n\s+at (.*)/.exec(error.stack ?? '')?.[1]
  return {
    type: error.name,
    ...(code !== undefined && { code: String(code) }),
    message: error.message.split('\n')[0] ?? '',
    ...(at && { at }),
    ...(error.cause !== undefined && depth < CAUSES_MAX && { cause: describeError(error.cause, depth + 1) }),
  }
}
