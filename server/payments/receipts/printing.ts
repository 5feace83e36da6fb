/**
 * Prints fiscal receipts. One process at a time holds a register and prints what is due there, one receipt after the other. For
 * each receipt it stores `printing` with a sequence number, sends the receipt to the register, and stores the outcome.
 * Rule: once `printing` is stored, the receipt is not sent again until the register says that it printed nothing. If the register
 * cannot say so, an operator decides. After a crash at any line, the next run continues from the stored state.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import { newSharedId } from '../../id.ts'
import type {
  FiscalCall,
  PrintResult,
  ReceiptLookUp,
  ReceiptOrder,
  RouteFiscal,
} from '../../providers/fiscal/driver.ts'
import { wasNothingSent } from '../../providers/http.ts'
import { inTransaction } from '../../storage/db.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { findPayment, lockPayment } from '../../storage/payments/payments.ts'
import {
  claimDueReceipt,
  listReceipts,
  type ReceiptRecord,
  rescheduleReceipt,
} from '../../storage/payments/receipts.ts'
import { holdRegister, leaveRegister, nextSequence } from '../../storage/payments/registers.ts'
import { explainCallFailure, within } from '../provider-call.ts'
import { applyReceiptIn, type ReceiptChange } from '../receipt-change.ts'

/** The lease is longer than a print may take, so no other process takes the register while it is answering. */
const REGISTER_LEASE_MS = 60_000
const PRINT_TIMEOUT_MS = 20_000
/** A register that says "not printed" may still be printing. For this long after sending, that answer is not final. */
export const SETTLE_MS = 30_000
/** The waits between tries and between questions. After the last one the receipt fails or becomes unclear. */
export const RETRY_WAITS_MS = [5, 30, 120, 600, 3_600, 21_600, 86_400].map((seconds) => seconds * 1_000)
/** A receipt whose account no longer has its register is checked again after this time. */
const WITHOUT_REGISTER_MS = 3_600_000
const RECEIPTS_PER_RUN_MAX = 500

type HeldRegister = { register: string; holder: string }
type Work = { receipt: ReceiptRecord; payment: AttemptedPayment; fiscal: RouteFiscal }

/**
 * Prints everything that is due at a register, or less after `stop` is aborted, unless another process holds it. Returns how many
 * receipts it worked on.
 */
export async function workOnRegister(ctx: Context, register: string, stop?: AbortSignal): Promise<number> {
  const held = { register, holder: newSharedId('wrk', ctx.clock.now()) }
  if (!(await holdRegister(ctx.db, held, lease(ctx)))) return 0
  try {
    let count = 0
    const isStopping = () => stop?.aborted ?? false
    const workOnNext = async () => {
      const receipt = await claimDueReceipt(ctx.db, register, lease(ctx))
      return receipt !== null && workOnReceipt(ctx, held, receipt)
    }
    while (count < RECEIPTS_PER_RUN_MAX && !isStopping() && (await ctx.share.run(workOnNext, isStopping)))
      count++
    return count
  } finally {
    await leaveRegister(ctx.db, held)
  }
}

function lease(ctx: Context): { now: Date; leaseUntil: Date } {
  const now = ctx.clock.now()
  return { now, leaseUntil: new Date(now.getTime() + REGISTER_LEASE_MS) }
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
    const work = { receipt, payment, fiscal }
    await applyVerdict(ctx, receipt, verdictOnLookUp(ctx, receipt, await lookUp(ctx, work)))
    return true
  }
  const printing = await storePrinting(ctx, held, receipt)
  if (printing === 'overtaken') return false
  if (!printing) return true
  const result = await print(ctx, { receipt: printing, payment, fiscal })
  await applyVerdict(ctx, printing, verdictOnPrint(ctx, printing, result, fiscal))
  return true
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
  const order = orderOf(receipt, payment)
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

/** `unsupported`: this register's driver cannot look up receipts. */
type Answer = ReceiptLookUp | { kind: 'unsupported' }

async function lookUp(ctx: Context, work: Work): Promise<Answer> {
  const { lookUpReceipt } = work.fiscal.driver
  if (!lookUpReceipt) return { kind: 'unsupported' }
  const order = orderOf(work.receipt, work.payment)
  try {
    return await within(PRINT_TIMEOUT_MS, (signal) => lookUpReceipt(callOf(ctx, work, signal), order))
  } catch (error) {
    return { kind: 'unavailable', message: explainCallFailure(ctx, error, whichOf(work)) }
  }
}

/** Requests to a register are logged with the payment, and have a breaker of their own. */
function callOf(ctx: Context, { fiscal, payment }: Work, signal: AbortSignal): FiscalCall {
  const { driverName, driver, register } = fiscal
  const settings = { ...ctx.fiscalDefaults(driverName, register), ...fiscal.settings }
  const secrets = (driver.secrets ?? [])
    .map((name) => settings[name])
    .filter((each) => typeof each === 'string')
  const account = { id: `register ${register}`, addresses: driver.addresses?.(settings) ?? [], secrets }
  const http = ctx.providers.open(account, signal, payment.id)
  return { now: () => ctx.clock.now(), settings, name: register, http }
}

const whichOf = ({ receipt, payment }: Work) => ({ account: receipt.accountId, about: payment.id })

function orderOf(receipt: ReceiptRecord, { description, metadata }: Payment): ReceiptOrder {
  const { id: reference, amountMinor, currency, sequence } = receipt
  return { reference, sequence: sequence ?? 0, amountMinor, currency, description, metadata }
}

function verdictOnPrint(
  ctx: Context,
  receipt: ReceiptRecord,
  result: PrintResult,
  { driver }: RouteFiscal,
): ReceiptChange | Wait {
  switch (result.kind) {
    case 'issued':
      return { to: 'issued', number: result.number, url: result.url ?? null, dueAt: null }
    case 'refused':
      return { to: 'failed', detail: result.message, dueAt: null }
    case 'unavailable':
      return printAgain(ctx, receipt, result.message)
    case 'unknown':
      if (!driver.lookUpReceipt) return UNSUPPORTED
      return {
        to: null,
        dueAt: later(ctx, RETRY_WAITS_MS[0] ?? 0),
        why: `it may have been printed: ${result.message}`,
      }
  }
}

function verdictOnLookUp(ctx: Context, receipt: ReceiptRecord, answer: Answer): ReceiptChange | Wait {
  switch (answer.kind) {
    case 'issued':
      return { to: 'issued', number: answer.number, url: answer.url ?? null, dueAt: null }
    case 'unsupported':
      return UNSUPPORTED
    case 'not_found': {
      const settledAt = new Date((receipt.sentAt?.getTime() ?? 0) + SETTLE_MS)
      if (ctx.clock.now() < settledAt) return { to: null, dueAt: settledAt, why: 'not printed yet' }
      return printAgain(ctx, receipt, 'the register has not printed it')
    }
    case 'unavailable': {
      const waitMs = RETRY_WAITS_MS[receipt.attempts - 1]
      if (waitMs === undefined)
        return { to: 'unclear', detail: `it may have been printed: ${answer.message}`, dueAt: null }
      return { to: null, dueAt: later(ctx, waitMs), why: answer.message }
    }
  }
}

/** The receipt's status stays, and the register is asked again at `dueAt`. */
type Wait = { to: null; dueAt: Date; why: string }

const UNSUPPORTED = {
  to: 'unclear',
  detail: 'it may have been printed, and this register cannot be asked',
  dueAt: null,
} as const satisfies ReceiptChange

/** Nothing was printed, so the receipt is printed again later. After the last wait it fails. */
function printAgain(ctx: Context, { attempts }: ReceiptRecord, why: string): ReceiptChange {
  const waitMs = RETRY_WAITS_MS[attempts - 1]
  if (waitMs === undefined)
    return { to: 'failed', detail: `given up after the last retry: ${why}`, dueAt: null }
  return { to: 'waiting', detail: why, dueAt: later(ctx, waitMs) }
}

function later(ctx: Context, ms: number): Date {
  return new Date(ctx.clock.now().getTime() + ms)
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
