/**
 * Ids. Each id shows its kind and, in the sandbox, that it is test data: `pay_01k9...` is a real payment,
 * `pay_test_01k9...` a test one.
 */
import { randomFillSync } from 'node:crypto'
import type { World } from './contract/health.ts'

/** Records of one world. */
export type WorldPrefix =
  | 'tok'
  | 'sec'
  | 'ins'
  | 'pay'
  | 'lnk'
  | 'evt'
  | 'wgt'
  | 'opr'
  | 'pmt'
  | 'sub'
  | 'rcp'
  | 'acc'
  | 'mal'
/** Records that both worlds share, requests, and workers. */
export type SharedPrefix = 'mer' | 'req' | 'wrk'

/** Crockford's base 32 in lower case, without letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARS = 10
/** 5 bits a character, so 120 random bits. Nobody can guess an id. */
const RANDOM_CHARS = 24
/** The separator after a world's prefix. */
const MARKS: Record<World, string> = { live: '', sandbox: 'test_' }

const pool = Buffer.alloc(4096)
let used = pool.length

/**
 * Returns a new id: 48 bits of milliseconds, and then 120 random bits. So ids sort by age, and new rows are together in an
 * index.
 */
export function newId(world: World, prefix: WorldPrefix, now: Date): string {
  return idWith(worldPrefix(world, prefix), now)
}

/** Returns an id as newId does, with `name` in place of the random part. `name`: as nameFrom returns it. */
export function idNamed(world: World, prefix: WorldPrefix, now: Date, name: string): string {
  return worldPrefix(world, prefix) + timeText(now) + name
}

/** Returns 120 bits of a digest as the letters and digits of an id. */
export function nameFrom(digest: Buffer): string {
  let name = ''
  for (let at = 0; at < RANDOM_CHARS; at++) name += ALPHABET[(digest[at] as number) & 31]
  return name
}

/** Returns an id of something that belongs to no world. */
export function newSharedId(prefix: SharedPrefix, now: Date): string {
  return idWith(`${prefix}_`, now)
}

/** `pay_` in the live world, `pay_test_` in the sandbox. */
export function worldPrefix(world: World, prefix: WorldPrefix): string {
  return `${prefix}_${MARKS[world]}`
}

function idWith(start: string, now: Date): string {
  if (used + RANDOM_CHARS > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let text = start + timeText(now)
  for (let index = 0; index < RANDOM_CHARS; index++) text += ALPHABET[(pool[used++] ?? 0) & 31]
  return text
}

/** Returns a bound. Ids of this kind from `at` or later sort after it, and earlier ids before it. */
export function oldestId(world: World, prefix: WorldPrefix, at: Date): string {
  return worldPrefix(world, prefix) + timeText(at)
}

function timeText(at: Date): string {
  let time = at.getTime()
  let text = ''
  for (let index = 0; index < TIME_CHARS; index++) {
    text = ALPHABET[time % 32] + text
    time = Math.floor(time / 32)
  }
  return text
}

/** Returns our reference for this id at a provider: the 24 letters and digits after the time. */
export function referenceOf(id: string): string {
  return id.slice(-RANDOM_CHARS)
}

/** Returns the world that an id, an api key or a public key names. Null if it names none. */
export function worldOfName(text: string): World | null {
  const key = /^k[sp]k_(sandbox|live)_/.exec(text)
  if (key) return key[1] as World
  const id = /^(tok|sec|ins|pay|lnk|evt|wgt|opr|pmt|sub|rcp|acc|mal)_(test_)?/.exec(text)
  return id && (id[2] ? 'sandbox' : 'live')
}
