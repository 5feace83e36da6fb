/** Merchant tokens: issued once in clear, known afterwards only by their digest. */
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Context, newId } from '../context.ts'
import type { Mode } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { findTokenByDigest, insertToken, type TokenRecord } from '../storage/tokens.ts'
import { cached } from './cache.ts'

export const SCOPES = [
  'payments.read',
  'payments.write',
  'operations.write',
  'tokens.write',
  'subscriptions.write',
] as const
export type Scope = (typeof SCOPES)[number]

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_CHARS = 43
const CHECKSUM_CHARS = 6
const TOKEN = new RegExp(`^ksk_(sandbox|live)_[0-9A-Za-z]{${BODY_CHARS + CHECKSUM_CHARS}}$`)

/** Writes a number in base 62, padded on the left. */
function base62(value: bigint, chars: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = BASE62[Number(rest % 62n)] + text
  return text.padStart(chars, '0')
}

/** `ksk_<mode>_` + 32 random bytes + a checksum over what stands before it, so that a mistyped token needs no database. */
function newToken(mode: Mode): string {
  const body = `ksk_${mode}_${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), BODY_CHARS)}`
  return body + base62(BigInt(crc32(body)), CHECKSUM_CHARS)
}

function isWellFormed(token: string): boolean {
  if (!TOKEN.test(token)) return false
  const body = token.slice(0, -CHECKSUM_CHARS)
  return base62(BigInt(crc32(body)), CHECKSUM_CHARS) === token.slice(-CHECKSUM_CHARS)
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Issues a token; `token` is in clear here and never again. */
export async function issueToken(
  ctx: Context,
  { merchantId, mode, scopes = [...SCOPES] }: { merchantId: string; mode: Mode; scopes?: Scope[] },
): Promise<{ token: string; tokenId: string }> {
  const createdAt = ctx.clock.now()
  const token = newToken(mode)
  const id = newId('tok', createdAt)
  await insertToken(
    ctx.db,
    { merchantId, id, mode, scopes, createdAt, expiresAt: null, revokedAt: null },
    digestOf(token),
  )
  return { token, tokenId: id }
}

const findToken = cached((ctx: Context, token: string) => findTokenByDigest(ctx.db, digestOf(token)))

/**
 * The merchant behind an Authorization header.
 * @throws AppError missing_token, invalid_token (malformed, unknown, expired, revoked, of the other mode), insufficient_scope
 */
export async function authenticate(
  ctx: Context,
  authorization: string | undefined,
  scope: Scope,
): Promise<TokenRecord> {
  if (!authorization) throw new AppError('missing_token')
  const token = /^Bearer ([^ ]+)$/i.exec(authorization)?.[1]
  if (!token || !isWellFormed(token)) throw new AppError('invalid_token')
  const record = await findToken(ctx, token)
  const now = ctx.clock.now()
  if (!record || record.revokedAt || (record.expiresAt && record.expiresAt <= now))
    throw new AppError('invalid_token')
  if (record.mode !== ctx.config.mode) throw new AppError('invalid_token')
  if (!record.scopes.includes(scope))
    throw new AppError('insufficient_scope', { hint: `Issue a token with the scope ${scope}.` })
  return record
}
