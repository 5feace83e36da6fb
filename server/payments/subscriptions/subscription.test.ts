import { describe, expect, test } from 'vitest'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { untilLockIsWaitedFor } from '../../testing/lock-waits.ts'
import { interruptedDb } from '../../testing/mortal-db.ts'
import {
  cancelSubscription,
  createSubscription,
  openToken,
  revokeToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { openChargingBank } from '../../testing/providers/charging-bank.ts'
import { openKassa } from '../../testing/scene.ts'
import { revokeToken as revokeSavedMethod } from '../saved-methods/saved-method.ts'
import { workOnSubscription } from './work.ts'

const kassa = await openKassa()

const DAY_MS = 86_400_000

let shop: Shop

async function openSubscription(outcome: Parameters<typeof openToken>[2] = 'saved', changes: object = {}) {
  shop = await openShop(kassa.ctx)
  const tokenId = await openToken(kassa.url, shop, outcome)
  const body = subscriptionRequest(tokenId, changes)
  const { status, body: answer } = await createSubscription(kassa.url, shop, { key: 'begin', body })
  expect(status).toBe(201)
  return { id: String(answer.subscription.id), tokenId, body, answer }
}

/** Returns the subscription as a replay of its creation shows it. */
async function look(body: unknown) {
  const { status, body: answer } = await createSubscription(kassa.url, shop, { key: 'begin', body })
  expect(status).toBe(200)
  return answer
}

async function chargesOf(subscriptionId: string) {
  const charges = await listSubscriptionCharges(kassa.ctx.db, { merchantId: shop.merchantId, subscriptionId })
  return Promise.all(
    charges.map(async ({ period, attempt, state, paymentId }) => {
      const payment = await findPayment(kassa.ctx.db, shop.merchantId, paymentId)
      return { period, attempt, state, paymentId, payment }
    }),
  )
}

describe('a subscription', () => {
  test('starts incomplete, and is active once its first period is paid by its own payment, which sends events', async () => {
    const { id, body, answer } = await openSubscription()
    expect(answer).toMatchObject({
      ok: true,
      created: true,
      operation: { type: 'subscription_create', status: 'processing', amountMinor: 1900, currency: 'USD' },
      subscription: { status: 'incomplete', currentPeriod: 1, attempts: 0, interval: 'month' },
    })
    await sweep(kassa)
    const now = await look(body)
    expect(now).toMatchObject({
      operation: { status: 'succeeded' },
      subscription: { status: 'active', currentPeriod: 1, attempts: 1 },
    })
    expect(now.subscription.nextChargeAt).toBe(now.subscription.currentPeriodEnd)
    const [charge] = await chargesOf(id)
    expect(charge).toMatchObject({ state: 'paid', payment: { status: 'paid', amountMinor: 1900 } })
    expect(charge?.payment).toMatchObject({
      merchantOrderId: 'box-1/1',
      metadata: { source: 'subscription', subscriptionId: id, period: 1, attempt: 1 },
    })
    const events = await listPaymentEvents(kassa.ctx.db, shop.merchantId, String(charge?.paymentId))
    expect(events.map(({ status }) => status)).toEqual(['pending_payment', 'paid'])
  })

  test('whose card declines is charged again after 2, 5, 7 and 7 days, each time with a new payment, and then ends', async () => {
    const { id, body } = await openSubscription('saved_then_declines')
    await sweep(kassa)
    expect(await look(body)).toMatchObject({
      subscription: { status: 'past_due', attempts: 1 },
      operation: { status: 'processing' },
    })
    for (const [index, days] of [2, 5, 7, 7].entries()) {
      kassa.clock.advance(days * DAY_MS - 60_000)
      await sweep(kassa)
      expect(await chargesOf(id)).toHaveLength(index + 1)
      kassa.clock.advance(61_000)
      await sweep(kassa)
      expect(await chargesOf(id)).toHaveLength(index + 2)
    }
    expect(await look(body)).toMatchObject({
      subscription: { status: 'cancelled', cancelReason: 'retries_exhausted', attempts: 5 },
      operation: { status: 'failed' },
    })
    const charges = await chargesOf(id)
    expect(charges.map(({ payment }) => payment?.status)).toEqual(Array(5).fill('failed'))
    expect(new Set(charges.map(({ payment }) => payment?.attempt.reference)).size).toBe(5)
    kassa.clock.advance(60 * DAY_MS)
    await sweep(kassa)
    expect(await chargesOf(id)).toHaveLength(5)
  })

  test('whose card is declined for good ends at once', async () => {
    const { id, body } = await openSubscription('saved_then_hard_declines')
    await sweep(kassa)
    const { subscription } = await look(body)
    expect(subscription).toMatchObject({ status: 'cancelled', cancelReason: 'hard_decline', attempts: 1 })
    expect(subscription.nextChargeAt).toBeUndefined()
    kassa.clock.advance(40 * DAY_MS)
    await sweep(kassa)
    expect(await chargesOf(id)).toHaveLength(1)
  })

  test('that is cancelled is not charged any more, and cancelling it again changes nothing', async () => {
    const { id, body } = await openSubscription()
    await sweep(kassa)
    const first = await cancelSubscription(kassa.url, shop, id, 'end')
    expect([first.status, first.body]).toMatchObject([
      201,
      {
        operation: { type: 'subscription_cancel', status: 'succeeded' },
        subscription: { status: 'cancelled', cancelReason: 'requested' },
      },
    ])
    const again = await cancelSubscription(kassa.url, shop, id)
    expect([again.status, again.body.subscription]).toEqual([201, first.body.subscription])
    expect(again.body.operation).toMatchObject({
      status: 'succeeded',
      statusReason: 'it was cancelled already',
    })
    const replay = await cancelSubscription(kassa.url, shop, id, 'end')
    expect([replay.status, replay.body.operation.id]).toEqual([200, first.body.operation.id])
    kassa.clock.advance(90 * DAY_MS)
    await sweep(kassa)
    expect(await chargesOf(id)).toHaveLength(1)
    expect((await look(body)).operation.status).toBe('succeeded')
  })

  test('ends when its saved card is revoked, and the card is never charged again', async () => {
    const { id, tokenId, body } = await openSubscription()
    await sweep(kassa)
    expect((await revokeToken(kassa.url, shop, tokenId)).status).toBe(201)
    await sweep(kassa)
    kassa.clock.advance(90 * DAY_MS)
    await sweep(kassa)
    expect((await look(body)).subscription).toMatchObject({
      status: 'cancelled',
      cancelReason: 'token_revoked',
    })
    expect(await chargesOf(id)).toHaveLength(1)
  })
})

/** A revocation and a renewal of the same saved method lock their rows in one order. */
describe('a revocation at the same moment as a renewal', () => {
  /** How many deadlocks PostgreSQL has broken in this database. Each connection reports its own at the end of a statement, if it must. */
  async function countDeadlocks(): Promise<number> {
    const report = () => kassa.ctx.db.query('select pg_stat_force_next_flush()')
    await Promise.all(Array.from({ length: kassa.ctx.config.poolMax }, report))
    const { rows } = await kassa.ctx.db.query(
      'select deadlocks::int as n from pg_stat_database where datname = current_database()',
    )
    return rows[0].n
  }

  test('a revocation that comes while a renewal locks the saved method ends without a deadlock', async () => {
    const shop = await openShop(kassa.ctx)
    openChargingBank(kassa.ctx)
    const tokenId = await openToken(kassa.url, shop)
    const { body } = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
    const { id } = body.subscription
    const due = await findSubscription(kassa.ctx.db, shop.merchantId, id)
    if (!due) throw new Error(`The subscription ${id} does not exist.`)
    const before = await countDeadlocks()
    let revoking: Promise<unknown> = Promise.resolve()
    // The renewal has locked the subscription. The revocation gets as far as it can before the renewal goes on.
    const db = interruptedDb(kassa.ctx.db, 'lock_payment_method_token', async () => {
      const given = { merchantId: shop.merchantId, tokenId, idempotencyKey: 'revoked-meanwhile' }
      revoking = revokeSavedMethod(kassa.ctx, given)
      await Promise.race([untilLockIsWaitedFor(kassa.ctx.db), revoking.catch(() => {})])
    })
    const renewing = workOnSubscription({ ...kassa.ctx, db }, due)
    const ended = await Promise.allSettled([
      renewing,
      renewing.then(
        () => revoking,
        () => revoking,
      ),
    ])
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    expect((await countDeadlocks()) - before).toBe(0)
    const charges = await listSubscriptionCharges(kassa.ctx.db, {
      merchantId: shop.merchantId,
      subscriptionId: id,
    })
    expect(charges).toHaveLength(1)
  })
})
