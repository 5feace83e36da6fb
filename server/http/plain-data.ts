/** What neither PostgreSQL nor JSON can carry unchanged is refused, wherever it stands in what was sent. */
import { AppError } from '../errors.ts'
import { pathOf, walk } from './walk.ts'

/** @throws AppError validation_failed, naming the field. */
export function refuseUnstorable(data: unknown, root: string): void {
  for (const visited of walk(data)) {
    const problem = problemOf(visited.value)
    if (problem) throw refusal(pathOf(visited, root), problem)
    if (!visited.isElement && problemOf(visited.name))
      throw refusal(pathOf(visited.parent, root), 'must not have a property with such a name')
  }
}

function refusal(field: string, problem: string): AppError {
  return new AppError('validation_failed', { errors: { [field]: problem } })
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
