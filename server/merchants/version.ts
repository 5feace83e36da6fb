/** Refuses a change that was decided about something that is different by now. */
import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'

const CHARS = 16

/**
 * Returns a short text that is different for each state of a record, or the text that stands for it already. `none`: there is no record
 * yet.
 */
export function versionOf(record: object | string | null): string {
  if (record === null) return 'none'
  if (typeof record === 'string') return record
  return createHash('sha256').update(JSON.stringify(record)).digest('hex').slice(0, CHARS)
}

/** @throws AppError validation_failed */
export function expectSeen(record: object | string | null, seen: string): void {
  if (versionOf(record) === seen) return
  throw new AppError('validation_failed', {
    reason: 'changed_meanwhile',
    message: 'It was changed since you have looked at it. Look at it again, and decide then.',
  })
}
