/** Text of one line, for what is written into a line of something else. */

/** Line breaks of every kind, and marks that reorder what people compare. */
const LINE_BREAKING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
/**
 * Nothing is shown in their place, so two texts look alike and are not equal. Joiners and variants of scripts and signs that are written
 * with them are no such characters.
 */
const INVISIBLE =
  /(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|(?<=^|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Greek}\p{Nd}\p{P}\p{Z}])(?:\u200c|\u200d)|(?<=^|\p{L}|\p{Z})[\ufe00-\ufe0f]/u

/** The rule, for the end of a sentence about a value. */
export const ONE_LINE =
  'must be one line of text, without control characters, invisible characters and marks of the direction of writing'

/** The rule of a longer text. Invisible characters are common in what people paste, and nobody compares two such texts. */
export const hasNoControls = (text: string): boolean => !LINE_BREAKING.test(text)

/** Whether the text has no control characters, no invisible ones and no marks of the direction of writing. */
export const isOneLine = (text: string): boolean => hasNoControls(text) && !INVISIBLE.test(text)

/** The text as it is stored, with a dot for each character that would hide, reorder or break something where it is read. */
export const readable = (text: string): string =>
  text.replace(new RegExp(LINE_BREAKING, 'gu'), '\u00b7').replace(new RegExp(INVISIBLE, 'gu'), '\u00b7')
