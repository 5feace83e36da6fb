/** Which errors of PostgreSQL and of its client mean that the database cannot be used now. */
import { AppError } from '../errors.ts'

const LOCK_NOT_AVAILABLE = '55P03'
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '53100',
  '57014',
  // The fence of a move.
  'KM001',
])
const UNAVAILABLE_MESSAGE =
  /connection terminated|timeout exceeded|query read timeout|connection error|not queryable|client was closed/i

/** Returns storage_unavailable if the database could not be reached, and any other error unchanged. */
export function asStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const code = (error as { code?: string }).code ?? ''
  if (code === LOCK_NOT_AVAILABLE)
    return new AppError('request_in_progress', { retryAfterSeconds: 2, cause: error })
  const away = UNAVAILABLE_CODES.has(code) || code.startsWith('08') || UNAVAILABLE_MESSAGE.test(error.message)
  return away ? new AppError('storage_unavailable', { retryAfterSeconds: 2, cause: error }) : error
}

/**
 * A deadlock, and a conflict of serializable transactions. PostgreSQL has rolled this transaction back, and another one
 * continues.
 */
const CONFLICT_CODES = ['40P01', '40001']

export function isRolledBackConflict(error: unknown): boolean {
  return error instanceof Error && CONFLICT_CODES.includes((error as { code?: string }).code ?? '')
}
