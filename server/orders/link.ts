/** Links that open a page of the order book without a log-in, for mails to the owner. */
import { createHash, randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { worldPrefix } from '../id.ts'
import type { Queryable } from '../storage/db.ts'
import { findOrderLink, insertOrderLink, type OrderLink } from '../storage/orders/links.ts'

const SECRET_BYTES = 24
export const LINK_LIFE_MS = 30 * 86_400_000
const SECRET = /^ord_(test_)?[\w-]{32}$/

/** Makes a secret and returns the address that has it. Only a digest is stored, so nobody can read the address again later. */
export async function makeLink(
  { world, baseUrl, clock }: Context,
  db: Queryable,
  { mailId = null, ...of }: Omit<OrderLink, 'expiresAt' | 'mailId'> & Partial<Pick<OrderLink, 'mailId'>>,
): Promise<string> {
  const secret = worldPrefix(world, 'ord') + randomBytes(SECRET_BYTES).toString('base64url')
  const expiresAt = new Date(clock.now().getTime() + LINK_LIFE_MS)
  await insertOrderLink(db, digestOf(secret), { ...of, mailId, expiresAt })
  return `${baseUrl}/o/${secret}`
}

/** Returns what the secret opens. Null for an unknown secret, and for one that has ended. */
export async function findLink({ db, clock }: Context, secret: string): Promise<OrderLink | null> {
  return SECRET.test(secret) ? findOrderLink(db, digestOf(secret), clock.now()) : null
}

const digestOf = (secret: string) => createHash('sha256').update(secret).digest('hex')
