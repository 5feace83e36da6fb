/** Secrets that open something: random, shown once, and stored as a digest. */
import { createHash, randomBytes } from 'node:crypto'

const BYTES = 32

export function newSecret(): string {
  return randomBytes(BYTES).toString('base64url')
}

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
