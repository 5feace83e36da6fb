/**
 * Random lives of payments: created, paid, called back about (twice, late, in any order), captured, voided, refunded, with
 * answers lost, processes dying at any statement and clocks jumping. Whatever happens, the books stay right: after every
 * step what must always hold is looked for in the database, and at the end the bank's books and ours are laid side by side.
 */
import fc from 'fast-check'
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

type Life = {
  kassa: Kassa
  shop: Shop
  ledger: Ledger
  payments: { id: string; reference: string }[]
  keys: number
}
/** `at`: which payment, counted round. `crash`: after how many statements the process dies; null: it lives. */
type Step = { kind: keyof typeof STEPS; at: number; size: number; crash: number | null }

const chosen = (life: Life, at: number) => life.payments[at % life.payments.length]
const amountOf = (life: Life, reference: string) => life.ledger.orders.get(reference)?.amountMinor ?? 0

async function ask(life: Life, { at, size }: Step, what: 'refunds' | 'capture' | 'void'): Promise<void> {
  const payment = chosen(life, at)
  if (!payment) return
  const part = Math.max(1, Math.floor(amountOf(life, payment.reference) / (1 + (size % 4))))
  const body = what === 'void' ? { reason: 'r' } : { amountMinor: part, reason: 'r' }
  // Now and then a key that was used before: the same request again.
  const key = `k-${size % 5 === 0 ? life.keys : ++life.keys}`
  await askOperation(life.kassa.url, life.shop, payment.id, what, { key, body })
}

async function sweepAll({ kassa }: Life): Promise<void> {
  for (const sweep of Object.values(SWEEPS)) await sweep(kassa.ctx).catch(() => {})
}

/** What can happen. */
const STEPS = {
  async create(life: Life, { size }: Step) {
    const order = `life-${++life.keys}`
    const body = sessionRequest({ merchantOrderId: order, amountMinor: 100 + size })
    const answer = await createSession(life.kassa.url, life.shop, { key: order, body })
    if (answer.body.id)
      life.payments.push({ id: answer.body.id, reference: answer.body.id.slice('pay_'.length) })
  },
  async buy(life: Life, { at, size }: Step) {
    const payment = chosen(life, at)
    const order = payment && life.ledger.orders.get(payment.reference)
    if (order?.status !== 'pending_payment') return
    const { amountMinor } = order
    const outcomes = [
      { status: 'paid', authorizedMinor: amountMinor, capturedMinor: amountMinor },
      { status: 'authorized', authorizedMinor: amountMinor },
      { status: 'failed' },
      { status: 'cancelled' },
    ] as const
    life.ledger.move(payment?.reference ?? '', outcomes[size % 5] ?? outcomes[0])
  },
  /** Money that arrives late: the bank had said no. */
  async arriveLate(life: Life, { at }: Step) {
    const payment = chosen(life, at)
    const order = payment && life.ledger.orders.get(payment.reference)
    if (order?.status !== 'failed' && order?.status !== 'cancelled') return
    const { amountMinor, reference } = order
    life.ledger.move(reference, { status: 'paid', authorizedMinor: amountMinor, capturedMinor: amountMinor })
  },
  async callBack(life: Life, { at, size }: Step) {
    const payment = chosen(life, at)
    const url = `${life.kassa.url}/callbacks/route_a`
    const times = Array.from({ length: 1 + (size % 3) })
    await Promise.all(times.map(() => call(url, { body: payment?.reference ?? 'nobody' })))
  },
  async lookUp(life: Life, { at }: Step) {
    const payment = chosen(life, at)
    if (payment) await lookUp(life.kassa.url, life.shop, payment.id)
  },
  refund: (life: Life, step: Step) => ask(life, step, 'refunds'),
  capture: (life: Life, step: Step) => ask(life, step, 'capture'),
  void: (life: Life, step: Step) => ask(life, step, 'void'),
  async work(life: Life) {
    await sweepAll(life)
  },
  async bend(life: Life, { size }: Step) {
    life.ledger.bends.push(BENDS[size % BENDS.length] ?? 'lose')
  },
  async away(life: Life, { size }: Step) {
    life.ledger.away = size % 2 === 0
  },
  /** The bank ends what it has in hand: it does it, or gives it up. */
  async settle(life: Life, { size }: Step) {
    settle(life.ledger, size % 2 === 0)
  },
  async jump(life: Life, { size }: Step) {
    life.kassa.clock.advance([MINUTE_MS, 2 * MINUTE_MS, 11 * MINUTE_MS, 25 * 60 * MINUTE_MS][size % 4] ?? 0)
  },
} satisfies Record<string, (life: Life, step: Step) => Promise<void>>

function settle(ledger: Ledger, isDone: boolean): void {
  for (const { reference, refundPendingMinor = 0, refundedMinor, capturedMinor } of ledger.orders.values()) {
    if (refundPendingMinor === 0) continue
    const refunded = refundedMinor + (isDone ? refundPendingMinor : 0)
    const status = refunded === 0 ? 'paid' : refunded < capturedMinor ? 'partially_refunded' : 'refunded'
    ledger.move(reference, { refundPendingMinor: 0, refundedMinor: refunded, status })
  }
}

/** Takes a step; a process that dies in it is gone with all that it held, and another one goes on. */
async function take(life: Life, step: Step): Promise<void> {
  const { ctx } = life.kassa
  const { db } = ctx
  if (step.crash !== null) ctx.db = mortalDb(db, step.crash)
  try {
    await STEPS[step.kind](life, step)
  } finally {
    ctx.db = db
  }
}

/** All is done that can be done: the bank answers again, and time goes by. */
async function comeToRest(life: Life): Promise<void> {
  life.ledger.away = false
  life.ledger.bends = []
  settle(life.ledger, true)
  for (const minutes of [2, 2, 11, 2, 2, 11, 2]) {
    life.kassa.clock.advance(minutes * MINUTE_MS)
    await sweepAll(life)
  }
  for (const { id } of life.payments) await lookUp(life.kassa.url, life.shop, id)
  for (const { id, reference } of life.payments) {
    await call(`${life.kassa.url}/callbacks/route_a`, { body: reference })
    const payment = await findPaymentById(life.kassa.ctx.db, id)
    if (!payment) throw new Error(`${id} is gone`)
  }
}

/** How often each happens; 2 where nothing is said. */
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
 * Lives through `runs` random sequences. Prints its seed, with which a failure comes again.
 * @throws Error naming the shortest sequence that breaks something
 */
export async function liveThrough(
  kassa: Kassa,
  { runs, seed }: { runs: number; seed: number },
): Promise<void> {
  console.info(`model: ${runs} sequences, seed ${seed}`)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: STEPS_MAX }), async (steps) => {
      const shop = await openShop(kassa.ctx)
      const ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
      const life: Life = { kassa, shop, ledger, payments: [], keys: 0 }
      for (const each of [{ kind: 'create', at: 0, size: 900, crash: null } as const, ...steps]) {
        await take(life, each)
        refuse(await findFaults(kassa, shop.merchantId, { ledger, atRest: false }), each)
      }
      await comeToRest(life)
      refuse(await findFaults(kassa, shop.merchantId, { ledger, atRest: true }), 'at rest')
    }),
    { numRuns: runs, seed, endOnFailure: false },
  )
}

function refuse(faults: string[], after: Step | 'at rest'): void {
  if (faults.length > 0) throw new Error(`${faults.join('\n')}\nafter ${JSON.stringify(after)}`)
}
