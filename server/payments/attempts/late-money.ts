/**
 * Money of a payment that its merchant has cancelled. It is never the payment's: the status, the sums, receipts and events stay as they
 * are. A hold is released and never captured. Taken money is surplus in the ledger, and goes back by itself.
 * Rule: money that the service cannot return by itself is a case for a person, with its amount.
 */
import type { Context } from '../../context.ts'
import type { LookUpResult, Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import { statusOf } from '../derived-status.ts'
import { sumUnmatched } from '../entries/entry.ts'
import { findMismatch, seenOf } from '../entries/fit.ts'
import type { ReportedDetails } from '../entries/movements.ts'
import { entriesOfAttempt, missingEntries, recordMovements } from '../entries/record.ts'
import { decimalAmount } from '../money.ts'
import { hasMoney } from './attempt.ts'
import { requestReturn } from './duplicate-payment.ts'
import { warn } from './warning.ts'

type Found = Extract<LookUpResult, { kind: 'found' }>

/** Whether the answer is about money that has come after the merchant's cancel. */
export function isLateMoney(payment: AttemptedPayment, answer: LookUpResult): answer is Found {
  return payment.merchantCancelledAt !== null && answer.kind === 'found' && hasMoney(answer.snapshot)
}

/** Records what came, and asks for its return. Safe to repeat with each answer. `moved`: the payment has changed since it was asked about. */
export async function takeLateMoney(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  snapshot: Snapshot,
): Promise<AttemptedPayment | 'moved'> {
  const mismatch = findMismatch(payment, snapshot)
  if (mismatch) await warn(ctx, payment, `money came after the payment was cancelled: ${mismatch}`)
  if (await isMissing(ctx, payment, snapshot)) {
    const entered = await inTransaction(ctx.db, async (tx) => {
      const locked = await lockPayment(tx, payment.merchantId, payment.id, payment.attempt.number)
      if (locked?.version !== payment.version) return 'moved'
      await recordLateIn(ctx, tx, payment, snapshot)
      return null
    })
    if (entered === 'moved') return entered
  }
  const { currency } = payment
  const formatMinor = (minor: number) => `${decimalAmount(minor, currency)} ${currency}`
  const { dispute, disputeLostMinor = 0 } = snapshot
  if (dispute)
    await warn(
      ctx,
      payment,
      `${formatMinor(dispute.amountMinor)} that came after the payment was cancelled are disputed: answer at the provider, and return what is left`,
    )
  if (disputeLostMinor > 0)
    await warn(
      ctx,
      payment,
      `${formatMinor(disputeLostMinor)} that came after the payment was cancelled went back by a dispute`,
    )
  if (!mismatch) await requestReturn(ctx, account, payment, snapshot, (detail) => warn(ctx, payment, detail))
  return payment
}

/** The same within a transaction, and without asking for anything: the return was made. */
export async function recordLateIn(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  snapshot: Snapshot,
): Promise<void> {
  const details = await readDetails(payment, snapshot, tx)
  if (details)
    await recordMovements(tx, payment, { target: null, details, proof: 'answer', at: ctx.clock.now() })
}

async function isMissing(ctx: Context, payment: AttemptedPayment, snapshot: Snapshot): Promise<boolean> {
  const details = await readDetails(payment, snapshot, ctx.db)
  if (!details) return false
  const entries = await listEntries(ctx.db, payment)
  return missingEntries(entries, payment, { target: null, details }).length > 0
}

/**
 * A hold takes nothing, so it has no entry. Money that was taken and then voided has gone back, also if the provider no longer shows a
 * sum.
 */
async function readDetails(
  payment: AttemptedPayment,
  snapshot: Snapshot,
  db: Parameters<typeof listEntries>[0],
): Promise<ReportedDetails | null> {
  const entries = entriesOfAttempt(await listEntries(db, payment), payment.attempt.number)
  const { currency, returnedMinor } = seenOf(snapshot)
  const cameMinor = Math.max(snapshot.capturedMinor, sumUnmatched(entries, currency))
  if (cameMinor === 0) return null
  const isVoid = statusOf(snapshot) === 'reversed'
  return {
    transactionId: snapshot.providerTransactionId,
    outside: { currency, cameMinor, returnedMinor: isVoid ? cameMinor : returnedMinor },
  }
}
