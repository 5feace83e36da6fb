/** A second attempt while somebody else acts in the same moment: another process, a callback, the expiry, or a kill. */
import { afterEach, expect, test } from 'vitest'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { call, createSession, sessionRequest } from '../../testing/calls.ts'
import { MANY_CONNECTIONS } from '../../testing/harness.ts'
import { watchedDb } from '../../testing/mortal-db.ts'
import {
  type CrashingKassa,
  type StartCrashing,
  spawnCrashingKassa,
  startCrashingKassa,
} from '../../testing/processes/crashing-kassa.ts'
import { countingBankDriver, startCountingBank } from '../../testing/providers/counting-bank.ts'
import { openLedger } from '../../testing/providers/ledger-bank.ts'
import { closeAfter, openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { applyStatus } from '../transition.ts'
import { openForBuyer } from './open.ts'

const MINUTE_MS = 60_000
const PAID = { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 } as const

const processes: CrashingKassa[] = []
const { kassa, shop } = await openScene({ settings: MANY_CONNECTIONS })
const bank = closeAfter(await startCountingBank())
afterEach(async () => {
  await Promise.all(processes.map((each) => each.kill()))
  processes.length = 0
})

let orders = 0
const find = async (id: string) => (await findPaymentById(kassa.ctx.db, id)) as AttemptedPayment
const states = async (payment: AttemptedPayment) =>
  (await listAttempts(kassa.ctx.db, payment)).map(({ state }) => state)

async function open(): Promise<AttemptedPayment> {
  const body = sessionRequest({ merchantOrderId: `order-${++orders}` })
  return find((await createSession(kassa.url, shop, { key: `key-${orders}`, body })).body.id)
}

/** A payment of the counting bank whose first order is declined. */
async function openDeclined(): Promise<AttemptedPayment> {
  const { route_a: route } = kassa.ctx.routes
  kassa.ctx.routes.route_a = { ...route, driver: countingBankDriver(bank.url, () => {}) }
  bank.orders.clear()
  const payment = await open()
  await kassa.ctx.db.query(`update sandbox.attempts set state = 'declined' where payment_id = $1`, [
    payment.id,
  ])
  return payment
}

/** Where the pay control of this process leads; null if the process dies. */
async function click(url: string, { id }: AttemptedPayment): Promise<string | null> {
  const answer = await fetch(`${url}/checkout/${id}/continue`, { method: 'POST', redirect: 'manual' }).catch(
    () => null,
  )
  return answer?.headers.get('location') ?? null
}

async function start(crashing: StartCrashing, crash?: { at: string; nth: number }): Promise<CrashingKassa> {
  const given = { databaseUrl: kassa.databaseUrl, bankUrl: bank.url, leaseSeconds: 1 }
  const started = await crashing({ ...given, crash })
  processes.push(started)
  return started
}

/** The payment has one second order, at the bank too. */
async function expectOneMore(payment: AttemptedPayment): Promise<void> {
  const attempts = await listAttempts(kassa.ctx.db, payment)
  expect(attempts.map(({ state }) => state)).toEqual(['declined', 'open'])
  expect(attempts.map(({ reference }) => bank.orders.get(reference))).toEqual([1, 1])
  expect(bank.orders.size).toBe(2)
}

test('a decision about the payment with its earlier attempt changes nothing, although the version is the same', async () => {
  const seen = await openDeclined()
  await click(kassa.url, seen)
  const now = await find(seen.id)
  expect([now.version, now.ownAttempt]).toEqual([seen.version, seen.ownAttempt + 1])
  const change = { to: 'status_unknown', cause: 'provider', detail: 'about the first' } as const
  expect(await applyStatus(kassa.ctx, seen, change, seen)).toMatchObject({ outcome: 'moved' })
  expect(await find(seen.id)).toEqual(now)
})

test('twenty clicks at once at two services open one second order', async () => {
  const both = await Promise.all([start(startCrashingKassa), start(startCrashingKassa)])
  const payment = await openDeclined()
  const places = await Promise.all(
    Array.from({ length: 20 }, (_, index) => click(both[index % 2]?.url ?? '', payment)),
  )
  // A click that has waited too long for the order, as on a busy machine, leads back to our own page.
  const toBank = places.filter((place) => place?.startsWith(bank.url))
  const toPage = places.filter((place) => place?.endsWith(`/checkout/${payment.id}`))
  expect([new Set(toBank).size, toBank.length + toPage.length]).toEqual([1, places.length])
  await expectOneMore(payment)
})

test.each([
  'before add_attempt',
  'after add_attempt',
  'before provider',
  'while provider',
  'after provider',
  'before finish_opening',
  'after finish_opening',
])('a Kassa that dies %s leaves one second order, to which the next click leads', (at) =>
  dieAt(at, startCrashingKassa),
)

test('a process that is killed while it asks the provider leaves one second order', { tags: ['long'] }, () =>
  dieAt('while provider', spawnCrashingKassa),
)

async function dieAt(at: string, crashing: StartCrashing): Promise<void> {
  const payment = await openDeclined()
  const killed = await start(crashing, { at, nth: 1 })
  await click(killed.url, payment)
  await killed.ended
  expect(killed.reached()).toBe(at)
  const place = () => click(kassa.url, payment)
  await expect.poll(place, { interval: 200 }).toContain(bank.url)
  await expectOneMore(payment)
}

test('a click while a callback brings late money opens nothing, and the payment is paid', async () => {
  const ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
  const payment = await open()
  const {
    attempt: { reference },
  } = payment
  ledger.move(reference, { order: 'declined' })
  ledger.duringLookUp = async () => {
    ledger.duringLookUp = async () => {}
    ledger.move(reference, PAID)
    await call(`${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`, { body: reference })
  }
  expect(await click(kassa.url, payment)).not.toContain('bank.example')
  expect([(await find(payment.id)).status, await states(payment), ledger.orders.size]).toEqual([
    'paid',
    ['paid'],
    1,
  ])
})

test('a click while the payment expires opens nothing, and the declined payment has failed', async () => {
  const ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
  const payment = await open()
  ledger.move(payment.attempt.reference, { order: 'declined' })
  ledger.duringLookUp = async () => {
    ledger.duringLookUp = async () => {}
    kassa.clock.advance(91 * MINUTE_MS)
    await SWEEPS.statusSync(kassa.ctx)
  }
  expect(await click(kassa.url, payment)).not.toContain('bank.example')
  expect([(await find(payment.id)).status, await states(payment), ledger.orders.size]).toEqual([
    'failed',
    ['declined'],
    1,
  ])
})

test('a payment that expires before any statement up to the lock, while a click opens its next order, gets none', async () => {
  const ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
  /** Opens the next order, and moves the clock past the expiry before the nth statement. Returns the statements' names. */
  const openNext = async (nth: number) => {
    const payment = await open()
    ledger.move(payment.attempt.reference, { order: 'declined' })
    const names: string[] = []
    const db = watchedDb(
      kassa.ctx.db,
      (name) => {
        if (names.push(name) === nth) kassa.clock.advance(91 * MINUTE_MS)
      },
      () => false,
    )
    const before = ledger.orders.size
    const { kind } = await openForBuyer({ ...kassa.ctx, db }, payment)
    return { kind, names, opened: ledger.orders.size - before }
  }
  const { kind, names, opened } = await openNext(Number.POSITIVE_INFINITY)
  expect([kind, opened]).toEqual(['open', 1])
  const lock = names.lastIndexOf('lock_payment', names.indexOf('add_attempt'))
  expect(lock).toBeGreaterThan(0)
  for (let nth = 1; nth <= lock + 1; nth++) expect([nth, (await openNext(nth)).opened]).toEqual([nth, 0])
})
