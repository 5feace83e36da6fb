/** Text of one line, for what is written into a line of something else. */

/** Line breaks of every kind, and marks that reorder what people compare. */
const LINE_BREAKING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Whether the text has no control characters and no marks of the direction of writing. */
export const isOneLine = (text: string): boolean => !LINE_BREAKING.test(text)
