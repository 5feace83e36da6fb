/** Turns every failure into one message that tells the operator what to do. */
import { AppError, type ErrorCode } from '../errors.ts'
import { nameOf } from '../settings/table.ts'
import { nextStep } from './next-step.ts'

export type Failure = { code: ErrorCode | 'configuration'; message: string; hint?: string; stack?: string }

const DATABASE_HINT = `Check ${nameOf('databaseUrl')}, or leave it unset to use the embedded PostgreSQL in ${nameOf('dataDir')}.`
/** The operating system's codes for connection errors, and the SQLSTATE classes of a server that refuses a connection. */
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
  const { message: own, errors, next = [] } = error.details
  // With a message of its own the error means a database that can be reached and does not fit.
  if (error.code === 'storage_unavailable' && own === undefined) {
    const { cause } = error
    return unreachable(
      cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : '',
    )
  }
  const fields = Object.entries(errors ?? {}).map(([field, problem]) => `${field} ${problem}`)
  // The table's own message is general. If the error has no other, the fields say what is wrong.
  const message = own === undefined && fields.length > 0 ? fields.join('\n') : error.message
  // The table's hint is for a merchant's developer. An operator gets the command instead, if there is one.
  const advice = error.details.hint ?? (next.length > 0 ? undefined : error.row.hint)
  const hint = [advice, ...next.map(nextStep)].filter((line) => line !== undefined).join('\n')
  return { code: error.code, message, ...(hint && { hint }) }
}

function unreachable(reason: string): Failure {
  return {
    code: 'storage_unavailable',
    message: `The database cannot be reached${reason ? `: ${reason}` : ''}.`,
    hint: DATABASE_HINT,
  }
}
