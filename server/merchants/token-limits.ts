/**
 * How much money a token may return.
 * Rule: nobody gives a token more than they may return alone. A token that a second person has approved may return more than the
 * deployment's limit, but never more than the person who issued it.
 */
import type { Context } from '../context.ts'
import { CURRENCY_CODES } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { notifyOwner } from '../notices/notify.ts'
import { findUser, type RefundLimits, type ReturnLimits } from '../storage/access/users.ts'
import { listOperatorNames } from '../storage/audit/operators.ts'
import { inTransaction, type Queryable } from '../storage/db.ts'
import { type ApiKeyRecord, HOST, lockToken, updateTokenLimits } from '../storage/merchants/api-keys.ts'
import { settleRefundRefusal } from '../storage/returns/refund-refusals.ts'

export const MONEY_SCOPE = 'operations.write'

/** Who issues a token, or changes one. `id`: null for the host. `isApproved`: a second person has approved it. */
export type TokenIssuer = { id: string | null; isApproved?: boolean | undefined }

/** Undefined: as much as the person who issues the token. Null: no limit. */
export type LimitChanges = { [Name in keyof ReturnLimits]?: RefundLimits | null | undefined }

export const NO_LIMITS: ReturnLimits = { refundLimits: null, refundLimitsDay: null }

/** Returns the limit in this currency; null for no limit. */
export function limitIn(limits: RefundLimits | null, currency: string): number | null {
  return limits === null ? null : (limits[currency] ?? 0)
}

/** The limit of a day. Without one, the limit of one payment holds for the day too. */
export const dayLimits = ({ refundLimits, refundLimitsDay }: ReturnLimits) => refundLimitsDay ?? refundLimits

/** Returns the person's own limits. Nobody limits the host, or a person who uses the command line alone. */
export async function ownLimits(db: Queryable, id: string | null): Promise<ReturnLimits> {
  return (id === null ? null : await findUser(db, id)) ?? NO_LIMITS
}

/** Returns the limits that the person may give to a token. @throws AppError validation_failed for more than the person's own */
export async function limitsToGive(
  db: Queryable,
  doer: TokenIssuer,
  wish: LimitChanges,
): Promise<ReturnLimits> {
  const own = await ownLimits(db, doer.id)
  const isOpen = wish.refundLimits === undefined && wish.refundLimitsDay === undefined
  if (isOpen) return { refundLimits: own.refundLimits, refundLimitsDay: own.refundLimitsDay }
  const {
    refundLimits = own.refundLimits,
    refundLimitsDay = wish.refundLimits ? null : own.refundLimitsDay,
  } = wish
  const limits = { refundLimits, refundLimitsDay }
  if (isMore(refundLimits, own.refundLimits) || isMore(dayLimits(limits), dayLimits(own)))
    throw new AppError('validation_failed', {
      reason: 'limit_above_own',
      message:
        'The limits are above your own. Give lower limits, or ask somebody with higher limits to do it.',
    })
  return limits
}

/** Whether the limits allow more than the others in any currency. */
export function isMore(limits: RefundLimits | null, than: RefundLimits | null): boolean {
  const above = (currency: string) => {
    const [limit, other] = [limitIn(limits, currency), limitIn(than, currency)]
    return other !== null && (limit === null || limit > other)
  }
  return CURRENCY_CODES.some(above)
}

/**
 * Returns the limits of a token that replaces another one. The person who replaces a token sees the new one and could use it, so it
 * counts against that person's limits: nobody returns money in the sums of somebody else. If the same person issued the old token, an
 * approval by a second person is kept. A token from before the limits counts against nobody: its successor may return what this person
 * may return alone. The host is no person, and changes nothing.
 * @throws AppError validation_failed for a token that may return more than the person's own limits
 */
export async function limitsOfSuccessor(db: Queryable, { id }: Pick<TokenIssuer, 'id'>, old: ApiKeyRecord) {
  const { issuedBy, isApproved, refundLimits, refundLimitsDay } = old
  const own = old.scopes.includes(MONEY_SCOPE) ? await ownLimits(db, id) : NO_LIMITS
  if (issuedBy === null)
    return { refundLimits: own.refundLimits, refundLimitsDay: own.refundLimitsDay, ...answering({ id }) }
  if (isMore(refundLimits, own.refundLimits) || isMore(dayLimits(old), dayLimits(own)))
    throw new AppError('validation_failed', {
      reason: 'token_above_own',
      message:
        'The token may return more than you, so you cannot replace it. If it has leaked, revoke it now. Ask somebody with higher limits for another one.',
    })
  const isOfAnother = id !== null && id !== issuedBy
  return { refundLimits, refundLimitsDay, ...(isOfAnother ? answering({ id }) : { issuedBy, isApproved }) }
}

/** Whether a token with the new limits could return more than it can now. */
export const isRaised = (before: ReturnLimits, after: ReturnLimits): boolean =>
  isMore(after.refundLimits, before.refundLimits) || isMore(dayLimits(after), dayLimits(before))

type TokenChange = LimitChanges & {
  tokenId: string
  doer: TokenIssuer
  expect?: (before: ReturnLimits) => void
}

/**
 * Changes what a token may return. After a raise the token counts in the sums of the person who raised it. After a lowering it counts in
 * the same person's sums as before. `expect`: throws if the limits are not as the person saw them. Nobody changes them meanwhile.
 * @throws AppError token_not_found; validation_failed for a token that returns no money, or for more than the person's own limits
 */
export async function setTokenLimits(
  ctx: Context,
  { tokenId, doer, expect, ...wish }: TokenChange,
): Promise<{ token: ApiKeyRecord; before: ApiKeyRecord }> {
  return inTransaction(ctx.db, async (tx) => {
    const before = await lockToken(tx, tokenId)
    if (!before) throw noSuchToken(tokenId)
    expect?.(before)
    if (!before.scopes.includes(MONEY_SCOPE))
      throw new AppError('validation_failed', {
        reason: 'token_no_money',
        message: `The token ${tokenId} cannot return money, because it lacks the scope ${MONEY_SCOPE}. It needs no limit.`,
      })
    const merged = {
      refundLimits: wish.refundLimits === undefined ? before.refundLimits : wish.refundLimits,
      refundLimitsDay: wish.refundLimitsDay === undefined ? before.refundLimitsDay : wish.refundLimitsDay,
    }
    const isKept = !isRaised(before, merged) && before.issuedBy !== null
    const limits = isKept ? merged : await limitsToGive(tx, doer, merged)
    const { issuedBy, isApproved } = isKept ? before : answering(doer)
    const token = await updateTokenLimits(tx, tokenId, { ...limits, issuedBy, isApproved })
    if (!token) throw noSuchToken(tokenId)
    if (isRaised(before, limits)) {
      await notifyOwner(ctx, tx, token.merchantId, 'token_limit')
      await settleRefusals(ctx, tx, tokenId, { ...doer, why: 'The limit of the token was raised.' })
    }
    return { token, before }
  })
}

/** Raising the limit or revoking the token settles the case about refused calls. The next refused call opens a new case. */
export async function settleRefusals(
  ctx: Context,
  db: Queryable,
  tokenId: string,
  { id, why }: Pick<TokenIssuer, 'id'> & { why: string },
): Promise<void> {
  const name = id === null ? HOST : ((await listOperatorNames(db, [id])).get(id) ?? id)
  await settleRefundRefusal(db, tokenId, { at: ctx.clock.now(), by: name, why, calls: null })
}

export const answering = ({ id, isApproved = false }: TokenIssuer) => ({ issuedBy: id ?? HOST, isApproved })

function noSuchToken(tokenId: string): AppError {
  return new AppError('token_not_found', {
    message: `There is no token ${tokenId}.`,
    next: [{ act: 'list_tokens' }],
  })
}
