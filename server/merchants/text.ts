/** Limits the length of ids and names, and what they may contain. The database has the same limits of length. */
import { hasNoControls, isOneLine, ONE_LINE } from '../contract/one-line.ts'
import { AppError } from '../errors.ts'

/** Counts characters as PostgreSQL does, not UTF-16 units. @throws AppError validation_failed */
export function checkLength(field: string, text: string, max: number): void {
  const chars = [...text].length
  if (chars >= 1 && chars <= max) return
  throw refused(field, `The ${field} must have 1 to ${max} characters; this one has ${chars}.`)
}

/**
 * A name stands in one line of a page, a mail, a terminal and a poster. Control characters would write into the reader's terminal, and
 * marks of the direction of writing would show another name than the one that is stored. @throws AppError validation_failed
 */
export function checkName(field: string, text: string, max: number): void {
  checkLength(field, text, max)
  if (!isOneLine(text)) throw refused(field, `The ${field} ${ONE_LINE}.`)
}

/** Like checkName, for a text that may have several lines. @throws AppError validation_failed */
export function checkText(field: string, text: string, max: number): void {
  checkLength(field, text, max)
  if (!hasNoControls(text.replaceAll(/\r?\n/g, ' '))) throw refused(field, `The ${field} ${NO_CONTROLS}.`)
}

const NO_CONTROLS = 'must not have control characters or marks of the direction of writing'

function refused(field: string, message: string): AppError {
  return new AppError('validation_failed', { message, errors: { [field]: message } })
}
