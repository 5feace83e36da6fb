/** What a random history knows, and what its acts and scenes share. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { askOperation } from '../../testing/calls.ts'
import type { Bank } from '../../testing/model/bank.ts'
import { bankOf, type Deployment, type Seller } from '../../testing/model/deployment.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
/** Fewer rows are due in a history. A run that works on more makes its own rows due again. */
const SWEEP_ROWS_MAX = 200
/** Real time: a request that waits for another one is given up, as by a client that leaves. Any time is right. */
const PATIENCE_MS = 1_000

export type Known = { seller: Seller; id: string }
export type Counts = Record<'histories' | 'steps' | 'crashes', number>
export type History = {
  deployment: Deployment
  payments: Known[]
  keys: number
  /** What happened in all histories of a run. */
  counts: Counts
  /** The connections of the worker processes, by world. Theirs die apart from those of the web process. */
  worker: (ctx: Context) => Context
}
/** `at`: which payment, modulo their number. `size`: everything else that is chosen. */
export type Choice = { at: number; size: number }

/**
 * Moves the clock. Not while an order is being opened: a call ends long before its lease, and a jump would end the lease first.
 */
export async function advance({ deployment: { kassa, banks } }: History, minutes: number): Promise<void> {
  // Real time: it looks again until the fact is there.
  while ([...banks.values()].some(({ opening }) => opening > 0)) await sleep(5)
  kassa.clock.advance(minutes * MINUTE_MS)
}

export const chosen = ({ payments }: History, at: number) => payments[at % payments.length]

export async function patiently<T>(request: Promise<T>): Promise<T | null> {
  // Real time: a client that goes away at any moment.
  return Promise.race([request, sleep(PATIENCE_MS, null)])
}

export type Order = Attempt & { bank: Bank }

/** Returns the attempts of a payment with their banks. */
export async function ordersOf(history: History, { seller, id }: Known): Promise<Order[]> {
  const { ctx, shop } = seller
  const attempts = await listAttempts(ctx.db, { merchantId: shop.merchantId, id })
  return attempts.flatMap((attempt) => {
    const bank = bankOf(history.deployment, ctx, attempt.accountId)
    return bank ? [{ ...attempt, bank }] : []
  })
}

/** Two of three times the latest order, else any. */
export async function orderAt(history: History, { at, size }: Choice): Promise<Order | undefined> {
  const payment = chosen(history, at)
  const orders = payment ? await ordersOf(history, payment) : []
  return size % 3 === 0 ? orders[size % orders.length] : orders.at(-1)
}

export const bankAt = ({ deployment }: History, at: number) =>
  [...deployment.banks.values()][at % deployment.banks.size] as Bank

/** A merchant asks for an operation. */
export async function ask(
  history: History,
  { at, size }: Choice,
  what: 'refunds' | 'capture' | 'void',
): Promise<void> {
  const payment = chosen(history, at)
  if (!payment) return
  const { seller, id } = payment
  const amountMinor = (await findPaymentById(seller.ctx.db, id))?.amountMinor ?? 100
  const part = Math.max(1, Math.floor(amountMinor / (1 + (size % 4))))
  const body = what === 'void' ? { reason: 'r' } : { amountMinor: part, reason: 'r' }
  // Every fifth request uses the last key again.
  const key = `k-${size % 5 === 0 ? history.keys : ++history.keys}`
  await patiently(askOperation(history.deployment.kassa.url, seller.shop, id, what, { key, body }))
}

/** The order's new state at its bank once the whole amount is paid. */
export const full = (amountMinor: number) =>
  ({ order: 'completed', authorizedMinor: amountMinor, capturedMinor: amountMinor }) as const

export async function sweepAll(history: History): Promise<void> {
  const { ctx, live } = history.deployment.kassa
  const sweep = async (each: Context) => {
    for (const name of ['moneyOperations', 'statusSync', 'settledSync'] as const) {
      const rows = await SWEEPS[name](each).catch(() => 0)
      if (rows > SWEEP_ROWS_MAX) throw new Error(`one run of ${name} worked on ${rows} rows`)
    }
  }
  await Promise.all([ctx, live].map((each) => sweep(history.worker(each))))
}

export async function settle({ ledger, later }: Bank, isDone: boolean): Promise<void> {
  for (const act of later.splice(0)) await act()
  for (const { reference } of ledger.orders.values()) ledger.settle(reference, isDone)
}
