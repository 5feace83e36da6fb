/** Text of one line, for what is written into a line of something else. */

/** Line breaks of every kind, and marks that reorder what people compare. */
const LINE_BREAKING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** The rule, for the end of a sentence about a value. */
export const ONE_LINE =
  'must be one line of text, without control characters and marks of the direction of writing'

/** Whether the text has no control characters and no marks of the direction of writing. */
export const isOneLine = (text: string): boolean => !LINE_BREAKING.test(text)
