/** From a schema's complaints to the contract's map of field names to sentences. */
import type { z } from 'zod'
import { complaint } from '../complaint.ts'
import type { FieldErrors } from '../contract/failure.ts'
import { AppError } from '../errors.ts'

/** @throws AppError validation_failed with one sentence a field. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  whole = 'body',
): z.infer<Schema> {
  const parsed = schema.safeParse(data, { error: complaint })
  if (parsed.success) return parsed.data
  throw new AppError('validation_failed', { errors: fieldErrors(parsed.error.issues, whole) })
}

function fieldErrors(issues: readonly z.core.$ZodIssue[], whole: string): FieldErrors {
  const errors: FieldErrors = {}
  for (const issue of issues) {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) errors[[...path, key].join('.')] = issue.message
    else errors[path.join('.') || whole] ??= issue.message
  }
  return errors
}
