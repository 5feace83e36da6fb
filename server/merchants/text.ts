/** Limits the length of ids and names. The database has the same limits. */
import { AppError } from '../errors.ts'

/** Counts characters as PostgreSQL does, not UTF-16 units. @throws AppError validation_failed */
export function checkLength(field: string, text: string, max: number): void {
  const chars = [...text].length
  if (chars >= 1 && chars <= max) return
  const message = `The ${field} must have 1 to ${max} characters; this one has ${chars}.`
  throw new AppError('validation_failed', { message, errors: { [field]: message } })
}
