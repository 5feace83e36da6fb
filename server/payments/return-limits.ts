/**
 * How much money a person or a token may give back: of one payment, and in a day.
 * Rule: each way in which somebody returns money counts here, in the transaction that stores the return. The sums of the day are its
 * lock. What a person returns by a token counts in the person's sum too.
 */

import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import { TIME_ZONE } from '../contract/time-zone.ts'
import { AppError } from '../errors.ts'
import { dayLimits, limitIn } from '../merchants/token-limits.ts'
import { translate } from '../messages/translate.ts'
import type { Queryable, Tx } from '../storage/db.ts'
import { type ApiKeyRecord, HOST } from '../storage/merchants/api-keys.ts'
import { type EntryRecord, listEntries } from '../storage/payments/entries.ts'
import type { OperationRecord } from '../storage/payments/operations.ts'
import type { Payment } from '../storage/payments/payment.ts'
import { noteRefundRefusal } from '../storage/returns/refund-refusals.ts'
import {
  countReturned,
  type ReturnedSum,
  type ReturnFacts,
  type ReturnOf,
  readReturned,
} from '../storage/returns/returned-sums.ts'
import { totalOfKind } from './entries/entry.ts'
import { decimalAmount } from './money.ts'
import { movedMeanwhile } from './operation.ts'

/**
 * `id`: the person who returns, or who answers for the token; null for the host. `isAlone`: no second person has approved it.
 * `countsAs`: the token in whose sum of the day this one counts; itself if it is absent.
 */
export type Returner = { id: string | null; tokenId: string | null; isAlone: boolean; countsAs?: string }

/** Returns who returns money by the token. Null for a token of a version before the limits: nothing limits it. */
export function returnerOf({ id, issuedBy, isApproved, countsAs }: ApiKeyRecord): Returner | null {
  if (issuedBy === null) return null
  const person = issuedBy === HOST ? null : issuedBy
  return { id: person, tokenId: id, isAlone: !isApproved, countsAs: countsAs ?? id }
}

/** `own`: the limit of the person or the token. `alone`: the one from which a second person is needed. */
export type Bound = { of: 'own' | 'alone'; span: 'payment' | 'day'; restMinor: number }

type PaymentToReturn = Pick<Payment, 'merchantId' | 'currency'> & { beforeMinor: number }

/**
 * The one rule about limits. `beforeMinor`: what has gone back of the payment so far. `sums`: without what is asked for now. Returns
 * every limit with what is left of it.
 */
export function boundsOf(
  { id, tokenId, isAlone, countsAs }: Returner,
  { currency, beforeMinor }: Pick<PaymentToReturn, 'currency' | 'beforeMinor'>,
  { person, token, approvalMinor, sums }: ReturnFacts,
): Bound[] {
  const sumOf = (who: string): ReturnedSum => sums[who] ?? { amountMinor: 0, aloneMinor: 0 }
  const shared = sumOf(id ?? HOST)
  const tokenDay = token && dayLimits(token)
  // A removed person has no limits. The limit that the person gave to the token then applies to all tokens of that person.
  const personDay = person?.isRemoved ? tokenDay : person && dayLimits(person)
  const bound = (of: Bound['of'], span: Bound['span'], limitMinor: number | null, spentMinor: number) =>
    limitMinor === null ? [] : [{ of, span, restMinor: Math.max(0, limitMinor - spentMinor) }]
  const limit = (limits: Parameters<typeof limitIn>[0] | undefined) => limitIn(limits ?? null, currency)
  return [
    ...bound('own', 'payment', limit(person?.refundLimits), beforeMinor),
    ...bound('own', 'payment', limit(token?.refundLimits), beforeMinor),
    ...bound('own', 'day', limit(personDay), shared.amountMinor),
    ...(tokenId === null ? [] : bound('own', 'day', limit(tokenDay), sumOf(countsAs ?? tokenId).amountMinor)),
    ...(isAlone ? bound('alone', 'payment', approvalMinor, beforeMinor) : []),
    ...(isAlone ? bound('alone', 'day', approvalMinor, shared.aloneMinor) : []),
  ]
}

/** Returns the limit of this kind that leaves least; null without a limit. */
export function tightest(bounds: readonly Bound[], of?: Bound['of']): Bound | null {
  const kept = bounds.filter((each) => of === undefined || each.of === of)
  return kept.reduce<Bound | null>(
    (smallest, each) => (smallest && smallest.restMinor <= each.restMinor ? smallest : each),
    null,
  )
}

const returnerText = ({ id, tokenId, countsAs }: Returner) => [
  id ?? HOST,
  ...(tokenId === null ? [] : [countsAs ?? tokenId]),
]

const returnIn = (
  ctx: Context,
  returner: Returner,
  { merchantId, currency }: Pick<PaymentToReturn, 'merchantId' | 'currency'>,
): ReturnOf => ({
  merchantId,
  currency,
  personId: returner.id,
  tokenId: returner.tokenId,
  who: returnerText(returner),
  at: ctx.clock.now(),
  timeZone: TIME_ZONE,
})

/** Returns the current limits, to be shown before a request. */
export async function readBounds(
  ctx: Context,
  returner: Returner,
  payment: PaymentToReturn,
): Promise<Bound[]> {
  return boundsOf(returner, payment, await readReturned(ctx.db, returnIn(ctx, returner, payment)))
}

type Spent = Pick<
  Payment,
  'id' | 'merchantId' | 'status' | 'version' | 'currency' | 'refundedMinor' | 'refundReservedMinor'
>

/** `amountMinor`: what goes back now. `operationId`: null for what no provider carries out. */
export type Return = { payment: Spent; amountMinor: number; operationId: string | null }

/**
 * Counts what goes back, under the payment's lock.
 * @throws AppError refund_limit_reached above the limit of the person or the token; payment_not_eligible if a second person is needed
 *   by now
 */
export async function countReturn(
  ctx: Context,
  tx: Tx,
  returner: Returner | null,
  given: Return,
): Promise<void> {
  const { payment, amountMinor, operationId } = given
  if (returner === null || amountMinor <= 0) return
  const beforeMinor = await returnedBefore(tx, returner, payment)
  const aloneMinor = returner.isAlone ? amountMinor : 0
  const counted = await countReturned(tx, returnIn(ctx, returner, payment), {
    amountMinor,
    aloneMinor,
    operationId,
  })
  const before = Object.entries(counted.sums).map(([who, sum]): [string, ReturnedSum] => [
    who,
    { amountMinor: sum.amountMinor - amountMinor, aloneMinor: sum.aloneMinor - aloneMinor },
  ])
  const bounds = boundsOf(
    returner,
    { ...payment, beforeMinor },
    { ...counted, sums: Object.fromEntries(before) },
  )
  const exceeded = tightest(bounds.filter(({ restMinor }) => restMinor < amountMinor))
  if (!exceeded) return
  if (returner.tokenId === null && exceeded.of === 'alone') throw movedMeanwhile(payment)
  throw limitReached(returner, exceeded, payment.currency)
}

/**
 * In minor units: what has gone back to the buyer, and what is about to. What came too much and went back counts as well. Otherwise
 * one person could send any sum in small parts.
 */
export function returnedOf(
  {
    currency,
    refundedMinor,
    refundReservedMinor,
  }: Pick<Payment, 'currency' | 'refundedMinor' | 'refundReservedMinor'>,
  entries: readonly Pick<EntryRecord, 'kind' | 'amountMinor' | 'currency'>[],
): number {
  const own = entries.filter((entry) => entry.currency === currency)
  return refundedMinor + refundReservedMinor + totalOfKind(own, 'over_returned')
}

/** What came too much and went back counts for a person. The service returns such money by itself, and that counts for no token. */
async function returnedBefore(tx: Queryable, { tokenId }: Returner, payment: Spent): Promise<number> {
  if (tokenId !== null) return payment.refundedMinor + payment.refundReservedMinor
  return returnedOf(payment, await listEntries(tx, payment))
}

/** The error for a request of more than is left. */
export function limitReached({ tokenId }: Returner, { span, restMinor }: Bound, currency: string): AppError {
  const rest = `${decimalAmount(restMinor, currency as CurrencyCode)} ${currency}`
  const left = translate('en', 'errors.refundLimit.left', { rest, span })
  if (tokenId === null)
    return new AppError('refund_limit_reached', {
      message: translate('en', 'errors.refundLimit.ofPerson', { left }),
      hint: translate('en', 'errors.refundLimit.ofPersonHint'),
      about: { amount: rest },
    })
  return new AppError('refund_limit_reached', {
    hint: translate('en', 'errors.refundLimit.ofToken', { left, span }),
    about: { amount: rest },
  })
}

/** A token that reaches its limit is one case on the desk, however many calls are refused. */
export async function noteRefusal(
  tx: Tx,
  returner: Returner | null,
  operation: OperationRecord,
): Promise<void> {
  const { merchantId, currency, amountMinor, paymentId, updatedAt: at } = operation
  if (returner?.tokenId == null || currency === null || paymentId === null) return
  const { tokenId } = returner
  await noteRefundRefusal(tx, { merchantId, tokenId, currency, paymentId, amountMinor: amountMinor ?? 0 }, at)
}
