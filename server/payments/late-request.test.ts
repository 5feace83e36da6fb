/** A write whose process was stopped before it left: it is not sent any more, and is taken back. */
import { expect, test } from 'vitest'
import { findOperationById } from '../storage/payments/operations.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import {
  chargesOf,
  createSubscription,
  openToken,
  subscriptionRequest,
} from '../testing/payments/subscriptions.ts'
import { beforeWriting } from '../testing/processes/crash-points.ts'
import { countingBankDriver, startCountingBank } from '../testing/providers/counting-bank.ts'
import { closeAfter, openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'

/** Longer than any write may take. */
const STOPPED_MS = 21_000

const { kassa, shop } = await openScene()
const bank = closeAfter(await startCountingBank())
const { route_a: route } = kassa.ctx.routes

/** Once, much time passes between the connection for this call and its first byte. */
function stopAt(point: string): void {
  let isStopped = false
  const driver = countingBankDriver(bank.url, (reached) => {
    if (reached !== point || isStopped) return
    isStopped = true
    beforeWriting(bank.url, () => kassa.clock.advance(STOPPED_MS))
  })
  kassa.ctx.routes.route_a = { ...route, driver: { ...route.driver, ...driver } as typeof route.driver }
}

test('a refund that could not be sent in time is sent by a later run, once', async () => {
  stopAt('before refund')
  const body = sessionRequest({ merchantOrderId: 'late', amountMinor: 1900 })
  const { body: session } = await createSession(kassa.url, shop, { key: 'late', body })
  const reference = (await findPaymentById(kassa.ctx.db, session.id))?.attempt.reference
  const charged = JSON.stringify({ reference, amountMinor: 1900, currency: 'USD', charged: true })
  await fetch(`${bank.url}/orders/${reference}`, { method: 'POST', body: charged })
  await lookUp(kassa.url, shop, session.id)
  const request = { key: 'late', body: { amountMinor: 500, reason: 'r' } }
  const { id } = (await askOperation(kassa.url, shop, session.id, 'refunds', request)).body.operation
  await SWEEPS.moneyOperations(kassa.ctx)
  expect(bank.refunds).toEqual([])
  expect(await findOperationById(kassa.ctx.db, id)).toMatchObject({ status: 'processing', sentAt: null })
  kassa.clock.advance(60_000)
  await SWEEPS.moneyOperations(kassa.ctx)
  expect(bank.refunds).toHaveLength(1)
  expect(await findOperationById(kassa.ctx.db, id)).toMatchObject({ status: 'succeeded' })
})

test('a charge that could not be sent in time is sent by a later run, once', async () => {
  kassa.ctx.routes.route_a = route
  const tokenId = await openToken(kassa.url, shop)
  stopAt('before charge')
  bank.orders.clear()
  const { body } = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
  await SWEEPS.renewals(kassa.ctx)
  expect([...bank.orders.values()]).toEqual([])
  kassa.clock.advance(60_000)
  await SWEEPS.renewals(kassa.ctx)
  expect([...bank.orders.values()]).toEqual([1])
  expect(await chargesOf(kassa, body.subscription.id)).toEqual(['paid'])
})
