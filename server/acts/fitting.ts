/** Whether values are what an act accepts, whoever gives them: a form, a command, or code that calls the act with typed values. */
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { AnyRow } from './act.ts'

/**
 * Returns the values if they are what the row accepts, whatever a face has let through.
 * @throws AppError validation_failed that names what does not fit
 */
export function fitting(row: Pick<AnyRow, 'input' | 'wrong'>, given: object): object {
  const { data, error } = z.strictObject(row.input).safeParse(given)
  const misfit: string | null = data ? (row.wrong?.(data) ?? null) : null
  if (data && misfit === null) return data
  const issues = (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message] as const)
  const errors = Object.fromEntries(misfit === null ? issues : [[misfit, 'does not fit the other values.']])
  const message = Object.entries(errors).map(([name, problem]) => `${name} ${problem}`)
  throw new AppError('validation_failed', { message: message.join('\n'), errors })
}
