/** Secrets that open something: random, shown once, and stored as a digest. */
import { createHash, randomBytes } from 'node:crypto'

const BYTES = 32

export function newSecret(): string {
  return randomBytes(BYTES).toString('base64url')
}

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

const START_CHARS = 21

/** Half of a secret, for one person. Another person gets the rest, and neither can use it alone. */
export function newStart(): string {
  return newSecret().slice(0, START_CHARS)
}

/** Returns a secret that begins so. The rest is as hard to guess as a key of 128 bits. */
export function secretFrom(start: string): string {
  return start + newSecret().slice(start.length)
}
