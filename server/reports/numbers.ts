/**
 * Finds the number that a buyer wrote, wherever it stands in the text of a transfer: with and without blanks, joined to other words.
 * Rule: a find needs the number, the currency and the amount to be equal, and one candidate. Anything less is a question. No find
 * confirms money.
 */
import type { Context } from '../context.ts'
import { fold } from '../merchants/look-alikes.ts'
import type { NamedAttempt } from '../storage/payments/attempt.ts'
import { findNumbered, listNumbers, type NumberedAttempt } from '../storage/reports/numbers.ts'

/** Crockford's base 32, as ids are written. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const NUMBER_CHARS = 8
const PAGE = 20_000
/** A filter of 8 MiB. Among a million payments it lets one of 1,000 foreign texts through, and the database tells these apart. */
const FILTER_BITS = 2 ** 26
const SEEDS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d]
const MAYBE_MAX = 5

type Numbers = { filter: Uint8Array; referenceChars: Set<number> }
/** `exact`: cells that may be our reference as a whole. */
export type LineTexts = { exact: readonly string[]; texts: readonly string[] }
type Money = { currency: string; amountMinor: number }
export type NamedLines = { found: NamedAttempt | null; maybe: string[] }

export type Finder = (lines: readonly (LineTexts & Money)[]) => Promise<NamedLines[]>

/** Reads the numbers of the account's payments once. */
export async function newFinder(ctx: Context, accountId: string): Promise<Finder> {
  const numbers: Numbers = { filter: new Uint8Array(FILTER_BITS / 8), referenceChars: new Set() }
  for (let after = ''; ; ) {
    const page = await listNumbers(ctx.db, accountId, after, PAGE)
    for (const { reference, number } of page) {
      numbers.referenceChars.add(reference.length)
      for (const text of [reference, number]) if (text !== null) addTo(numbers.filter, text)
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = last.reference
  }
  return (lines) => nameLines(ctx, accountId, lines, numbers)
}

async function nameLines(
  ctx: Context,
  accountId: string,
  lines: readonly (LineTexts & Money)[],
  numbers: Numbers,
): Promise<NamedLines[]> {
  const seen = lines.map((line) => scan(line, numbers))
  const all = (of: (one: SeenNumbers) => Iterable<string>) => [
    ...new Set(seen.flatMap((one) => [...of(one)])),
  ]
  const [written, references] = [all((one) => one.numbers), all((one) => one.references)]
  if (written.length === 0 && references.length === 0) return lines.map(() => ({ found: null, maybe: [] }))
  const attempts = await findNumbered(ctx.db, accountId, written, references)
  return lines.map((line, at) =>
    choose(line, seen[at] ?? { numbers: new Set(), references: new Set() }, attempts),
  )
}

function choose(line: Money, seen: SeenNumbers, attempts: readonly NumberedAttempt[]): NamedLines {
  const candidates = new Map<string, NumberedAttempt>()
  for (const each of attempts)
    if (seen.references.has(each.reference) || seen.numbers.has(each.numberWritten)) {
      const known = candidates.get(each.paymentId)
      // The attempt of the payment whose own reference was written, else the last attempt.
      if (!known || seen.references.has(each.reference)) candidates.set(each.paymentId, each)
    }
  const [only, ...others] = candidates.values()
  const isFit = only && only.currency === line.currency && only.amounts.includes(Math.abs(line.amountMinor))
  if (only && others.length === 0 && isFit) {
    const { merchantId, paymentId, number } = only
    return { found: { merchantId, paymentId, number }, maybe: [] }
  }
  return { found: null, maybe: [...candidates.keys()].slice(0, MAYBE_MAX) }
}

type SeenNumbers = { numbers: Set<string>; references: Set<string> }

/** Returns what may be a number of ours. The database says what is. */
function scan({ exact, texts }: LineTexts, { filter, referenceChars }: Numbers): SeenNumbers {
  const seen: SeenNumbers = { numbers: new Set(), references: new Set() }
  for (const text of exact)
    for (const part of partsOf(text)) if (referenceChars.has(part.length)) seen.references.add(part)
  for (const text of [...exact, ...texts])
    scanText(text, filter, (plain, end) => {
      seen.numbers.add(plain.slice(end - NUMBER_CHARS, end))
      for (const chars of referenceChars) if (chars <= end) seen.references.add(plain.slice(end - chars, end))
    })
  return seen
}

/** Drivers write our reference alone, with our operation behind a dot, or behind the shop's order number and a slash. */
const partsOf = (text: string) => [text, text.split('.')[0] ?? '', text.split('/').at(-1) ?? '']

/** The value of each sign in the alphabet, that it does not count, or that no number goes across it. */
const [SKIP, BREAK] = [-1, -2]
const values = new Map<number, number>()

function digitOf(code: number): number {
  const known = values.get(code)
  if (known !== undefined) return known
  const folded = fold(String.fromCharCode(code))
  const value = folded === '' ? SKIP : folded.length === 1 ? ALPHABET.indexOf(folded) : BREAK
  const kept = value === -1 && folded !== '' ? BREAK : value
  values.set(code, kept)
  return kept
}

const LOW_CHARS = 7
const LOW = 32 ** LOW_CHARS

/** Calls `found` for each eight signs that may be a number. `plain`: the text without other signs. `end`: behind the eight. */
function scanText(text: string, filter: Uint8Array, found: (plain: string, end: number) => void): void {
  let [window, length, plain] = [0, 0, '']
  for (let at = 0; at < text.length; at++) {
    const value = digitOf(text.charCodeAt(at))
    if (value === SKIP) continue
    if (value === BREAK) {
      ;[window, length, plain] = [0, 0, '']
      continue
    }
    window = (window % LOW) * 32 + value
    plain += ALPHABET[value]
    length++
    if (length >= NUMBER_CHARS && hasAll(filter, window)) found(plain, plain.length)
  }
}

function addTo(filter: Uint8Array, text: string): void {
  let [window, length] = [0, 0]
  for (const char of text.slice(-NUMBER_CHARS)) {
    const value = digitOf(char.charCodeAt(0))
    if (value < 0) return
    window = (window % LOW) * 32 + value
    length++
  }
  if (length < NUMBER_CHARS) return
  for (const bit of bitsOf(window)) filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7))
}

const hasAll = (filter: Uint8Array, window: number) => {
  for (const seed of SEEDS) {
    const bit = bitOf(window, seed)
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

const bitsOf = (window: number) => SEEDS.map((seed) => bitOf(window, seed))

function bitOf(window: number, seed: number): number {
  let hash =
    Math.imul((window % 2 ** 32) ^ seed, 0x27d4eb2f) ^
    Math.imul(Math.floor(window / 2 ** 32) + seed, 0x165667b1)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  return (hash >>> 0) % FILTER_BITS
}
