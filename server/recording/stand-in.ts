/**
 * Replaces what is private by a stand-in of the same shape: the same type, length, and kinds of characters. Equal words have
 * equal stand-ins within one recording, so ids still match each other, also inside an address or a longer text. Without the
 * recording's key, which is deleted at its end, nobody can check a guess.
 */
import { createHmac } from 'node:crypto'
import type { Recordable } from '../providers/driver/proof.ts'

/** `origins`: the account's own addresses. A recording has ADDRESS in their place. `now`: when it was recorded. */
export type StandIns = { key: string; recordable: Recordable; origins: readonly string[]; now: Date }

/** Stands for the address of the provider's API. */
export const ADDRESS = '{address}'
const DEPTH_MAX = 16
const LIST_MAX = 200
const TEXT_CHARS_MAX = 4_000
/** A name of a field that a provider or a driver has chosen. Anything else, such as an e-mail address as a name, is replaced. */
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,40}(\[[A-Za-z0-9_-]{0,40}\])*$/
/** More than a year from now it is no time of this recording, and may be any other number. */
const YEAR_MS = 400 * 24 * 3_600_000
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/
/** As `31/12/2026 12:00:00`. */
const LOCAL_TIME = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d:\d\d:\d\d)$/
const GUID = '[\\da-fA-F]{8}(?:-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}'
const WORDS = new RegExp(`(?<![\\p{L}\\p{N}])(?<guid>${GUID})(?![\\p{L}\\p{N}])|[\\p{L}\\p{N}]+`, 'gu')

/** Returns the value with stand-ins in place of everything that the driver's list does not name. Dates become texts. */
export function standInFor(given: StandIns, value: unknown, field = '', depth = 0): unknown {
  if (depth > DEPTH_MAX) return null
  if (value instanceof Date) return standInFor(given, value.toISOString(), field)
  if (Array.isArray(value))
    return value.slice(0, LIST_MAX).map((each) => standInFor(given, each, field, depth + 1))
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, each]) => each !== undefined)
    return Object.fromEntries(
      fields.map(([name, each]) => [fieldName(given, name), standInFor(given, each, name, depth + 1)]),
    )
  }
  if (typeof value === 'number') return isKeptNumber(given, value, field) ? value : numberFor(given, value)
  if (typeof value === 'string') return textFor(given, value, leafOf(field))
  return value === undefined ? null : value
}

const fieldName = (given: StandIns, name: string) => (FIELD_NAME.test(name) ? name : replaced(given, name))

/** The name that counts of `metadata[order]` and `expand[0]`. */
function leafOf(field: string): string {
  const [first = '', ...rest] = field.split(/[[\]]+/).filter((part) => part !== '')
  return rest.findLast((part) => !/^\d+$/.test(part)) ?? first
}

function textFor(given: StandIns, value: string, field: string): string {
  const { texts, words, numbers, times, addresses, logins = [] } = given.recordable
  if (logins.includes(field)) return ''
  const text = value.slice(0, TEXT_CHARS_MAX)
  if (texts.includes(field) && words.includes(text)) return text
  if (numbers.includes(field) && /^\d{1,8}(\.\d{1,2})?$/.test(text)) return text
  if (times.includes(field) && isNear(given, text)) return text
  if (addresses.includes(field)) return addressFor(given, text)
  return outsideAddress(given, text, (part) => replaced(given, part))
}

function isKeptNumber(given: StandIns, value: number, field: string): boolean {
  const leaf = leafOf(field)
  if (given.recordable.numbers.includes(leaf)) return Number.isInteger(value) && Math.abs(value) < 1e8
  return given.recordable.times.includes(leaf) && isNear(given, value)
}

function isNear({ now }: StandIns, time: string | number): boolean {
  const local = String(time).replace(LOCAL_TIME, '$3-$2-$1T$4Z')
  const digits = /^\d{10}(\d{3})?$/.exec(local)
  if (!digits && (typeof time === 'number' || !ISO_TIME.test(local))) return false
  // Three digits more are milliseconds.
  const at = digits ? Number(time) * (digits[1] === undefined ? 1_000 : 1) : Date.parse(local)
  return Math.abs(at - now.getTime()) < YEAR_MS
}

/** Returns an address, or a path, of which only the parts that are listed are kept. */
export function addressFor(given: StandIns, text: string): string {
  return outsideAddress(given, text, (part) => {
    const [path = '', ...queries] = part.split(/[?#]/)
    const kept = path.replaceAll(/[^/:]+/g, (each) => wordFor(given, each))
    return [kept, ...queries.map((query) => queryFor(given, query))].join('?')
  })
}

function queryFor(given: StandIns, query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=')
      if (rest.length === 0) return wordFor(given, name)
      return `${isListedName(given, decoded(name)) ? name : replaced(given, name)}=${wordFor(given, rest.join('='))}`
    })
    .join('&')
}

/** Anything can be the name of a parameter, so each part of it must be listed. */
function isListedName({ recordable }: StandIns, name: string): boolean {
  const { words, texts, numbers, times, addresses } = recordable
  const listed = [...words, ...texts, ...numbers, ...times, ...addresses]
  return name
    .split(/[[\]]+/)
    .filter((part) => part !== '' && !/^\d{1,2}$/.test(part))
    .every((part) => listed.includes(part))
}

const wordFor = (given: StandIns, word: string) =>
  given.recordable.words.includes(decoded(word)) ? word : replaced(given, word)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function outsideAddress({ origins }: StandIns, text: string, act: (part: string) => string): string {
  const marked = origins.reduce((rest, origin) => rest.replaceAll(origin, ADDRESS), text)
  return marked.split(ADDRESS).map(act).join(ADDRESS)
}

/** Zero says nothing, like null. */
function numberFor(given: StandIns, value: number): number {
  if (value === 0) return 0
  const other = Number(replaced(given, String(value)))
  return Number.isFinite(other) ? other : 0
}

/** Letters and digits have stand-ins word by word. What is between the words stays. */
function replaced(given: StandIns, text: string): string {
  return text.replaceAll(WORDS, (word, guid?: string) =>
    guid === undefined ? wordStandIn(given, word) : guidStandIn(given, guid),
  )
}

/** It stays a GUID, and the same one in capital and in small letters, because providers show both. */
function guidStandIn({ key }: StandIns, guid: string): string {
  const hex = createHmac('sha256', key).update(`guid ${guid.toLowerCase()}`).digest('hex')
  const other = [...guid].map((each, index) => (each === '-' ? each : hex[index])).join('')
  return guid === guid.toUpperCase() ? other.toUpperCase() : other
}

function wordStandIn({ key }: StandIns, word: string): string {
  let bytes = Buffer.alloc(0)
  const next = (index: number): number => {
    while (bytes.length <= index)
      bytes = Buffer.concat([bytes, createHmac('sha256', key).update(`${bytes.length} ${word}`).digest()])
    return bytes[index] ?? 0
  }
  return [...word]
    .map((letter, index) => {
      const byte = next(index)
      // A number keeps its length, so it does not begin with a zero.
      if (/\p{N}/u.test(letter)) return String(index === 0 && word.length > 1 ? 1 + (byte % 9) : byte % 10)
      return String.fromCharCode((/\p{Lu}/u.test(letter) ? 65 : 97) + (byte % 26))
    })
    .join('')
}
