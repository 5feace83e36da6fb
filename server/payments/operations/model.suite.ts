/**
 * Random histories of payments. They are created, paid, captured, voided and refunded, with callbacks (repeated, late, in any
 * order), lost answers, processes that die at any statement, and clocks that jump. After every step the rules that must always
 * hold are checked in the database. At the end our amounts are compared with the bank's.
 */
import fc from 'fast-check'
import { referenceOf } from '../../id.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { askOperation, call, createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop } from '../../testing/harness.ts'
import { type Bend, type Ledger, openLedger } from '../../testing/ledger-bank.ts'
import { findFaults } from '../../testing/ledger-faults.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const BENDS: Bend[] = ['lose', 'drop', 'refuse', 'take_on', 'lie', 'wrong']
const MINUTE_MS = 60_000
const STEPS_MAX = 18

type History = {
  kassa: Kassa
  shop: Shop
  ledger: Ledger
  payments: { id: string; reference: string }[]
  keys: number
}
/**
 * `at`: which payment, modulo their number. `crash`: the process dies after this many statements; null: it does not die.
 */
type Step = { kind: keyof typeof STEPS; at: number; size: number; crash: number | null }

const chosen = (history: History, at: number) => history.payments[at % history.payments.length]
const amountOf = (history: History, reference: string) =>
  history.ledger.orders.get(reference)?.amountMinor ?? 0

async function ask(
  history: History,
  { at, size }: Step,
  what: 'refunds' | 'capture' | 'void',
): Promise<void> {
  const payment = chosen(history, at)
  if (!payment) return
  const part = Math.max(1, Math.floor(amountOf(history, payment.reference) / (1 + (size % 4))))
  const body = what === 'void' ? { reason: 'r' } : { amountMinor: part, reason: 'r' }
  // Every fifth request uses the last key again.
  const key = `k-${size % 5 === 0 ? history.keys : ++history.keys}`
  await askOperation(history.kassa.url, history.shop, payment.id, what, { key, body })
}

async function sweepAll({ kassa }: History): Promise<void> {
  for (const sweep of Object.values(SWEEPS)) await sweep(kassa.ctx).catch(() => {})
}

/** Everything that can happen in a step. */
const STEPS = {
  async create(history: History, { size }: Step) {
    const order = `history-${++history.keys}`
    const body = sessionRequest({ merchantOrderId: order, amountMinor: 100 + size })
    const answer = await createSession(history.kassa.url, history.shop, { key: order, body })
    if (answer.body.id) history.payments.push({ id: answer.body.id, reference: referenceOf(answer.body.id) })
  },
  async buy(history: History, { at, size }: Step) {
    const payment = chosen(history, at)
    const order = payment && history.ledger.orders.get(payment.reference)
    if (order?.status !== 'pending_payment') return
    const { amountMinor } = order
    const outcomes = [
      { status: 'paid', authorizedMinor: amountMinor, capturedMinor: amountMinor },
      { status: 'authorized', authorizedMinor: amountMinor },
      { status: 'failed' },
      { status: 'cancelled' },
      // The bank takes or holds less than it was asked for.
      { status: 'paid', authorizedMinor: amountMinor - 1, capturedMinor: amountMinor - 1 },
      { status: 'authorized', authorizedMinor: 1 },
    ] as const
    history.ledger.move(payment?.reference ?? '', outcomes[size % 9] ?? outcomes[0])
  },
  /** A refund that the bank has done fails after all. */
  async undoRefund(history: History, { at }: Step) {
    const payment = chosen(history, at)
    if (payment) history.ledger.undo(payment.reference)
  },
  /** Money that the bank took back comes again. */
  async unreverse(history: History, { at }: Step) {
    const payment = chosen(history, at)
    const order = payment && history.ledger.orders.get(payment.reference)
    if (order?.status !== 'reversed' || order.capturedMinor === 0 || order.refundedMinor > 0) return
    history.ledger.move(order.reference, { status: 'paid' })
  },
  /** Money arrives late: the bank had reported the order as failed or cancelled. */
  async arriveLate(history: History, { at }: Step) {
    const payment = chosen(history, at)
    const order = payment && history.ledger.orders.get(payment.reference)
    if (order?.status !== 'failed' && order?.status !== 'cancelled') return
    const { amountMinor, reference } = order
    history.ledger.move(reference, {
      status: 'paid',
      authorizedMinor: amountMinor,
      capturedMinor: amountMinor,
    })
  },
  async callBack(history: History, { at, size }: Step) {
    const payment = chosen(history, at)
    const url = `${history.kassa.url}/callbacks/${history.kassa.ctx.routes.route_a.id}`
    const times = Array.from({ length: 1 + (size % 3) })
    await Promise.all(times.map(() => call(url, { body: payment?.reference ?? 'nobody' })))
  },
  async lookUp(history: History, { at }: Step) {
    const payment = chosen(history, at)
    if (payment) await lookUp(history.kassa.url, history.shop, payment.id)
  },
  refund: (history: History, step: Step) => ask(history, step, 'refunds'),
  capture: (history: History, step: Step) => ask(history, step, 'capture'),
  void: (history: History, step: Step) => ask(history, step, 'void'),
  async work(history: History) {
    await sweepAll(history)
  },
  async bend(history: History, { size }: Step) {
    history.ledger.bends.push(BENDS[size % BENDS.length] ?? 'lose')
  },
  async away(history: History, { size }: Step) {
    history.ledger.away = size % 2 === 0
  },
  /** The bank ends its pending refunds: it does them or drops them. */
  async settle(history: History, { size }: Step) {
    settle(history.ledger, size % 2 === 0)
  },
  async jump(history: History, { size }: Step) {
    history.kassa.clock.advance(
      [MINUTE_MS, 2 * MINUTE_MS, 11 * MINUTE_MS, 25 * 60 * MINUTE_MS][size % 4] ?? 0,
    )
  },
} satisfies Record<string, (history: History, step: Step) => Promise<void>>

function settle(ledger: Ledger, isDone: boolean): void {
  for (const { reference } of ledger.orders.values()) ledger.settle(reference, isDone)
}

/** Takes a step. If the process dies in it, the next step runs in a new process. */
async function take(history: History, step: Step): Promise<void> {
  const { ctx } = history.kassa
  const { db } = ctx
  if (step.crash !== null) ctx.db = mortalDb(db, step.crash)
  try {
    await STEPS[step.kind](history, step)
  } finally {
    ctx.db = db
  }
}

/** Makes the bank answer again and lets time pass, until everything that is due has been done. */
async function settleAll(history: History): Promise<void> {
  history.ledger.away = false
  history.ledger.bends = []
  settle(history.ledger, true)
  for (const minutes of [2, 2, 11, 2, 2, 11, 2]) {
    history.kassa.clock.advance(minutes * MINUTE_MS)
    await sweepAll(history)
  }
  for (const { id } of history.payments) await lookUp(history.kassa.url, history.shop, id)
  for (const { id, reference } of history.payments) {
    await call(`${history.kassa.url}/callbacks/${history.kassa.ctx.routes.route_a.id}`, { body: reference })
    const payment = await findPaymentById(history.kassa.ctx.db, id)
    if (!payment) throw new Error(`The payment ${id} no longer exists.`)
  }
}

/** How often each step is chosen, relative to the others. The default is 2. */
const WEIGHTS: Record<string, number> = {
  create: 1,
  buy: 4,
  work: 6,
  refund: 5,
  capture: 3,
  callBack: 3,
  bend: 4,
  jump: 4,
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    ...Object.keys(STEPS).map((kind) => ({
      weight: WEIGHTS[kind] ?? 2,
      arbitrary: fc.constant(kind as Step['kind']),
    })),
  ),
  at: fc.nat(5),
  size: fc.nat(1_900),
  crash: fc.option(fc.nat(25), { freq: 4 }),
})

/**
 * Runs this many random sequences. Prints its seed: the same seed gives the same sequences again.
 * @throws Error with the shortest sequence that breaks a rule
 */
export async function runModel(kassa: Kassa, { runs, seed }: { runs: number; seed: number }): Promise<void> {
  console.info(`model: ${runs} sequences, seed ${seed}`)
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: STEPS_MAX }),
      fc.boolean(),
      async (steps, named) => {
        const shop = await openShop(kassa.ctx)
        const ledger = openLedger(kassa.ctx, { status: 'pending_payment', named })
        const history: History = { kassa, shop, ledger, payments: [], keys: 0 }
        for (const each of [{ kind: 'create', at: 0, size: 900, crash: null } as const, ...steps]) {
          await take(history, each)
          throwIfAny(await findFaults(kassa, shop.merchantId, { ledger, atRest: false }), each)
        }
        await settleAll(history)
        throwIfAny(await findFaults(kassa, shop.merchantId, { ledger, atRest: true }), 'the end')
      },
    ),
    { numRuns: runs, seed, endOnFailure: false },
  )
}

function throwIfAny(faults: string[], after: Step | 'the end'): void {
  if (faults.length > 0) throw new Error(`${faults.join('\n')}\nafter ${JSON.stringify(after)}`)
}
