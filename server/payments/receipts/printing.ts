/**
 * Printing receipts. Whoever holds a register works off what is due there, one receipt at a time: note that it will be told
 * now and under which number, tell it, note what came of it.
 * Law: after the note there is no second telling until the register itself says that nothing was printed. Where it cannot say,
 * a person decides. A crash at any line leaves a receipt that the next turn goes on with.
 */
import type { Context } from '../../context.ts'
import { newId } from '../../id.ts'
import type {
  FiscalCall,
  PrintResult,
  ReceiptLookUp,
  ReceiptOrder,
  RouteFiscal,
} from '../../providers/fiscal/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import { findPayment, lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import {
  claimDueReceipt,
  listReceipts,
  type ReceiptRecord,
  rescheduleReceipt,
} from '../../storage/payments/receipts.ts'
import { holdRegister, leaveRegister, nextSequence } from '../../storage/payments/registers.ts'
import { within } from '../provider-call.ts'
import { applyReceiptIn, type ReceiptChange } from '../receipt-change.ts'

/** Longer than a print may take: whoever is at a register is not overtaken while it answers. */
export const REGISTER_LEASE_MS = 60_000
const PRINT_TIMEOUT_MS = 20_000
/** A register that says that it has not printed may be in the middle of it: for this long it is asked again. */
export const SETTLE_MS = 30_000
/** Between one try or question and the next; after the last it is over, or a person's. */
export const RETRY_WAITS_MS = [5, 30, 120, 600, 3_600, 21_600, 86_400].map((seconds) => seconds * 1_000)
/** A receipt whose route has no register any more is looked at again after this long. */
const WITHOUT_REGISTER_MS = 3_600_000
const RECEIPTS_A_TURN_MAX = 500

type At = { register: string; holder: string }
type Work = { receipt: ReceiptRecord; payment: PaymentRecord; fiscal: RouteFiscal }

/** One turn at a register: everything that is due there, unless somebody else is at it. Answers how many receipts that were. */
export async function workOnRegister(ctx: Context, register: string): Promise<number> {
  const at = { register, holder: newId(ctx.world, 'rcp', ctx.clock.now()) }
  if (!(await holdRegister(ctx.db, at, lease(ctx)))) return 0
  try {
    let taken = 0
    for (; taken < RECEIPTS_A_TURN_MAX; taken++) {
      const receipt = await claimDueReceipt(ctx.db, register, lease(ctx))
      if (!receipt || !(await workOn(ctx, at, receipt))) break
    }
    return taken
  } finally {
    await leaveRegister(ctx.db, at)
  }
}

function lease(ctx: Context): { now: Date; leaseUntil: Date } {
  const now = ctx.clock.now()
  return { now, leaseUntil: new Date(now.getTime() + REGISTER_LEASE_MS) }
}

/** Answers false when somebody else has taken the register over. */
async function workOn(ctx: Context, at: At, receipt: ReceiptRecord): Promise<boolean> {
  const payment = await findPayment(ctx.db, receipt.merchantId, receipt.paymentId)
  if (!payment) throw new Error(`Bug! Receipt ${receipt.id} is of no payment.`)
  const { fiscal } = ctx.routes[payment.provider]
  if (fiscal?.register !== receipt.register) {
    const dueAt = new Date(ctx.clock.now().getTime() + WITHOUT_REGISTER_MS)
    await rescheduleReceipt(ctx.db, receipt, {
      dueAt,
      why: `${payment.provider} has no register ${receipt.register} now`,
    })
    return true
  }
  if (receipt.status === 'printing') {
    const work = { receipt, payment, fiscal }
    await conclude(ctx, receipt, verdictOnLookUp(ctx, receipt, await lookUp(ctx, work)))
    return true
  }
  const told = await note(ctx, at, receipt)
  if (told === 'overtaken') return false
  if (!told) return true
  const result = await print(ctx, { receipt: told, payment, fiscal })
  await conclude(ctx, told, verdictOnPrint(ctx, told, result, fiscal))
  return true
}

/** Notes that the register will be told now. Null: the receipt has moved. */
async function note(
  ctx: Context,
  at: At,
  receipt: ReceiptRecord,
): Promise<ReceiptRecord | null | 'overtaken'> {
  return inTransaction(ctx.db, async (tx) => {
    await lockPayment(tx, receipt.merchantId, receipt.paymentId)
    const { now: toldAt, leaseUntil: dueAt } = lease(ctx)
    const sequence = await nextSequence(tx, at, dueAt)
    if (sequence === null) return 'overtaken'
    return applyReceiptIn(ctx, tx, receipt, { to: 'printing', sequence, toldAt, dueAt })
  })
}

async function print(ctx: Context, { receipt, payment, fiscal }: Work): Promise<PrintResult> {
  const { driver } = fiscal
  const [call, order] = [callOf(ctx, fiscal), orderOf(receipt, payment)]
  try {
    if (receipt.kind === 'sale') return await within(PRINT_TIMEOUT_MS, driver.issueReceipt(call, order))
    const [sale] = await listReceipts(ctx.db, payment.merchantId, payment.id)
    const refund = { ...order, saleNumber: sale?.number ?? '' }
    return await within(PRINT_TIMEOUT_MS, driver.issueRefundReceipt(call, refund))
  } catch (error) {
    return { kind: 'unknown', message: String(error) }
  }
}

type Answer = ReceiptLookUp | { kind: 'mute' }

async function lookUp(ctx: Context, { receipt, payment, fiscal }: Work): Promise<Answer> {
  const { driver } = fiscal
  if (!driver.lookUpReceipt) return { kind: 'mute' }
  try {
    const asked = driver.lookUpReceipt(callOf(ctx, fiscal), orderOf(receipt, payment))
    return await within(PRINT_TIMEOUT_MS, asked)
  } catch (error) {
    return { kind: 'unavailable', message: String(error) }
  }
}

function callOf(ctx: Context, { settings }: RouteFiscal): FiscalCall {
  return { now: () => ctx.clock.now(), settings, register: ctx.register }
}

function orderOf(receipt: ReceiptRecord, { description, metadata }: PaymentRecord): ReceiptOrder {
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
      return again(ctx, receipt, result.message)
    case 'unknown':
      if (!driver.lookUpReceipt) return MUTE
      return {
        to: null,
        dueAt: later(ctx, RETRY_WAITS_MS[0] ?? 0),
        why: `may have been printed: ${result.message}`,
      }
  }
}

function verdictOnLookUp(ctx: Context, receipt: ReceiptRecord, answer: Answer): ReceiptChange | Wait {
  switch (answer.kind) {
    case 'issued':
      return { to: 'issued', number: answer.number, url: answer.url ?? null, dueAt: null }
    case 'mute':
      return MUTE
    case 'not_found': {
      const settledAt = new Date((receipt.toldAt?.getTime() ?? 0) + SETTLE_MS)
      if (ctx.clock.now() < settledAt) return { to: null, dueAt: settledAt, why: 'not printed yet' }
      return again(ctx, receipt, 'the register has not printed it')
    }
    case 'unavailable': {
      const waitMs = RETRY_WAITS_MS[receipt.attempts - 1]
      if (waitMs === undefined)
        return { to: 'unclear', detail: `it may have been printed: ${answer.message}`, dueAt: null }
      return { to: null, dueAt: later(ctx, waitMs), why: answer.message }
    }
  }
}

/** Nothing is decided; it is looked at again. */
type Wait = { to: null; dueAt: Date; why: string }

const MUTE = {
  to: 'unclear',
  detail: 'it may have been printed, and this register cannot be asked',
  dueAt: null,
} as const satisfies ReceiptChange

/** Nothing was printed: it is tried again, so many times. */
function again(ctx: Context, { attempts }: ReceiptRecord, why: string): ReceiptChange {
  const waitMs = RETRY_WAITS_MS[attempts - 1]
  if (waitMs === undefined) return { to: 'failed', detail: `given up: ${why}`, dueAt: null }
  return { to: 'waiting', detail: why, dueAt: later(ctx, waitMs) }
}

function later(ctx: Context, ms: number): Date {
  return new Date(ctx.clock.now().getTime() + ms)
}

async function conclude(ctx: Context, receipt: ReceiptRecord, verdict: ReceiptChange | Wait): Promise<void> {
  if (verdict.to === null) return rescheduleReceipt(ctx.db, receipt, verdict)
  const now = await inTransaction(ctx.db, (tx) => applyReceiptIn(ctx, tx, receipt, verdict))
  if (!now) return
  const level = now.status === 'issued' || now.status === 'waiting' ? 'info' : 'warn'
  const { id: receiptId, paymentId, kind, status, statusReason: why } = now
  ctx.log[level]({ receiptId, paymentId, kind, status, why }, 'fiscal receipt')
}
