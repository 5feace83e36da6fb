/** What neither PostgreSQL nor JSON can carry unchanged is refused, wherever it stands in what was sent. */
import { AppError } from '../errors.ts'
import { walk } from './walk.ts'

/** @throws AppError validation_failed, naming the field. */
export function refuseUnstorable(data: unknown, root: string): void {
  for (const { path, parent, key, value } of walk(data)) {
    const problem = problemOf(value)
    if (problem) throw new AppError('validation_failed', { errors: { [path]: problem } })
    if (key !== null && problemOf(key))
      throw new AppError('validation_failed', {
        errors: { [parent || root]: 'must not have a property with such a name' },
      })
  }
}

function problemOf(value: unknown): string | null {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'must not hold a NUL character'
    if (!value.isWellFormed()) return 'must not hold half of a surrogate pair'
  }
  // Beyond these a number has lost digits already when it is read.
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    return `must not be a number beyond ${Number.MAX_SAFE_INTEGER}`
  return null
}
