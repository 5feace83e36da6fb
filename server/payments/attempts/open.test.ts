/** A payment that is tried more than once: orders follow each other, and money never gets lost between them. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Driver } from '../../providers/driver.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { ATTEMPT_STATES, type Attempt } from '../../storage/payments/attempt.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { call, createLink, createSession, linkRequest, sessionRequest } from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const PAID = { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 } as const
const DECLINED = { order: 'declined', declineCategory: 'ask_another_card' } as const

let shop: Shop
let ledger: Ledger
const kassa = await openKassa()
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
  ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
})

let orders = 0
const find = async (id: string) => (await findPaymentById(kassa.ctx.db, id)) as AttemptedPayment
const attempts = async (payment: AttemptedPayment) => listAttempts(kassa.ctx.db, payment)
const states = async (payment: AttemptedPayment) => (await attempts(payment)).map(({ state }) => state)
const callback = (reference: string) =>
  call(`${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`, { body: reference })
const book = async (payment: AttemptedPayment) =>
  (await listEntries(kassa.ctx.db, payment)).map(
    ({ attempt, kind, amountMinor }) => `${attempt}: ${kind} ${amountMinor}`,
  )
const warnings = async ({ merchantId, id }: AttemptedPayment) =>
  (await listPaymentWarnings(kassa.ctx.db, merchantId, id)).map(({ detail }) => detail)

const change = (changes: Partial<Driver>) => changeDriver(kassa.ctx, 'route_a', changes)

async function open(merchantOrderId = `order-${++orders}`): Promise<AttemptedPayment> {
  const body = sessionRequest({ merchantOrderId })
  return find((await createSession(kassa.url, shop, { key: `key-${++orders}`, body })).body.id)
}

async function openLink(): Promise<AttemptedPayment> {
  return find(
    (await createLink(kassa.url, shop, { key: `key-${++orders}`, body: linkRequest() })).body.paymentId,
  )
}

/** Where the pay control leads: the order's reference at the bank, or null when the buyer stays on our page. */
async function click({ id }: AttemptedPayment): Promise<string | null> {
  const answer = await fetch(`${kassa.url}/checkout/${id}/continue`, { method: 'POST', redirect: 'manual' })
  expect(answer.status).toBe(303)
  return /^https:\/\/bank\.example\/(.+)$/.exec(answer.headers.get('location') ?? '')?.[1] ?? null
}

async function pass(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await SWEEPS.statusSync(kassa.ctx)
  await SWEEPS.statusSync(kassa.ctx)
  await SWEEPS.moneyOperations(kassa.ctx)
}

/** A payment whose first order was declined, and whose second one is open. Returns both references. */
async function secondOpen(merchantOrderId?: string) {
  const payment = await open(merchantOrderId)
  ledger.move(payment.attempt.reference, DECLINED)
  const second = (await click(payment)) ?? ''
  return { payment, first: payment.attempt.reference, second }
}

describe('an attempt', () => {
  test('that is declined is followed by another one, which pays the payment', async () => {
    const { payment, first, second } = await secondOpen()
    expect(second).not.toBe(first)
    expect(await find(payment.id)).toMatchObject({ status: 'pending_payment', attempt: { number: 2 } })
    expect((await attempts(payment))[0]).toMatchObject({
      state: 'declined',
      facts: { declineCategory: 'ask_another_card' },
    })
    ledger.move(second, PAID)
    await callback(second)
    expect(await find(payment.id)).toMatchObject({
      status: 'paid',
      capturedMinor: 1900,
      attempt: { number: 2 },
    })
    expect(await states(payment)).toEqual(['declined', 'paid'])
  })

  test('is not opened by a link that is followed or looked at, for a link and after a decline', async () => {
    const declined = await open()
    ledger.move(declined.attempt.reference, DECLINED)
    const payments = [await openLink(), declined]
    const before = [ledger.orders.size, await Promise.all(payments.map(states))]
    for (const { id } of payments)
      for (const method of ['GET', 'HEAD']) {
        const page = `${kassa.ctx.baseUrl}/checkout/${id}`
        const address = `${kassa.url}/checkout/${id}/continue`
        const { status, headers } = await fetch(address, { method, redirect: 'manual' })
        expect([status, headers.get('location'), headers.get('set-cookie')]).toEqual([303, page, null])
      }
    expect([ledger.orders.size, await Promise.all(payments.map(states))]).toEqual(before)
    for (const payment of payments) expect(await click(payment)).not.toBeNull()
  })

  test('that is open is returned to by every click', async () => {
    const payment = await open()
    for (let clicks = 0; clicks < 3; clicks++) expect(await click(payment)).toBe(payment.attempt.reference)
    expect(ledger.orders.size).toBe(1)
  })

  test('is opened once by twenty clicks at once, for a link and after a decline', async () => {
    const declined = await open()
    ledger.move(declined.attempt.reference, DECLINED)
    for (const payment of [await openLink(), declined]) {
      const before = ledger.orders.size
      const places = await Promise.all(Array.from({ length: 20 }, () => click(payment)))
      expect([new Set(places).size, ledger.orders.size - before]).toEqual([1, 1])
      expect(places[0]).not.toBeNull()
    }
  })

  test('is not opened while the bank cannot be asked about the last one', async () => {
    const payment = await open()
    ledger.move(payment.attempt.reference, DECLINED)
    await callback(payment.attempt.reference)
    ledger.away = true
    expect(await click(payment)).toBeNull()
    expect(await states(payment)).toEqual(['declined'])
    ledger.move(payment.attempt.reference, PAID)
    ledger.away = false
    expect(await click(payment)).toBeNull()
    expect((await find(payment.id)).status).toBe('paid')
  })

  test('is never opened after the expiry: a declined payment has failed, a link that nobody opened has expired', async () => {
    const [declined, link] = [await open(), await openLink()]
    ledger.move(declined.attempt.reference, DECLINED)
    await callback(declined.attempt.reference)
    kassa.clock.advance(91 * 24 * 60 * MINUTE_MS)
    const before = ledger.orders.size
    for (const payment of [declined, link]) expect(await click(payment)).toBeNull()
    await pass(0)
    expect(ledger.orders.size).toBe(before)
    expect([(await find(declined.id)).status, (await find(link.id)).status]).toEqual(['failed', 'expired'])
  })

  test('whose opening was lost is looked up by the next click, and not opened twice', async () => {
    const start = kassa.ctx.routes.route_a.driver?.startCheckout
    let starts = 0
    change({
      async startCheckout(...given: Parameters<NonNullable<typeof start>>) {
        if (!start) throw new Error('Bug! The bank opens orders.')
        const opened = await start(...given)
        if (++starts === 1) throw new Error('the connection was reset')
        return opened
      },
      async lookUp(_: unknown, { reference }: { reference: string }) {
        const snapshot = ledger.orders.get(reference)
        const opened = { kind: 'redirect', url: `https://bank.example/${reference}` } as const
        return snapshot ? { kind: 'found', snapshot, opened } : { kind: 'not_found' }
      },
    })
    const link = await openLink()
    expect(await click(link)).toBeNull()
    expect(await states(link)).toEqual(['opening'])
    expect(await click(link)).toBe(link.attempt.reference)
    expect([starts, await states(link)]).toEqual([1, ['open']])
  })

  test('that a dead process was opening is gone on with once its lease has ended', async () => {
    const link = await openLink()
    const { db, config } = kassa.ctx
    const begun = new Date(kassa.clock.now().getTime() + config.attemptLeaseSeconds * 1000)
    await db.query(`update sandbox.attempts set state = 'opening', lease_until = $2 where payment_id = $1`, [
      link.id,
      begun,
    ])
    kassa.clock.advance(config.attemptLeaseSeconds * 1000 + 1)
    expect(await click(link)).toBe(link.attempt.reference)
    expect(ledger.orders.size).toBe(1)
  })

  test('that the bank ended early leaves the payment open for another one', async () => {
    const payment = await open()
    ledger.move(payment.attempt.reference, { order: 'expired' })
    expect(await click(payment)).not.toBe(payment.attempt.reference)
    expect(await states(payment)).toEqual(['expired', 'open'])
  })
})

describe('money of an earlier attempt', () => {
  test('that comes late pays the payment, and the open order is withdrawn', async () => {
    change({
      async withdraw(_: unknown, { reference }: { reference: string }) {
        ledger.move(reference, { order: 'expired' })
        return { kind: 'done' }
      },
    })
    const { payment, first, second } = await secondOpen()
    ledger.move(first, PAID)
    await callback(first)
    expect(await find(payment.id)).toMatchObject({ status: 'paid', attempt: { number: 1, reference: first } })
    await pass(MINUTE_MS)
    expect(ledger.orders.get(second)?.order).toBe('expired')
    expect(await states(payment)).toEqual(['paid', 'withdrawn'])
  })

  test.each([true, false])(
    'besides that of the payment goes back by itself, or to a person (refunds enabled: %s)',
    async (enabled) => {
      const { payment, first, second } = await secondOpen()
      const { route_a: route } = kassa.ctx.routes
      const settings = { ...route.settings, OPERATIONS: enabled ? 'enabled' : 'disabled' }
      kassa.ctx.routes.route_a = { ...route, settings }
      for (const reference of [second, first]) {
        ledger.move(reference, PAID)
        await callback(reference)
      }
      for (let round = 0; round < 5; round++) {
        await callback(first)
        await pass(MINUTE_MS)
      }
      kassa.ctx.routes.route_a = route
      expect(await find(payment.id)).toMatchObject({
        status: 'paid',
        refundedMinor: 0,
        attempt: { number: 2 },
      })
      expect(ledger.writes.map(({ method, amountMinor }) => [method, amountMinor])).toEqual(
        enabled ? [['refund', 1900]] : [],
      )
      expect((await attempts(payment)).map(({ refundedMinor }) => refundedMinor)).toEqual([
        enabled ? 1900 : 0,
        0,
      ])
      // The entries of an attempt that is not the payment's own are its surplus, and the return of the surplus.
      expect(await book(payment)).toEqual([
        '2: taken 1900',
        '1: taken 1900',
        ...(enabled ? ['1: refunded 1900'] : []),
      ])
      const details = await warnings(payment)
      expect(details.some((detail) => detail.includes('attempt 1'))).toBe(true)
      expect(details.some((detail) => detail.includes('by hand') || detail.includes('give the money'))).toBe(
        !enabled,
      )
      const events = await listPaymentEvents(kassa.ctx.db, payment.merchantId, payment.id)
      expect(events.map(({ status }) => status)).toEqual(['pending_payment', 'paid'])
    },
  )

  test('whose amount is wrong pays nothing, and an operator is warned', async () => {
    const { payment, first } = await secondOpen()
    ledger.move(first, { ...PAID, amountMinor: 1 })
    await callback(first)
    expect(await find(payment.id)).toMatchObject({ status: 'pending_payment', attempt: { number: 2 } })
    expect((await warnings(payment))[0]).toContain('attempt 1')
    expect(await book(payment)).toEqual(['1: unmatched 1900'])
  })

  test('of which the bank knows nothing any more changes nothing', async () => {
    const { payment, first } = await secondOpen()
    ledger.orders.delete(first)
    await callback(first)
    await pass(15 * MINUTE_MS)
    expect(await find(payment.id)).toMatchObject({ status: 'pending_payment', attempt: { number: 2 } })
  })
})

test('two paid payments of one order warn an operator', async () => {
  const [one, two] = [await open('same'), await open('same')]
  for (const {
    attempt: { reference: providerReference },
  } of [one, two]) {
    ledger.move(providerReference, PAID)
    await callback(providerReference)
  }
  expect(await warnings(one)).toEqual([])
  expect((await warnings(two))[0]).toContain('paid twice')
})

test('the database has the states of the table, one open attempt of a payment, and references once in an account', async () => {
  const payment = await open()
  const { db } = kassa.ctx
  const add = (changes: Partial<Attempt>) => {
    const { number = 2, reference = 'other', state = 'declined' } = changes
    return db.query(
      `insert into sandbox.attempts (merchant_id, payment_id, number, provider, account_id, reference, state, expires_at, created_at)
       values ($1, $2, $3, 'route_a', $4, $5, $6, $7, $7)`,
      [payment.merchantId, payment.id, number, payment.attempt.accountId, reference, state, new Date()],
    )
  }
  await expect(add({ state: 'open' })).rejects.toMatchObject({ constraint: 'attempts_one_open' })
  await expect(add({ reference: payment.attempt.reference })).rejects.toMatchObject({ code: '23505' })
  await expect(add({ state: 'mislaid' as never })).rejects.toMatchObject({ code: '23514' })
  await db.query(`update sandbox.attempts set state = 'declined' where payment_id = $1`, [payment.id])
  for (const [index, state] of ATTEMPT_STATES.entries()) {
    await add({ number: index + 2, reference: `${payment.id}-${state}`, state })
    await db.query('delete from sandbox.attempts where reference = $1', [`${payment.id}-${state}`])
  }
  const moved = `update sandbox.attempts set account_id = 'other' where payment_id = $1`
  await expect(db.query(moved, [payment.id])).rejects.toMatchObject({ constraint: 'attempt_terms' })
})
