/**
 * The log: structured lines, and of an error only what cannot carry a buyer's or a merchant's data. A database client's
 * errors bring along its settings, its statements and their values; a parser's bring along the body.
 */
import { destination, type Logger, pino } from 'pino'
import { maskCardNumbers } from './card-number.ts'

const FILE_DESCRIPTORS = { stdout: 1, stderr: 2 } as const
const CAUSES_MAX = 3
/** Whatever is logged under these names, at the top or one level down, is not written out. */
const SECRET_NAMES = [
  'authorization',
  'token',
  'secret',
  'password',
  'webhookSecret',
  'secretsKey',
  'databaseUrl',
]

export type Log = Logger

export function createLog(level: string, to: keyof typeof FILE_DESCRIPTORS = 'stdout'): Log {
  const options = {
    level,
    base: null,
    serializers: { err: describeError },
    redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  }
  const sink = destination(FILE_DESCRIPTORS[to])
  // Texts that a caller chose, such as an unknown origin, are logged to be mended: not with a card number in them.
  return pino(options, { write: (line) => void sink.write(maskCardNumbers(line)) })
}

type Described = { type: string; code?: string; message: string; at?: string; cause?: Described }

/** An error as a log may hold it: kind, code, first line of the message, where in the code it was made, and its causes. */
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
