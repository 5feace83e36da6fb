/** An operator notes money of a payment that somebody has transferred back by hand, because no provider returns it. */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { type EntryRecord, listEntries } from '../../storage/payments/entries.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { listPaymentWarnings, settlePaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { findPaymentById, lockPayment } from '../../storage/payments/payments.ts'
import { sumReturned, sumSurplus } from '../entries/entry.ts'
import { entriesOfAttempt, recordMovements } from '../entries/record.ts'
import { decimalAmount } from '../money.ts'
import { type Decision, OPERATION_TABLE, refuseIfMoved } from '../operation.ts'
import { leftToRefund } from '../operations/money.ts'
import { countReturn, type Returner } from '../return-limits.ts'
import { applyStatusIn } from '../transition.ts'
import { isReferenceOf, referenceNote, refuseOtherSum, takeReference } from './bank-reference.ts'

/**
 * `reference`: the bank's, of the transfer to the buyer. `returner`: whose limits it counts against.
 */
export type Returned = { reference: string; amountMinor: number; returner?: Returner | undefined }

/** Whether only a person can return money of the payment: its provider neither moves nor reports any. */
export async function isReturnedByHand(ctx: Context, { attempt }: AttemptedPayment): Promise<boolean> {
  const driver = (await findAccount(ctx, attempt.accountId))?.driver
  return driver !== undefined && !driver.lookUp && !driver.refund
}

/**
 * Stores a transfer to the buyer. It first returns money beyond the payment, which does not change the payment. The rest of the transfer
 * is a refund. `noted` is false when the same transfer was noted before, however its reference was typed.
 * @throws AppError payment_not_found; payment_not_eligible for a payment whose provider returns money, whose money is not there, or
 * that has less left, and for a known reference with another amount
 */
export async function noteReturn(
  ctx: Context,
  paymentId: string,
  given: Returned & Decision,
): Promise<{ payment: AttemptedPayment; noted: boolean }> {
  const seen = await findPaymentById(ctx.db, paymentId)
  if (!seen) throw new AppError('payment_not_found', { message: `There is no payment ${paymentId}.` })
  if (!(await isReturnedByHand(ctx, seen)))
    throw new AppError('payment_not_eligible', {
      message: `The provider of ${seen.attempt.provider} returns the money itself. Refund the payment instead.`,
    })
  return inTransaction(ctx.db, async (tx) => {
    const payment = (await lockPayment(tx, seen.merchantId, paymentId)) as AttemptedPayment
    const { reference, amountMinor, version } = given
    if (await isReferenceOf(tx, payment.attempt, reference, 'out')) {
      await refuseOtherSum(tx, payment, given, 'out')
      return { payment, noted: false }
    }
    refuseIfMoved(payment, version ?? seen.version)
    const entries = entriesOfAttempt(await listEntries(tx, payment), payment.attempt.number)
    const surplus = sumSurplus(entries, payment.currency)
    refuseTooMuch(payment, amountMinor, surplus)
    const { returner = null } = given
    await countReturn(ctx, tx, returner, { payment, amountMinor, operationId: null })
    const ofSurplus = Math.min(surplus, amountMinor)
    await takeReference(ctx, tx, payment.attempt, reference, 'out')
    if (ofSurplus > 0)
      await returnSurplus(ctx, tx, payment, { entries, given, ofSurplus, isAll: ofSurplus === surplus })
    if (ofSurplus === amountMinor) return { payment, noted: true }
    return { payment: await refund(ctx, tx, payment, given, amountMinor - ofSurplus), noted: true }
  })
}

/** Whether this very transfer was noted before. */
export async function isNotedReturn(ctx: Context, paymentId: string, reference: string): Promise<boolean> {
  const payment = await findPaymentById(ctx.db, paymentId)
  return payment !== null && isReferenceOf(ctx.db, payment.attempt, reference, 'out')
}

const noteOf = ({ reference, why }: Returned & Decision) =>
  [referenceNote(reference), why].filter(Boolean).join(': ')

type Surplus = { entries: EntryRecord[]; given: Returned & Decision; ofSurplus: number; isAll: boolean }

/** Records it outside the payment's sums. The warning that the surplus has caused is settled when all of it is back. */
async function returnSurplus(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  { entries, given, ofSurplus, isAll }: Surplus,
): Promise<void> {
  const { currency, id, merchantId } = payment
  const returnedMinor = sumReturned(entries, currency) + ofSurplus
  const details = { outside: { currency, cameMinor: 0, returnedMinor }, overReturnId: given.reference }
  const at = ctx.clock.now()
  await recordMovements(tx, payment, { target: null, details, proof: `operator ${given.actor}`, at })
  if (!isAll) return
  const open = (await listPaymentWarnings(tx, merchantId, id)).filter(({ settledAt }) => settledAt === null)
  const cameAt = entries
    .filter(({ kind }) => kind === 'unmatched')
    .map(({ createdAt }) => createdAt.getTime())
  // Warnings are settled together, so a person looks if one of them is about something else.
  if (!open.every(({ createdAt }) => cameAt.includes(createdAt.getTime()))) return
  await settlePaymentWarnings(tx, id, { at, by: given.actor, why: noteOf(given), until: null })
}

async function refund(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  given: Returned & Decision,
  amountMinor: number,
): Promise<AttemptedPayment> {
  const { actor, reference } = given
  const { to, money } = OPERATION_TABLE.refund.effect(payment, amountMinor)
  const named = { refunds: [{ id: reference, amountMinor, state: 'done' as const }] }
  const change = { to, money, cause: 'operator' as const, actor, detail: noteOf(given), named }
  const applied = await applyStatusIn(ctx, tx, payment, change)
  if (applied.outcome === 'changed') return applied.payment
  throw new Error(`Bug! The return of ${payment.id} was ${applied.outcome}.`)
}

/** @throws AppError payment_not_eligible */
function refuseTooMuch(payment: AttemptedPayment, amountMinor: number, surplus: number): void {
  const { id, status, currency } = payment
  const left = surplus + (OPERATION_TABLE.refund.from.includes(status) ? leftToRefund(payment) : 0)
  if (amountMinor > 0 && amountMinor <= left) return
  throw new AppError('payment_not_eligible', {
    message: `The payment ${id} is ${status}, and ${decimalAmount(left, currency)} ${currency} of it can be returned. Nothing was stored.`,
  })
}
