/** Merchant tokens (API keys). A token is shown once when it is issued. Only its digest is stored. */
import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Context } from '../context.ts'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { newId, slotOf } from '../id.ts'
import { notifyOwner } from '../notices/notify.ts'
import { inTransaction, type Queryable } from '../storage/db.ts'
import {
  type ApiKeyRecord,
  expireToken,
  findTokenByDigest,
  findToken as findTokenRecord,
  findUsableToken,
  insertToken,
  listTokens as listTokenRecords,
  revokeToken as revokeTokenRecord,
} from '../storage/merchants/api-keys.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'
import { moment } from './moment.ts'
import { expectDomain, expectOnboarded } from './onboarding.ts'
import { type Overlap, overlapEnd } from './overlap.ts'
import {
  answering,
  type LimitChanges,
  limitsOfSuccessor,
  limitsToGive,
  MONEY_SCOPE,
  NO_LIMITS,
  settleRefusals,
  type TokenIssuer,
} from './token-limits.ts'

export type { ApiKeyRecord } from '../storage/merchants/api-keys.ts'

export const SCOPES = [
  'payments.read',
  'payments.write',
  'operations.write',
  'tokens.write',
  'subscriptions.write',
] as const
export type Scope = (typeof SCOPES)[number]

const BY_HOST: Pick<TokenIssuer, 'id'> = { id: null }
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_CHARS = 43
const CHECKSUM_CHARS = 6
const TOKEN = new RegExp(`^ksk_(sandbox|live)_[0-9a-z]{2}[0-9A-Za-z]{${BODY_CHARS + CHECKSUM_CHARS}}$`)

/** Writes a number in base 62, padded on the left. */
function base62(value: bigint, chars: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = BASE62[Number(rest % 62n)] + text
  return text.padStart(chars, '0')
}

/**
 * `ksk_<world>_`, the merchant's slot, 32 random bytes, and a checksum of all. The checksum rejects a mistyped token without a
 * database query.
 */
export function makeToken({ world }: { world: World }, merchantId: string): string {
  const body = `ksk_${world}_${slotOf(merchantId)}${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), BODY_CHARS)}`
  return body + base62(BigInt(crc32(body)), CHECKSUM_CHARS)
}

function hasChecksum(token: string): boolean {
  const body = token.slice(0, -CHECKSUM_CHARS)
  return base62(BigInt(crc32(body)), CHECKSUM_CHARS) === token.slice(-CHECKSUM_CHARS)
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** `doer`: who issues the token and answers for it; the host if absent. Without limits it may return what that person may. */
export type NewToken = LimitChanges & {
  merchantId: string
  scopes?: Scope[] | undefined
  doer?: TokenIssuer | undefined
}

/** Whether the token can return money, so that it has limits. */
export const returnsMoney = ({ scopes }: { scopes: readonly string[] }) => scopes.includes(MONEY_SCOPE)

/**
 * Issues a token. Nobody can read the returned `token` again later. `token`: one that was made before.
 * @throws AppError validation_failed for a live token before the merchant's onboarding is complete, and for limits above those of
 *   the doer; not_found
 */
export async function issueToken(
  ctx: Context,
  { merchantId, scopes = [...SCOPES], doer = { id: null }, ...wish }: NewToken,
  { token }: { token?: string | undefined } = {},
): Promise<{ token: string; tokenId: string }> {
  await getMerchant(ctx, merchantId)
  if (!returnsMoney({ scopes }) && (wish.refundLimits || wish.refundLimitsDay))
    throw new AppError('validation_failed', {
      reason: 'token_no_money',
      message: `Only a token with the scope ${MONEY_SCOPE} has refund limits.`,
    })
  if (ctx.world === 'live') {
    await expectOnboarded(ctx, merchantId)
    await expectDomain(ctx, merchantId)
  }
  const limits = returnsMoney({ scopes }) ? await limitsToGive(ctx.db, doer, wish) : NO_LIMITS
  const given = { merchantId, scopes, ...limits, ...answering(doer), countsAs: null }
  return inTransaction(ctx.db, async (tx) => {
    await notifyOwner(ctx, tx, merchantId, 'token_issued')
    return addToken(ctx, tx, given, token)
  })
}

async function addToken(
  ctx: Context,
  db: Queryable,
  given: Omit<ApiKeyRecord, 'id' | 'createdAt' | 'expiresAt' | 'revokedAt'>,
  token = makeToken(ctx, given.merchantId),
): Promise<{ token: string; tokenId: string }> {
  const createdAt = ctx.clock.now()
  const id = newId(ctx.world, 'tok', given.merchantId, createdAt)
  await insertToken(db, { ...given, id, createdAt, expiresAt: null, revokedAt: null }, digestOf(token))
  return { token, tokenId: id }
}

/**
 * Replaces a token with a new one of the same scopes and limits, for which the same person answers. Both count in one sum of the day. The new token works at once. The
 * old one works for `overlap`. Nobody answers for a token of a version before the limits. The one that replaces it may return what
 * `by` may return alone.
 * @throws AppError token_not_found; validation_failed for a token that is revoked or already replaced
 */
export async function rotateToken(
  ctx: Context,
  id: string,
  overlap: Overlap,
  by = BY_HOST,
): Promise<{ token: string; tokenId: string; old: ApiKeyRecord }> {
  return inTransaction(ctx.db, async (tx) => {
    const old = await expireToken(tx, id, overlapEnd(ctx, overlap))
    if (!old) throw cannotRotate(id, await findTokenRecord(tx, id))
    const { merchantId, scopes } = old
    const given = await limitsOfSuccessor(tx, by, old)
    await notifyOwner(ctx, tx, merchantId, 'token')
    const countsAs = old.countsAs ?? old.id
    return { ...(await addToken(ctx, tx, { merchantId, scopes, ...given, countsAs })), old }
  })
}

function cannotRotate(id: string, found: ApiKeyRecord | null): AppError {
  if (!found) return noSuchToken(`There is no token ${id}.`)
  const why = found.revokedAt
    ? 'is revoked'
    : `was replaced before, and expires ${found.expiresAt && moment(found.expiresAt)}`
  return new AppError('validation_failed', {
    reason: 'token_over',
    message: `The token ${id} ${why}.`,
    hint: 'Rotate the token that replaced it, or issue another.',
    next: [{ act: 'issue_token', merchantId: found.merchantId }],
  })
}

/** @throws AppError token_not_found */
export async function getToken(ctx: Context, id: string): Promise<ApiKeyRecord> {
  const found = await findTokenRecord(ctx.db, id)
  if (!found) throw noSuchToken(`There is no token ${id}.`)
  return found
}

const findToken = cached(async (ctx: Context, token: string) =>
  hasChecksum(token) ? findUsableToken(ctx.db, digestOf(token)) : null,
)

const NO_SCHEME =
  'Send the header "Authorization: Bearer <MERCHANT_API_TOKEN>": Bearer, a space, and the token.'

/**
 * Returns the token record for an Authorization header.
 * @throws AppError missing_token, invalid_token (malformed, unknown, expired, revoked, of the other world), insufficient_scope
 */
export async function authenticate(
  ctx: Context,
  authorization: string | undefined,
  scope: Scope,
): Promise<ApiKeyRecord> {
  if (!authorization) throw new AppError('missing_token')
  const token = /^Bearer[ \t]+([^ ]+)$/i.exec(authorization)?.[1]
  // Only texts of a token's length get into the cache.
  if (!token || !TOKEN.test(token)) throw new AppError('invalid_token', token ? {} : { hint: NO_SCHEME })
  const record = await findToken(ctx, token)
  if (!record) throw new AppError('invalid_token')
  const about = { merchantId: record.merchantId, tokenId: record.id }
  const now = ctx.clock.now()
  if (record.revokedAt || (record.expiresAt && record.expiresAt <= now))
    throw new AppError('invalid_token', { about: { ...about, state: tokenState(record, now) } })
  if (!record.scopes.includes(scope))
    throw new AppError('insufficient_scope', {
      about: { ...about, scope },
      hint: `This endpoint needs the scope ${scope}. Ask whoever runs your payment service for a token that has it.`,
    })
  return record
}

/** `replaced`: it was rotated, and still works until it expires. */
export function tokenState({ revokedAt, expiresAt }: ApiKeyRecord, now: Date) {
  if (revokedAt) return 'revoked'
  if (!expiresAt) return 'active'
  return expiresAt <= now ? 'ended' : 'replaced'
}

/**
 * Returns the tokens of the merchant, or of all merchants, including revoked ones, oldest first. The records do not contain the
 * tokens themselves.
 */
export async function listTokens(ctx: Context, merchantId?: string): Promise<ApiKeyRecord[]> {
  if (merchantId !== undefined) await getMerchant(ctx, merchantId)
  return listTokenRecords(ctx.db, merchantId ?? null)
}

/**
 * Revokes a token. Within a second every process rejects it. Again it changes nothing. `idOrToken`: its id, or a leaked token itself.
 * @throws AppError token_not_found; its message may repeat an id, but never a token
 */
export async function revokeToken(ctx: Context, idOrToken: string, by = BY_HOST): Promise<ApiKeyRecord> {
  const isToken = idOrToken.startsWith('ksk_')
  const revoked = isToken
    ? await revokeTokenText(ctx, ctx.db, idOrToken)
    : await revokeTokenRecord(ctx.db, idOrToken, ctx.clock.now())
  if (!revoked)
    throw noSuchToken(isToken ? 'This service never issued this token.' : `There is no token ${idOrToken}.`)
  await settleRefusals(ctx, ctx.db, revoked.id, { id: by.id, why: 'The token was revoked.' })
  return revoked
}

/** Returns null for a token that this service has not stored. */
export async function revokeTokenText(
  ctx: Context,
  db: Queryable,
  token: string,
): Promise<ApiKeyRecord | null> {
  const found = await findTokenByDigest(db, digestOf(token))
  return found && revokeTokenRecord(db, found.id, ctx.clock.now())
}

function noSuchToken(message: string): AppError {
  return new AppError('token_not_found', { message, next: [{ act: 'list_tokens' }] })
}
