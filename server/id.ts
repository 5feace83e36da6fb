/**
 * Ids. Each id shows its kind and, in the sandbox, that it is test data: `pay_01k9...` is a real payment,
 * `pay_test_01k9...` a test one. After that come 10 characters of time, the 2 of the slot, and 24 random ones.
 *
 * The slot is a number from 1 to 1023, drawn when a merchant is created. Everything that belongs to the merchant carries it, and
 * so do keys and tokens. So a map from slots to clusters of servers could lead each call to its merchant's data without a query.
 * Several merchants may have the same slot. Slot 0 means that an id belongs to no merchant.
 */
import { randomFillSync, randomInt } from 'node:crypto'
import type { World } from './contract/health.ts'

/** Records of one world. */
export const WORLD_PREFIXES = [
  'tok',
  'sec',
  'ins',
  'pay',
  'lnk',
  'evt',
  'wgt',
  'opr',
  'pmt',
  'sub',
  'rcp',
  'acc',
  'mal',
  'ord',
] as const
export type WorldPrefix = (typeof WORLD_PREFIXES)[number]
/** Requests, workers, acts of people, operators, and proposals. They belong to no merchant. */
export type SharedPrefix = 'req' | 'wrk' | 'act' | 'usr' | 'apr'

/** Crockford's base 32 in lower case, without letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARS = 10
/** The time is written in two halves of five characters. */
const HALF = 32 ** 5
const SLOT_CHARS = 2
const SLOTS = 1024
/** 5 bits a character, so 120 random bits. Nobody can guess an id. */
const RANDOM_CHARS = 24
const SPOKEN_CHARS = 8
/** A part of a regular expression: what follows the prefix and the world of an id. */
export const ID_BODY = `[0-9a-hjkmnp-tv-z]{${TIME_CHARS + SLOT_CHARS + RANDOM_CHARS}}`
const ID = new RegExp(`^[a-z]{3}_(test_)?${ID_BODY}$`)
/** Whether the text is an id, and so may stand in a log. Other texts may be secrets, or about a buyer. */
export const isId = (text: string): boolean => ID.test(text)
/** Stands for the merchant where there is none: for the deployment's own accounts, requests and workers. Its slot is 0. */
export const NO_MERCHANT = `mer_${'0'.repeat(TIME_CHARS + SLOT_CHARS + RANDOM_CHARS)}`
const SLOT_AT = 'mer_'.length + TIME_CHARS
/** The separator after a world's prefix. */
const MARKS: Record<World, string> = { live: '', sandbox: 'test_' }

const CODES = Buffer.from(ALPHABET, 'latin1')
/** Random letters and digits. */
const pool = Buffer.alloc(4096)
let used = pool.length

/**
 * Returns a new id: 48 bits of milliseconds, the slot of its merchant, and then 120 random bits. So ids sort by age, and new rows
 * are together in an index.
 */
export function newId(world: World, prefix: WorldPrefix, merchantId: string, now: Date): string {
  return idNamed(world, prefix, merchantId, now, randomName())
}

/** Returns an id as newId does, with `name` in place of the random part. `name`: as nameFrom returns it. */
export function idNamed(
  world: World,
  prefix: WorldPrefix,
  merchantId: string,
  now: Date,
  name: string,
): string {
  return worldPrefix(world, prefix) + timeText(now) + slotOf(merchantId) + name
}

/** Returns an id for a new merchant, with a slot drawn at random. */
export function newMerchantId(now: Date): string {
  const slot = randomInt(1, SLOTS)
  return `mer_${timeText(now)}${ALPHABET[slot >> 5]}${ALPHABET[slot & 31]}${randomName()}`
}

/** Returns the slot of a merchant, as two letters or digits. */
export function slotOf(merchantId: string): string {
  const isMerchant = merchantId.startsWith('mer_') && merchantId.length === NO_MERCHANT.length
  if (!isMerchant) throw new Error(`Bug! ${merchantId} is not the id of a merchant.`)
  return merchantId.slice(SLOT_AT, SLOT_AT + SLOT_CHARS)
}

/** Returns 120 bits of a digest as the letters and digits of an id. */
export function nameFrom(digest: Buffer): string {
  let name = ''
  for (let at = 0; at < RANDOM_CHARS; at++) name += ALPHABET[(digest[at] as number) & 31]
  return name
}

/** Returns an id of something that belongs to no world and to no merchant. */
export function newSharedId(prefix: SharedPrefix, now: Date): string {
  return `${prefix}_${timeText(now)}${slotOf(NO_MERCHANT)}${randomName()}`
}

/** `pay_` in the live world, `pay_test_` in the sandbox. */
export function worldPrefix(world: World, prefix: WorldPrefix): string {
  return `${prefix}_${MARKS[world]}`
}

function randomName(): string {
  if (used + RANDOM_CHARS > pool.length) {
    randomFillSync(pool)
    for (let index = 0; index < pool.length; index++)
      pool[index] = CODES[(pool[index] as number) & 31] as number
    used = 0
  }
  used += RANDOM_CHARS
  return pool.toString('latin1', used - RANDOM_CHARS, used)
}

/** Returns a bound. Ids of this kind from `at` or later sort after it, and earlier ids before it. */
export function oldestId(world: World, prefix: WorldPrefix, at: Date): string {
  return worldPrefix(world, prefix) + timeText(at)
}

function timeText(at: Date): string {
  const time = at.getTime()
  return fiveDigits(Math.floor(time / HALF)) + fiveDigits(time % HALF)
}

function fiveDigits(value: number): string {
  let text = ''
  for (let shift = 20; shift >= 0; shift -= 5) text += ALPHABET[(value >> shift) & 31]
  return text
}

/** Returns our reference for this id at a provider: the 24 letters and digits at its end. */
export function referenceOf(id: string): string {
  return id.slice(-RANDOM_CHARS)
}

/** Returns the eight characters at the end of an id. They are enough to find a payment again by what a buyer says. */
export function idEnd(id: string): string {
  return id.slice(-SPOKEN_CHARS)
}

/** Returns the end of a payment's id as a buyer reads it aloud or writes it: `7K3M 9QXD`. */
export function shortNumber(paymentId: string): string {
  const end = idEnd(paymentId).toUpperCase()
  return `${end.slice(0, SPOKEN_CHARS / 2)} ${end.slice(SPOKEN_CHARS / 2)}`
}

const WORLD_ID = new RegExp(`^(?:${WORLD_PREFIXES.join('|')})_(test_)?`)

/** Returns the world that an id, an api key or a public key names. Null if it names none. */
export function worldOfName(text: string): World | null {
  const key = /^k[sp]k_(sandbox|live)_/.exec(text)
  if (key) return key[1] as World
  const id = WORLD_ID.exec(text)
  return id && (id[1] ? 'sandbox' : 'live')
}
