/** Rejects values that PostgreSQL or JSON cannot store unchanged, anywhere in a request. */
import { pathOf, type Visited } from '../card-number/walk.ts'
import type { FieldErrors } from '../contract/failure.ts'
import { AppError } from '../errors.ts'

/** `all`: every value, as `walk` returns them. @throws AppError validation_failed with every such field */
export function refuseUnstorable(all: readonly Visited[], root: string): void {
  const errors: FieldErrors = {}
  for (const visited of all) {
    const { name, isElement, parent, value } = visited
    const isNameWrong = !isElement && problemOf(name) !== null
    if (isNameWrong) errors[pathOf(parent, root)] = 'must not have a property with such a name'
    const problem = isNameWrong ? null : problemOf(value)
    if (problem) errors[pathOf(visited, root)] = problem
  }
  if (Object.keys(errors).length > 0) throw new AppError('validation_failed', { errors })
}

function problemOf(value: unknown): string | null {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'must not contain a NUL character'
    if (!value.isWellFormed()) return 'must not contain half of a surrogate pair'
  }
  // A larger number has already lost digits when it is parsed.
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    return `must not be a number beyond ${Number.MAX_SAFE_INTEGER}`
  return null
}
