/** What went wrong, for an operator: one message that says what to do. */
import { AppError, type ErrorCode } from '../errors.ts'
import { nameOf } from '../settings/table.ts'

export type Failure = { code: ErrorCode | 'configuration'; message: string; hint?: string; stack?: string }

const DATABASE_HINT = `Check ${nameOf('databaseUrl')}, or leave it unset to use the embedded PostgreSQL in ${nameOf('dataDir')}.`
/** Codes of the operating system's connection errors, and the SQLSTATE classes of a server that refuses a connection. */
const CONNECTION_CODE = /^(E[A-Z]{3,}|08...|28...|3D...|53...|57...)$/

export function explainFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: 'internal', message: String(error) }
  if (error instanceof AppError) return explainAppError(error)
  if (error.name === 'ConfigError') return { code: 'configuration', message: error.message }
  if (error.name === 'EmbeddedError') return { code: 'storage_unavailable', message: error.message }
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && CONNECTION_CODE.test(code)) return unreachable(error.message || code)
  return { code: 'internal', message: error.message, ...(error.stack && { stack: error.stack }) }
}

function explainAppError(error: AppError): Failure {
  if (error.code === 'storage_unavailable') {
    const { cause } = error
    return unreachable(
      cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : '',
    )
  }
  const { message: own, errors, hint = error.row.hint } = error.details
  const fields = Object.entries(errors ?? {}).map(([field, problem]) => `${field} ${problem}`)
  // Without wording of its own the table's message is the general one, and the fields say what is wrong.
  const message = own === undefined && fields.length > 0 ? fields.join('\n') : error.message
  return { code: error.code, message, ...(hint && { hint }) }
}

function unreachable(reason: string): Failure {
  return {
    code: 'storage_unavailable',
    message: `The database cannot be reached${reason ? `: ${reason}` : ''}.`,
    hint: DATABASE_HINT,
  }
}
