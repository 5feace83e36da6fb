/** Replaces a callback secret while events are being delivered. The short and the long test both use this suite. */
import { setTimeout as sleep } from 'node:timers/promises'
import Stripe from 'stripe'
import { expect } from 'vitest'
import { applyStatus } from '../payments/transition.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { isSignedWith, type Received, startReceiver } from '../testing/receiver.ts'
import { rotateWebhookSecret } from './secret.ts'

const PER_SECOND = 50
const HOUR_MS = 3_600_000
const stripe = new Stripe('sk_test_unused')

const signatures = ({ headers }: Received) => String(headers['x-service-signature']).split(',v1=').length - 1

/** Creates payments whose status has not changed yet. Returns their ids. */
async function openPayments(kassa: Kassa, shop: Shop, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const body = sessionRequest({ merchantOrderId: `order-${index}` })
    ids.push((await createSession(kassa.url, shop, { key: `order-${index}`, body })).body.id)
  }
  return ids
}

/**
 * Sends up to 50 events a second for `durationMs`, and replaces the secret after two fifths of them. A receiver with either secret
 * must accept all of them.
 */
export async function rotateWhileDelivering(durationMs: number): Promise<void> {
  const kassa = await startKassa({ worker: true })
  /** The receiver's secret. It rejects every event that is not signed with it. */
  let held = ''
  const receiver = await startReceiver((_, delivery) => (isSignedWith(delivery, held) ? 200 : 401))
  try {
    const shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
    const { merchantId, webhookSecret: old } = shop
    held = old
    const count = (PER_SECOND * durationMs) / 1_000
    const payments = await openPayments(kassa, shop, count + 20)
    const fail = (id: string) =>
      applyStatus(kassa.ctx, { merchantId, id }, { to: 'failed', cause: 'provider' })

    let fresh = ''
    let rotatedAt = 0
    const started = performance.now()
    for (const [index, id] of payments.slice(0, count).entries()) {
      // Real time: the pace of the events. A slow machine sends fewer at once.
      await sleep(Math.max(0, started + (index * 1_000) / PER_SECOND - performance.now()))
      await fail(id)
      if (index === Math.floor(count * 0.4)) {
        fresh = (await rotateWebhookSecret(kassa.ctx, merchantId, '1h')).webhookSecret
        rotatedAt = receiver.received.length
      }
      // The receiver gets the new secret well after the service began to sign with it.
      if (index === Math.floor(count * 0.7)) held = fresh
    }
    const flowed = [...(await receiver.until(count))]
    // There is one delivery for each event. None was rejected, so none was repeated.
    expect(flowed).toHaveLength(count)
    const both = flowed.filter((delivery) => signatures(delivery) === 2)
    expect(both.length).toBeGreaterThan(count * 0.5)
    for (const delivery of flowed) {
      expect(isSignedWith(delivery, old)).toBe(true)
      expect(isSignedWith(delivery, fresh)).toBe(signatures(delivery) === 2)
    }
    // Deliveries that were in progress during the replacement may have only one signature.
    const [firstOfBoth] = both
    const first = firstOfBoth ? flowed.indexOf(firstOfBoth) : -1
    expect(first).toBeGreaterThanOrEqual(rotatedAt - 8)
    expect(flowed.slice(first + 8).every((delivery) => signatures(delivery) === 2)).toBe(true)

    kassa.clock.advance(HOUR_MS)
    await Promise.all(payments.slice(count).map(fail))
    const after = (await receiver.until(count + 20)).slice(count)
    const now = Math.floor(kassa.clock.now().getTime() / 1_000)
    for (const delivery of after) {
      const header = String(delivery.headers['x-service-signature'])
      const verify = (secret: string) =>
        stripe.webhooks.constructEvent(delivery.body, header, secret, undefined, undefined, now)
      expect([signatures(delivery), isSignedWith(delivery, fresh), isSignedWith(delivery, old)]).toEqual([
        1,
        true,
        false,
      ])
      expect(verify(fresh)).toMatchObject({ id: delivery.event.id })
      expect(() => verify(old)).toThrow()
    }
  } finally {
    await kassa.close()
    await receiver.close()
  }
}
