/**
 * The desk: every case that waits for a person.
 * Rule: a case is no row of its own. It is here as long as its payment, operation, receipt or account is in the state that makes it a
 * case. Only a warning has no such state, so a person settles it.
 */
import { type Context, systemClock } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { type CaseKind, type CaseRecord, countCases, listCases } from '../../storage/desk/cases.ts'
import { settlePaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { type RefundRefusal, settleRefundRefusal } from '../../storage/returns/refund-refusals.ts'
import { getPayment } from '../payment-timeline.ts'

export { CASE_KINDS, type CaseKind } from '../../storage/desk/cases.ts'

export type Case = CaseRecord & { ageSeconds: number }

/**
 * The oldest days first, and of one day the largest sums first. `next`: the `after` of the next page; null on the last page. A
 * page with fewer cases than its limit can have a next one.
 * @throws AppError not_found for an unknown merchant
 */
export async function listDesk(
  ctx: Context,
  given: {
    merchantId?: string | undefined
    kind?: CaseKind | undefined
    after?: string | undefined
    limit: number
  },
): Promise<{ cases: Case[]; next: string | null }> {
  const { merchantId = null, kind = null, after = '', limit } = given
  if (merchantId !== null) await getMerchant(ctx, merchantId)
  const about = { after, merchantId, kind, limit, now: systemClock.now() }
  const { rows, next } = await listCases(ctx.db, about)
  const now = ctx.clock.now().getTime()
  const cases = rows.map(({ position: _position, ...each }) => ({
    ...each,
    ageSeconds: Math.max(0, Math.round((now - each.since.getTime()) / 1000)),
  }))
  return { cases, next }
}

/** More cases of a kind than this are not counted. */
export const COUNTED_MAX = 100

/** How many cases of each kind wait. */
export async function countDesk(
  { db }: Context,
  merchantId: string | null,
): Promise<{ kind: CaseKind; count: number }[]> {
  return countCases(db, { merchantId, now: systemClock.now(), limit: COUNTED_MAX })
}

/**
 * A person has looked into the warnings of a payment. They stay with the payment, and leave the desk. A warning that comes later is
 * a case again. `until`: the time of the last warning that the person saw. Returns what the warnings said.
 * @throws AppError payment_not_found; not_found if the payment has no open warning
 */
export async function settleWarnings(
  ctx: Context,
  paymentId: string,
  { by, why, until = null }: { by: string; why: string; until?: Date | null | undefined },
): Promise<string[]> {
  await getPayment(ctx, paymentId)
  const settling = { at: ctx.clock.now(), by, why, until }
  const settled = await settlePaymentWarnings(ctx.db, paymentId, settling)
  if (settled.length > 0) return settled
  throw new AppError('not_found', { message: `The payment ${paymentId} has no open warning.` })
}

/**
 * A person has read that a limit has refused calls of the token. The next refused call is a case again.
 * @throws AppError not_found if there is no such case, or if more calls were refused than the person has seen
 */
export async function settleRefusal(
  ctx: Context,
  tokenId: string,
  { by, why, calls = null }: { by: string; why: string; calls?: number | null | undefined },
): Promise<RefundRefusal> {
  const settled = await settleRefundRefusal(ctx.db, tokenId, { at: ctx.clock.now(), by, why, calls })
  if (settled) return settled
  throw new AppError('not_found', { message: `No limit has refused a call of the token ${tokenId}.` })
}
