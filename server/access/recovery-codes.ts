/** Codes on paper for somebody whose phone is lost. Each counts once, in the place of a code of the app. */
import { createHash, randomInt } from 'node:crypto'

const COUNT = 8
const CHARS = 16
/** Leaves out letters that look like digits or like each other. */
const ALPHABET = '23456789abcdefghjkmnpqrstvwxyz'

export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () =>
    Array.from({ length: CHARS }, () => ALPHABET[randomInt(ALPHABET.length)])
      .join('')
      .replaceAll(/(.{4})(?!$)/g, '$1-'),
  )
}

/** Returns null if the text cannot be a recovery code. A code has 78 random bits, so a plain digest is enough. */
export function digestOfCode(typed: string): Buffer | null {
  const plain = typed.toLowerCase().replaceAll(/[\s-]/g, '')
  if (plain.length !== CHARS) return null
  return createHash('sha256').update(`recovery ${plain}`).digest()
}
