/**
 * Passwords, hashed by scrypt with the figures that OWASP gives for it.
 * Rule: what a person sends is hashed in a turn of password-turns.ts, because a hash keeps a thread of the process busy.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** OWASP's cheat sheet of 2026 gives this row among equals: 32 MiB of memory, three times in a row. */
const FIGURES = { N: 2 ** 15, r: 8, p: 3 }
const SALT_BYTES = 16
const HASH_BYTES = 32
const MEMORY_BYTES_MAX = 64 * 1024 * 1024
export const PASSWORD_CHARS = { min: 12, max: 200 }

function derive(password: string, salt: Buffer, { N, r, p }: typeof FIGURES): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    // Two spellings of the same letters are the same password.
    scrypt(
      password.normalize('NFKC'),
      salt,
      HASH_BYTES,
      { N, r, p, maxmem: MEMORY_BYTES_MAX },
      (error, key) => (error ? reject(error) : resolve(key)),
    ),
  )
}

/** Returns the text to store: the figures, the salt and the hash. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await derive(password, salt, FIGURES)
  return ['scrypt', FIGURES.N, FIGURES.r, FIGURES.p, salt.toString('base64'), key.toString('base64')].join(
    '$',
  )
}

/** `stored`: null if nobody has this name. It takes as long then. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? '').split('$')
  const figures = stored === null ? FIGURES : { N: Number(N), r: Number(r), p: Number(p) }
  const key = await derive(password.slice(0, PASSWORD_CHARS.max), Buffer.from(salt, 'base64'), figures)
  const wanted = Buffer.from(hash, 'base64')
  return wanted.length === key.length && timingSafeEqual(wanted, key)
}

export type PasswordFault = 'short' | 'long' | 'named'

/** A long password that does not contain the person's own name or address. Its kinds of characters do not matter. */
export function faultOf(
  password: string,
  { name, email }: { name: string; email: string },
): PasswordFault | null {
  const chars = [...password].length
  if (chars < PASSWORD_CHARS.min) return 'short'
  if (chars > PASSWORD_CHARS.max) return 'long'
  const own = [email, email.split('@')[0] ?? '', ...name.split(/\s+/)].filter((each) => each.length >= 4)
  const rest = own.reduce((text, each) => text.replaceAll(each.toLowerCase(), ''), password.toLowerCase())
  return rest.length < PASSWORD_CHARS.min / 2 ? 'named' : null
}
