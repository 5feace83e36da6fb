/** Merchant tokens: issued once in clear, known afterwards only by their digest. */
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Context } from '../context.ts'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { inTransaction, type Queryable } from '../storage/db.ts'
import {
  type ApiKeyRecord,
  expireToken,
  findTokenByDigest,
  findToken as findTokenRecord,
  insertToken,
  listTokens as listTokenRecords,
  revokeToken as revokeTokenRecord,
} from '../storage/merchants/api-keys.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'
import { moment } from './moment.ts'
import { expectOnboarded } from './onboarding.ts'
import { type Overlap, overlapEnd } from './overlap.ts'

export type { ApiKeyRecord } from '../storage/merchants/api-keys.ts'

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

/** `ksk_<world>_` + 32 random bytes + a checksum over what stands before it, so that a mistyped token needs no database. */
function newToken(world: World): string {
  const body = `ksk_${world}_${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), BODY_CHARS)}`
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

/**
 * Issues a token; `token` is in clear here and never again.
 * @throws AppError validation_failed for a live token before the merchant's onboarding is complete; not_found.
 */
export async function issueToken(
  ctx: Context,
  { merchantId, scopes = [...SCOPES] }: { merchantId: string; scopes?: Scope[] },
): Promise<{ token: string; tokenId: string }> {
  await getMerchant(ctx, merchantId)
  if (ctx.world === 'live') await expectOnboarded(ctx, merchantId)
  return addToken(ctx, ctx.db, { merchantId, scopes })
}

async function addToken(
  ctx: Context,
  db: Queryable,
  given: Pick<ApiKeyRecord, 'merchantId' | 'scopes'>,
): Promise<{ token: string; tokenId: string }> {
  const createdAt = ctx.clock.now()
  const token = newToken(ctx.world)
  const id = newId(ctx.world, 'tok', createdAt)
  await insertToken(db, { ...given, id, createdAt, expiresAt: null, revokedAt: null }, digestOf(token))
  return { token, tokenId: id }
}

/**
 * Replaces a token by a new one of the same scopes, which works at once; the old one works on for `overlap`.
 * @throws AppError token_not_found; validation_failed for a token that is revoked, or was replaced before.
 */
export async function rotateToken(
  ctx: Context,
  id: string,
  overlap: Overlap,
): Promise<{ token: string; tokenId: string; old: ApiKeyRecord }> {
  return inTransaction(ctx.db, async (tx) => {
    const old = await expireToken(tx, id, overlapEnd(ctx, overlap))
    if (!old) throw cannotRotate(id, await findTokenRecord(tx, id))
    const { merchantId, scopes } = old
    return { ...(await addToken(ctx, tx, { merchantId, scopes })), old }
  })
}

function cannotRotate(id: string, found: ApiKeyRecord | null): AppError {
  if (!found) return noSuchToken(`There is no token ${id}.`)
  const why = found.revokedAt
    ? 'is revoked'
    : `was replaced before, and ends at ${found.expiresAt && moment(found.expiresAt)}`
  return new AppError('validation_failed', {
    message: `The token ${id} ${why}.`,
    hint: `Rotate its successor, or issue another: npm run -s admin -- token issue --merchant ${found.merchantId}`,
  })
}

const findToken = cached((ctx: Context, token: string) => findTokenByDigest(ctx.db, digestOf(token)))

/**
 * The merchant behind an Authorization header.
 * @throws AppError missing_token, invalid_token (malformed, unknown, expired, revoked, of the other world), insufficient_scope
 */
export async function authenticate(
  ctx: Context,
  authorization: string | undefined,
  scope: Scope,
): Promise<ApiKeyRecord> {
  if (!authorization) throw new AppError('missing_token')
  const token = /^Bearer ([^ ]+)$/i.exec(authorization)?.[1]
  if (!token || !isWellFormed(token)) throw new AppError('invalid_token')
  const record = await findToken(ctx, token)
  const now = ctx.clock.now()
  if (!record || record.revokedAt || (record.expiresAt && record.expiresAt <= now))
    throw new AppError('invalid_token')
  if (!record.scopes.includes(scope))
    throw new AppError('insufficient_scope', { hint: `Issue a token with the scope ${scope}.` })
  return record
}

/** The merchant's tokens, oldest first, the revoked ones too; never the tokens themselves. */
export async function listTokens(ctx: Context, merchantId: string): Promise<ApiKeyRecord[]> {
  await getMerchant(ctx, merchantId)
  return listTokenRecords(ctx.db, merchantId)
}

/**
 * Ends a token's use, within a second everywhere; revoking again changes nothing. `idOrToken`: the token's id, or the
 * token itself, for one that was found where it should not be.
 * @throws AppError token_not_found, which repeats an id but never a token.
 */
export async function revokeToken(ctx: Context, idOrToken: string): Promise<ApiKeyRecord> {
  const inClear = idOrToken.startsWith('ksk_')
  const id = inClear ? (await findTokenByDigest(ctx.db, digestOf(idOrToken)))?.id : idOrToken
  const revoked = id === undefined ? null : await revokeTokenRecord(ctx.db, id, ctx.clock.now())
  if (revoked) return revoked
  throw noSuchToken(inClear ? 'This token was never issued here.' : `There is no token ${idOrToken}.`)
}

function noSuchToken(message: string): AppError {
  return new AppError('token_not_found', {
    message,
    hint: "A merchant's tokens: npm run -s admin -- token list --merchant ID",
  })
}
