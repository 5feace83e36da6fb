/**
 * Prints fiscal receipts. One process at a time holds a register and prints what is due there, one receipt after the other. For
 * each receipt it stores `printing` with a sequence number, sends the receipt to the register, and stores the outcome.
 * Rule: once `printing` is stored, the receipt is not sent again until the register says that it printed nothing. If the register
 * cannot say so, an operator decides. After a crash at any line, the next run continues from the stored state.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import { newSharedId } from '../../id.ts'
import type { PrintResult, ReceiptOrder, RouteFiscal } from '../../providers/fiscal/driver.ts'
import { wasNothingSent } from '../../providers/http.ts'
import { inTransaction } from '../../storage/db.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { findPayment, lockPayment } from '../../storage/payments/payments.ts'
import {
  claimDueReceipt,
  findDueAccount,
  listReceipts,
  type ReceiptRecord,
  rescheduleReceipt,
} from '../../storage/payments/receipts.ts'
import {
  findSkipped,
  holdRegister,
  leaveRegister,
  nextSequence,
  returnSequences,
  skipSequences,
} from '../../storage/payments/registers.ts'
import { findSold } from '../attempts/sold-product.ts'
import { explainCallFailure, within } from '../provider-call.ts'
import { applyReceiptIn, type ReceiptChange } from '../receipt-change.ts'
import { countLostNumbers, latestRestore } from '../restored.ts'
import { type HeldRegister, lease, openCall, PRINT_TIMEOUT_MS } from './register-call.ts'
import { type Answer, verdictOnLookUp, verdictOnPrint, type Wait } from './verdict.ts'

/** A receipt whose account no longer has its register is checked again after this time. */
const WITHOUT_REGISTER_MS = 3_600_000
const RECEIPTS_PER_RUN_MAX = 500
/** A receipt may need several requests with a number of their own, and may be tried again. */
const REQUESTS_OF_RECEIPT = 4

type Work = { receipt: ReceiptRecord; payment: AttemptedPayment; fiscal: RouteFiscal; held: HeldRegister }

/**
 * Prints everything that is due at a register, or less after `stop` is aborted, unless another process holds it. Returns how many
 * receipts it worked on.
 */
export async function workOnRegister(ctx: Context, register: string, stop?: AbortSignal): Promise<number> {
  const held = { register, holder: newSharedId('wrk', ctx.clock.now()) }
  if (!(await holdRegister(ctx.db, held, lease(ctx)))) return 0
  try {
    const takesOnlyNext = await doesTakeOnlyNext(ctx, register)
    if (!takesOnlyNext) await skipLostNumbers(ctx, held)
    let count = 0
    const isStopping = () => stop?.aborted ?? false
    const workOnNext = async () => {
      const claim = { ...lease(ctx), waitsForUnclear: takesOnlyNext }
      const receipt = await claimDueReceipt(ctx.db, register, claim)
      return receipt !== null && workOnReceipt(ctx, held, receipt)
    }
    while (count < RECEIPTS_PER_RUN_MAX && !isStopping() && (await ctx.share.run(workOnNext, isStopping)))
      count++
    return count
  } finally {
    await leaveRegister(ctx.db, held)
  }
}

async function doesTakeOnlyNext(ctx: Context, register: string): Promise<boolean> {
  const accountId = await findDueAccount(ctx.db, register, ctx.clock.now())
  const account = accountId === null ? null : await findAccount(ctx, accountId)
  return account?.fiscal?.driver.takesOnlyNext === true
}

/** The numbers of the requests between a backup and the loss of the database are lost, and the register knows them. */
async function skipLostNumbers(ctx: Context, held: HeldRegister): Promise<void> {
  const restore = await latestRestore(ctx)
  if (!restore) return
  const { restoredAt, busiestReceipts } = restore
  const skippedAt = await findSkipped(ctx.db, held.register)
  if (skippedAt && skippedAt >= restoredAt) return
  const requests = (busiestReceipts[held.register] ?? 0) * REQUESTS_OF_RECEIPT
  await skipSequences(ctx.db, held, countLostNumbers(restore, requests), restoredAt)
}

/** Returns false when another process has taken over the register. */
async function workOnReceipt(ctx: Context, held: HeldRegister, receipt: ReceiptRecord): Promise<boolean> {
  const payment = await findPayment(ctx.db, receipt.merchantId, receipt.paymentId)
  if (!payment) throw new Error(`Bug! Receipt ${receipt.id} has no payment.`)
  const fiscal = (await findAccount(ctx, receipt.accountId))?.fiscal
  if (fiscal?.register !== receipt.register) {
    const dueAt = new Date(ctx.clock.now().getTime() + WITHOUT_REGISTER_MS)
    await rescheduleReceipt(ctx.db, receipt, {
      dueAt,
      why: `the account ${receipt.accountId} has no register ${receipt.register} now`,
    })
    return true
  }
  if (receipt.status === 'printing') {
    const work = { receipt, payment, fiscal, held }
    await returnNumbers(ctx, work)
    await applyVerdict(ctx, receipt, verdictOnLookUp(ctx, receipt, await lookUp(ctx, work)))
    return true
  }
  const printing = await storePrinting(ctx, held, receipt)
  if (printing === 'overtaken') return false
  if (!printing) return true
  const work = { receipt: printing, payment, fiscal, held }
  const result = await print(ctx, work)
  if (result.kind !== 'issued' && result.kind !== 'pending') await returnNumbers(ctx, work)
  await applyVerdict(ctx, printing, verdictOnPrint(ctx, printing, result, fiscal))
  return true
}

/**
 * The register may not have taken the receipt's numbers. One that takes only the next number would refuse all that follow them; if it has
 * taken them, it says that they are too low.
 */
async function returnNumbers(ctx: Context, { receipt, fiscal, held }: Work): Promise<void> {
  const { sequence, pendingSince } = receipt
  if (fiscal.driver.takesOnlyNext && sequence !== null && pendingSince === null)
    await returnSequences(ctx.db, held, sequence)
}

/**
 * Stores that the receipt is sent to the register now. Returns null when the receipt's status has changed meanwhile, and
 * `overtaken` when another process has taken over the register.
 */
async function storePrinting(
  ctx: Context,
  held: HeldRegister,
  receipt: ReceiptRecord,
): Promise<ReceiptRecord | null | 'overtaken'> {
  return inTransaction(ctx.db, async (tx) => {
    await lockPayment(tx, receipt.merchantId, receipt.paymentId)
    const { now: sentAt, leaseUntil: dueAt } = lease(ctx)
    const sequence = await nextSequence(tx, held, dueAt)
    if (sequence === null) return 'overtaken'
    return applyReceiptIn(ctx, tx, receipt, { to: 'printing', sequence, sentAt, dueAt })
  })
}

async function print(ctx: Context, work: Work): Promise<PrintResult> {
  const { receipt, payment, fiscal } = work
  const { driver } = fiscal
  const order = await orderOf(ctx, receipt, payment)
  const [sale] = receipt.kind === 'sale' ? [] : await listReceipts(ctx.db, payment.merchantId, payment.id)
  try {
    return await within(PRINT_TIMEOUT_MS, (signal) => {
      const call = callOf(ctx, work, signal)
      if (receipt.kind === 'sale') return driver.issueReceipt(call, order)
      return driver.issueRefundReceipt(call, { ...order, saleNumber: sale?.number ?? '' })
    })
  } catch (error) {
    return {
      kind: wasNothingSent(error) ? 'unavailable' : 'unknown',
      message: explainCallFailure(ctx, error, whichOf(work)),
    }
  }
}

async function lookUp(ctx: Context, work: Work): Promise<Answer> {
  const { lookUpReceipt } = work.fiscal.driver
  if (!lookUpReceipt) return { kind: 'unsupported' }
  const order = await orderOf(ctx, work.receipt, work.payment)
  try {
    return await within(PRINT_TIMEOUT_MS, (signal) => lookUpReceipt(callOf(ctx, work, signal), order))
  } catch (error) {
    return { kind: 'unavailable', message: explainCallFailure(ctx, error, whichOf(work)) }
  }
}

const callOf = (ctx: Context, { fiscal, payment, held }: Work, signal: AbortSignal) =>
  openCall(ctx, fiscal, { held, signal, about: payment.id })

const whichOf = ({ receipt, payment }: Work) => ({ account: receipt.accountId, about: payment.id })

async function orderOf(ctx: Context, receipt: ReceiptRecord, payment: Payment): Promise<ReceiptOrder> {
  const { id: reference, amountMinor, currency, sequence } = receipt
  const { description, metadata, productId, quantity } = payment
  const sold = await findSold(ctx, payment)
  const name = sold?.product.name ?? description ?? payment.merchantOrderId
  // A part of a price is not a number of pieces.
  const isWhole = amountMinor === payment.amountMinor
  const line = { productId, name, quantity: (isWhole && quantity) || 1, amountMinor }
  return { reference, sequence: sequence ?? 0, amountMinor, currency, description, lines: [line], metadata }
}

async function applyVerdict(
  ctx: Context,
  receipt: ReceiptRecord,
  verdict: ReceiptChange | Wait,
): Promise<void> {
  if (verdict.to === null) return rescheduleReceipt(ctx.db, receipt, verdict)
  const now = await inTransaction(ctx.db, (tx) => applyReceiptIn(ctx, tx, receipt, verdict))
  if (!now) return
  const level = now.status === 'issued' || now.status === 'waiting' ? 'info' : 'warn'
  const { id: receiptId, paymentId, kind, status, statusReason: why } = now
  ctx.log[level]({ receiptId, paymentId, kind, status, why }, 'fiscal receipt changed')
}
