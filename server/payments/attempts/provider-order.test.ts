/** What providers want besides questions: approved orders taken, dead orders withdrawn, pre-checks and proofs answered. */
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { referenceOf } from '../../id.ts'
import { plainReply } from '../../providers/driver/inbound.ts'
import type { Driver, InboundEvent, RawInbound, Snapshot, Standing } from '../../providers/driver.ts'
import { withdrawUnallowed } from '../../storage/payments/attempt-orders.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { openScene } from '../../testing/scene.ts'
import { takeCallback } from '../callbacks/callback.ts'
import { askAboutPayment } from './question.ts'

const { kassa, openPayment, getPayment } = await openScene()
const { ctx } = kassa

let snapshots: Map<string, Snapshot>
let acts: string[]
beforeEach(() => {
  snapshots = new Map()
  acts = []
})

function use(changes: Partial<Omit<Driver, 'startCheckout' | 'composeCheckout'>>): void {
  const driver: Driver = {
    label: 'Wallet',
    currencies: ['USD'],
    liveCapable: false,
    supportsAutoinit: false,
    settings: z.object({}),
    composeCheckout: () => ({ kind: 'redirect', url: 'https://wallet.example/pay' }),
    ...changes,
  }
  ctx.routes.route_a = { ...ctx.routes.route_a, driver }
}

function report(reference: string, order: Standing, money = 0): Snapshot {
  const amounts = { authorizedMinor: money, capturedMinor: money, refundedMinor: 0 }
  return { order, reference, amountMinor: 1900, currency: 'USD', ...amounts }
}

describe('an order whose buyer has approved', () => {
  const wallet = {
    async lookUp(_: unknown, { reference }: { reference: string }) {
      const snapshot = snapshots.get(reference) ?? report(reference, 'approved')
      return { kind: 'found', snapshot, state: { token: 'T-1' } } as const
    },
    async finalize(_: unknown, { reference, state }: { reference: string; state: unknown }, key: string) {
      acts.push(`finalize ${key} ${JSON.stringify(state)}`)
      snapshots.set(reference, report(reference, 'completed', 1900))
      return { kind: 'done' } as const
    },
  }

  test('is taken once, under one key, however many ask at once', async () => {
    use(wallet)
    const payment = await openPayment()
    await Promise.all([1, 2, 3, 4].map(() => askAboutPayment(ctx, payment)))
    expect((await getPayment(payment.id)).status).toBe('paid')
    expect(acts).toEqual([`finalize ${referenceOf(payment.id)} {"token":"T-1"}`])
  })

  test('is not taken after the payment has expired, and the state of the look-up is stored', async () => {
    use(wallet)
    const payment = await openPayment()
    kassa.clock.advance(2 * 3_600_000)
    await askAboutPayment(ctx, payment)
    expect(acts).toEqual([])
    expect(await getPayment(payment.id)).toMatchObject({
      status: 'expired',
      attempt: { providerState: { token: 'T-1' } },
    })
  })
})

describe('an order that expires', () => {
  const bank = (after: Standing, money: number) => ({
    async lookUp(_: unknown, { reference }: { reference: string }) {
      return {
        kind: 'found',
        snapshot: snapshots.get(reference) ?? report(reference, 'reached'),
      } as const
    },
    async withdraw(_: unknown, { reference }: { reference: string }) {
      acts.push('withdraw')
      snapshots.set(reference, report(reference, after, money))
      return { kind: 'done' } as const
    },
  })

  test('is withdrawn at the provider', async () => {
    use(bank('expired', 0))
    const payment = await openPayment()
    kassa.clock.advance(2 * 3_600_000)
    expect((await askAboutPayment(ctx, payment)).status).toBe('expired')
    expect(acts).toEqual(['withdraw'])
  })

  test('is paid after all if the money came before the withdrawal', async () => {
    use(bank('completed', 1900))
    const payment = await openPayment()
    kassa.clock.advance(2 * 3_600_000)
    expect((await askAboutPayment(ctx, payment)).status).toBe('paid')
  })
})

describe('a provider that cannot be asked', () => {
  let event: InboundEvent
  const raw: RawInbound = { method: 'GET', path: '/', query: {}, headers: {}, body: Buffer.alloc(0) }
  const inbound = { receive: async () => event, reply: plainReply }
  const receive = async (given: InboundEvent) => {
    event = given
    return (await takeCallback(ctx, ctx.routes.route_a.id, raw))?.reply.status
  }
  const precheck = (reference: string, amountMinor = 1900) =>
    ({ kind: 'precheck', reference, amountMinor, currency: 'USD' }) as const

  test('may let an open order be paid, on our terms only', async () => {
    use({ inbound })
    const {
      id,
      attempt: { reference },
    } = await openPayment()
    expect(await receive(precheck(reference, 1800))).toBe(404)
    expect((await getPayment(id)).status).toBe('pending_redirect')
    expect(await receive(precheck(reference))).toBe(200)
    expect(await receive(precheck(reference))).toBe(404)
    expect((await getPayment(id)).status).toBe('pending_payment')
    kassa.clock.advance(2 * 3_600_000)
    expect(await receive(precheck(reference))).toBe(404)
    expect(await receive(precheck('nobody'))).toBe(404)
  })

  test.each([
    ['nobody has touched', 'allowed_at = null', true],
    ['we have allowed', 'allowed_at = now()', false],
    ['a stored proof is about', "proof = '{}'", false],
    ['is under way', 'under_way_since = now()', false],
    ['is being finalized', 'finalizing_until = now()', false],
  ])(
    'has an order that %s: its buyer leaves it only if no money can come',
    async (_, change, isWithdrawn) => {
      const { id, attempt } = await openPayment()
      await ctx.db.query(`update sandbox.attempts set ${change} where payment_id = $1`, [id])
      expect(await withdrawUnallowed(ctx.db, attempt)).toBe(isWithdrawn)
    },
  )

  test('proves a payment by itself, once, and a wrong amount proves nothing', async () => {
    use({ inbound })
    const {
      id,
      attempt: { reference },
    } = await openPayment()
    const proof = { kind: 'proof', reference, snapshot: report(reference, 'completed', 1900) } as const
    expect(await receive({ ...proof, snapshot: { ...proof.snapshot, amountMinor: 1 } })).toBe(404)
    expect((await getPayment(id)).status).not.toBe('paid')
    const other = await openPayment()
    const own = { kind: 'proof', reference: other.attempt.reference } as const
    for (let count = 0; count < 3; count++)
      expect(await receive({ ...own, snapshot: report(other.attempt.reference, 'completed', 1900) })).toBe(
        200,
      )
    expect((await getPayment(other.id)).status).toBe('paid')
  })

  test('tells of several orders in one message, and of what is not ours beside them', async () => {
    use({ inbound })
    const orders = [await openPayment(), await openPayment()]
    const proofs = [...orders.map(({ attempt }) => attempt.reference), 'nobody'].map(
      (reference) => ({ kind: 'proof', reference, snapshot: report(reference, 'completed', 1900) }) as const,
    )
    for (let times = 0; times < 2; times++)
      expect(await receive({ kind: 'several', events: proofs })).toBe(200)
    for (const { id } of orders) expect((await getPayment(id)).status).toBe('paid')
    expect(await receive({ kind: 'several', events: proofs.slice(2) })).toBe(404)
    expect(await receive({ kind: 'several', events: [] })).toBe(404)
  })

  test('is told to send a message again of which a part could not be stored, and each part counts once', async () => {
    use({ inbound })
    const orders = [await openPayment(), await openPayment()]
    const events = orders.map(
      ({ attempt: { reference } }) =>
        ({ kind: 'proof', reference, snapshot: report(reference, 'completed', 1900) }) as const,
    )
    const { db } = ctx
    // The connection is gone as soon as the second part is looked up.
    const second = orders[1]?.attempt.reference
    ctx.db = Object.assign(Object.create(db), {
      query: async (question: unknown, ...more: unknown[]) => {
        if (JSON.stringify(question).includes(`"${second}"`)) throw new Error('gone')
        return (db.query as (...all: unknown[]) => unknown).call(db, question, ...more)
      },
    })
    const statuses = () => Promise.all(orders.map(async ({ id }) => (await getPayment(id)).status))
    expect(await receive({ kind: 'several', events })).toBe(503)
    ctx.db = db
    expect(await statuses()).toEqual(['paid', 'pending_redirect'])
    for (let times = 0; times < 2; times++) expect(await receive({ kind: 'several', events })).toBe(200)
    expect(await statuses()).toEqual(['paid', 'paid'])
    for (const order of orders) {
      const taken = (await listEntries(db, order)).filter(({ kind }) => kind === 'taken')
      expect(taken.map(({ amountMinor }) => amountMinor)).toEqual([1900])
    }
  })

  test('is told to send again what could not be stored', async () => {
    use({ inbound })
    const { db } = ctx
    const {
      attempt: { reference },
    } = await openPayment()
    ctx.db = Object.assign(Object.create(db), {
      query: async () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })),
    })
    expect(await receive({ kind: 'hint', reference })).toBe(503)
    ctx.db = db
  })
})
