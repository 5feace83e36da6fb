/**
 * Browsers that have signed in before. Anybody who knows an e-mail address can try passwords, and so use up the tries of this person
 * that all strangers share. A browser that has signed in as this person has tries of its own.
 * Rule: a known browser gets its own count of tries and nothing else. Its cookie is no factor, opens nothing, and is worth nothing for
 * another person. It is bound to the password, so it ends when the person gets a new link, and after half a year without a sign-in.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Context, systemClock } from '../context.ts'
import { findPassword, type PasswordRecord } from '../storage/access/credentials.ts'

const SECONDS = 180 * 86_400
const ID_BYTES = 12
const NAME_CHARS = 12
const FORM = /^(?<id>[\w-]{16})\.(?<expires>\d{10})\.(?<mark>[\w-]{43})$/

/** Returns the browser's cookie of this name. */
export type Cookies = (name: string) => string | undefined
/** A cookie to keep. */
export type Device = { name: string; value: string; seconds: number }

/** Several people may share a browser, so each has a cookie there. Its name does not tell whose it is. */
const nameFor = (operatorId: string) =>
  `device_${createHash('sha256').update(`device ${operatorId}`).digest('base64url').slice(0, NAME_CHARS)}`

/** Returns the id of a browser that has signed in with this password before; null for any other browser. */
export function findDevice(ctx: Context, password: PasswordRecord, cookies: Cookies): string | null {
  const {
    id = '',
    expires = '',
    mark = '',
  } = FORM.exec(cookies(nameFor(password.operatorId)) ?? '')?.groups ?? {}
  const right = markOf(ctx, password, { id, expires })
  const given = Buffer.from(mark, 'base64url')
  const isRight = given.length === right.length && timingSafeEqual(given, right)
  return isRight && Number(expires) * 1_000 > systemClock.now().getTime() ? id : null
}

/** Returns the cookie by which this browser is known from now on; null for a person without a password, who has no tries to lose. */
export async function rememberDevice(ctx: Context, userId: string, cookies: Cookies): Promise<Device | null> {
  const password = await findPassword(ctx.db, userId)
  if (!password) return null
  const id = findDevice(ctx, password, cookies) ?? randomBytes(ID_BYTES).toString('base64url')
  const expires = String(Math.floor(systemClock.now().getTime() / 1_000) + SECONDS)
  const mark = markOf(ctx, password, { id, expires }).toString('base64url')
  return { name: nameFor(userId), value: `${id}.${expires}.${mark}`, seconds: SECONDS }
}

/** The stored hash has a random salt of its own, so another password, or the same one set anew, makes another mark. */
function markOf(
  { vault }: Context,
  { operatorId, hash }: PasswordRecord,
  { id, expires }: { id: string; expires: string },
): Buffer {
  return createHmac('sha256', vault.derive('console-devices'))
    .update(JSON.stringify([operatorId, hash, id, expires]))
    .digest()
}
