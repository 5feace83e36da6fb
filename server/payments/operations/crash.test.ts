/** Processes that die or stand still at a refund or a charge. A provider that takes keys needs no person for it. */
import { describe, expect, test } from 'vitest'
import { findOperationById, listPaymentOperations } from '../../storage/payments/operations.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import {
  chargesOf,
  createSubscription,
  openToken,
  subscriptionRequest,
} from '../../testing/payments/subscriptions.ts'
import { writeKeyOf } from '../../testing/payments/write-key.ts'
import { beforeWriting } from '../../testing/processes/crash-points.ts'
import { spawnCrashingKassa, startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { countingBankDriver, startCountingBank } from '../../testing/providers/counting-bank.ts'
import { closeAfter, openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const { kassa, shop } = await openScene()
const bank = closeAfter(await startCountingBank())
const slowBank = closeAfter(await startCountingBank())

/** Processes that die while they carry out a refund, or the return of second money. A provider that takes keys needs no person for it. */
describe('a process that dies', () => {
  const LEASE_SECONDS = 2

  const given = {
    databaseUrl: kassa.databaseUrl,
    bankUrl: bank.url,
    sweep: 'moneyOperations',
    settings: { OPERATION_LEASE: String(LEASE_SECONDS) },
  }

  /** Before the request to the provider, and before its answer is used. */
  const DEATHS = ['after mark_operation_sent', 'after refund'] as const

  /** One of them is killed as a real process. */
  test.each([
    ['after mark_operation_sent', startCrashingKassa],
    ['after refund', spawnCrashingKassa],
  ] as const)(
    'a refund whose process dies %s is done once, by another process after the lease, without a person',
    async (at, start) => {
      const dying = await start({
        ...given,
        crash: { at, nth: 1 },
      })
      const body = sessionRequest({ merchantOrderId: at, amountMinor: 1900 })
      const { body: session } = await createSession(dying.url, shop, { key: at, body })
      const payment = await findPaymentById(kassa.ctx.db, session.id)
      const reference = payment?.attempt.reference ?? ''
      const charged = { reference, amountMinor: 1900, currency: 'USD', charged: true }
      await fetch(`${bank.url}/orders/${reference}`, { method: 'POST', body: JSON.stringify(charged) })
      await lookUp(dying.url, shop, session.id)
      const request = { key: at, body: { amountMinor: 500, reason: 'r' } }
      const { id } = (await askOperation(dying.url, shop, session.id, 'refunds', request)).body.operation
      await dying.ended
      expect(dying.reached()).toBe(at)
      const living = await startCrashingKassa(given)
      const status = async () => (await findOperationById(kassa.ctx.db, id))?.status
      await expect.poll(status).toBe('succeeded')
      await living.kill()
      const name = await writeKeyOf(kassa.ctx, id)
      expect(bank.refunds.filter((key) => key === name)).toHaveLength(1)
      expect(await findPaymentById(kassa.ctx.db, session.id)).toMatchObject({
        status: 'partially_refunded',
        refundedMinor: 500,
        refundReservedMinor: 0,
      })
    },
  )

  test.each(DEATHS)(
    'a return of second money whose process dies %s is done once, by another process after the lease, without a person',
    async (at) => {
      const dying = await startCrashingKassa({ ...given, crash: { at, nth: 1 } })
      const key = `second money ${at}`
      const body = sessionRequest({ merchantOrderId: key, amountMinor: 1900 })
      const { body: session } = await createSession(dying.url, shop, { key, body })
      const first = (await findPaymentById(kassa.ctx.db, session.id))?.attempt.reference ?? ''
      await kassa.ctx.db.query(`update sandbox.attempts set state = 'declined' where payment_id = $1`, [
        session.id,
      ])
      await fetch(`${dying.url}/checkout/${session.id}/continue`, { method: 'POST', redirect: 'manual' })
      const second = (await findPaymentById(kassa.ctx.db, session.id))?.attempt.reference ?? ''
      const charge = (reference: string) =>
        fetch(`${bank.url}/orders/${reference}`, {
          method: 'POST',
          body: JSON.stringify({ reference, amountMinor: 1900, currency: 'USD', charged: true }),
        })
      await charge(second)
      await lookUp(dying.url, shop, session.id)
      expect(await findPaymentById(kassa.ctx.db, session.id)).toMatchObject({ status: 'paid', ownAttempt: 2 })
      await charge(first)
      const asking = await startCrashingKassa({ ...given, sweep: 'statusSync' })
      const returns = () => listPaymentOperations(kassa.ctx.db, shop.merchantId, session.id)
      await kassa.ctx.db.query('update sandbox.attempts set question_due_at = now() where reference = $1', [
        first,
      ])
      await expect.poll(returns).toHaveLength(1)
      await asking.kill()
      await dying.ended
      expect(dying.reached()).toBe(at)
      const living = await Promise.all([startCrashingKassa(given), startCrashingKassa(given)])
      await expect.poll(async () => (await returns())[0]?.status).toBe('succeeded')
      await Promise.all(living.map((each) => each.kill()))
      const [done, ...more] = await returns()
      const name = await writeKeyOf(kassa.ctx, done?.id ?? '')
      expect([more, bank.refunds.filter((each) => each === name).length]).toEqual([[], 1])
      expect(await findPaymentById(kassa.ctx.db, session.id)).toMatchObject({
        status: 'paid',
        refundedMinor: 0,
      })
    },
  )
})

/** A write whose process was stopped before it left: it is not sent any more, and is taken back. */
describe('a process that was stopped before its write left', () => {
  /** Longer than any write may take. */
  const STOPPED_MS = 21_000
  const { route_a: route } = kassa.ctx.routes

  /** Once, much time passes between the connection for this call and its first byte. */
  function stopAt(point: string): void {
    let isStopped = false
    const driver = countingBankDriver(slowBank.url, (reached) => {
      if (reached !== point || isStopped) return
      isStopped = true
      beforeWriting(slowBank.url, () => kassa.clock.advance(STOPPED_MS))
    })
    kassa.ctx.routes.route_a = { ...route, driver: { ...route.driver, ...driver } as typeof route.driver }
  }

  test('a refund that could not be sent in time is sent by a later run, once', async () => {
    stopAt('before refund')
    const body = sessionRequest({ merchantOrderId: 'late', amountMinor: 1900 })
    const { body: session } = await createSession(kassa.url, shop, { key: 'late', body })
    const reference = (await findPaymentById(kassa.ctx.db, session.id))?.attempt.reference
    const charged = JSON.stringify({ reference, amountMinor: 1900, currency: 'USD', charged: true })
    await fetch(`${slowBank.url}/orders/${reference}`, { method: 'POST', body: charged })
    await lookUp(kassa.url, shop, session.id)
    const request = { key: 'late', body: { amountMinor: 500, reason: 'r' } }
    const { id } = (await askOperation(kassa.url, shop, session.id, 'refunds', request)).body.operation
    await SWEEPS.moneyOperations(kassa.ctx)
    expect(slowBank.refunds).toEqual([])
    expect(await findOperationById(kassa.ctx.db, id)).toMatchObject({ status: 'processing', sentAt: null })
    kassa.clock.advance(60_000)
    await SWEEPS.moneyOperations(kassa.ctx)
    expect(slowBank.refunds).toHaveLength(1)
    expect(await findOperationById(kassa.ctx.db, id)).toMatchObject({ status: 'succeeded' })
  })

  test('a charge that could not be sent in time is sent by a later run, once', async () => {
    kassa.ctx.routes.route_a = route
    const tokenId = await openToken(kassa.url, shop)
    stopAt('before charge')
    slowBank.orders.clear()
    const { body } = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
    await SWEEPS.renewals(kassa.ctx)
    expect([...slowBank.orders.values()]).toEqual([])
    kassa.clock.advance(60_000)
    await SWEEPS.renewals(kassa.ctx)
    expect([...slowBank.orders.values()]).toEqual([1])
    expect(await chargesOf(kassa, body.subscription.id)).toEqual(['paid'])
  })
})
