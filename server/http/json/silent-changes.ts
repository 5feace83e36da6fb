/**
 * Finds in the text of a JSON body what JSON.parse changes without a word: of two equal names it keeps the last value, and it rounds
 * numbers with more digits than a double has. Libraries that find both have a parser of their own, which is slower and needs its own
 * guard against `__proto__` and deep nesting. So JSON.parse reads the body, and this file reads the text again only after a sign of either.
 */
import type { FieldErrors } from '../../contract/failure.ts'

const STRING = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"'
const END_OF_NAME = /"\s*:/g
const TOKEN = new RegExp(`${STRING}|-?\\d[\\d.eE+-]*|[{}[\\],:]`, 'g')
/** A double keeps 15 digits of every number. Numbers with an exponent are looked at one by one. */
const MAYBE_LONG = /[\d.]{16}|\d[eE]/
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

const TWICE = 'stands twice in one object: send each name once'
const TOO_LONG =
  'has more digits than a JSON number keeps: send it as text, in quotes, or with at most 15 digits'

/**
 * Returns how many names all objects of the text have together, or more: a text value may look like the end of a name. The text is
 * valid JSON.
 */
export const countNames = (text: string): number => text.match(END_OF_NAME)?.length ?? 0

export const mayHoldLongNumbers = (text: string): boolean => MAYBE_LONG.test(text)

/** An object or list that is open at this place of the text. `names` is null for a list. */
type Open = { names: Set<string> | null; at: string | number }

/** Returns the path and the problem of each name that stands twice and each number that would change. The text is valid JSON. */
export function findSilentChanges(text: string): FieldErrors {
  const errors: FieldErrors = {}
  const open: Open[] = []
  const place = () => open.map(({ at }) => at).join('.') || 'body'
  let lastString = '""'
  for (const [token] of text.matchAll(TOKEN)) {
    const inner = open.at(-1)
    if (token === '{') open.push({ names: new Set(), at: '' })
    else if (token === '[') open.push({ names: null, at: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token.startsWith('"')) lastString = token
    else if (token === ':' && inner?.names) {
      const name: string = JSON.parse(lastString)
      inner.at = name
      if (inner.names.has(name)) errors[place()] = TWICE
      inner.names.add(name)
    } else if (token === ',') {
      if (typeof inner?.at === 'number') inner.at++
    } else if (!isKept(token)) errors[place()] ??= TOO_LONG
  }
  return errors
}

/** Whether a number of the text is the same number after JSON.parse. Numbers beyond the safe integers have their own error. */
function isKept(source: string): boolean {
  const value = Number(source)
  return Math.abs(value) > Number.MAX_SAFE_INTEGER || digitsOf(source) === digitsOf(String(value))
}

/** Writes a decimal number in one way: its significant digits and their exponent. */
function digitsOf(source: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return `${sign}${significant}e${power}`
}
