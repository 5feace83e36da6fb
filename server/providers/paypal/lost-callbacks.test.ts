/** An account at PayPal whose webhook works, until it does not: what is lost is found by questions. */
import { beforeEach, expect, test } from 'vitest'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'

const MINUTE_MS = 60_000

const scene = closeAfter(await setPaypalScene())

async function seenAt(): Promise<number | null> {
  const { rows } = await scene.kassa.ctx.db.query(
    'select callback_seen_at as at from sandbox.accounts where id = $1',
    [scene.accountId],
  )
  return rows[0]?.at?.getTime() ?? null
}

/** A payment whose callback arrives. */
async function payWithCallback(): Promise<void> {
  await scene.pay()
  expect(new Set(await scene.deliver())).toEqual(new Set([200]))
}
beforeEach(payWithCallback)

test('a callback about an order of ours is noted with the account, at most once an hour, and a forged one never', async () => {
  const first = await seenAt()
  expect(first).not.toBeNull()
  await scene.later(50 * MINUTE_MS)
  await payWithCallback()
  expect(await seenAt()).toBe(first)
  await scene.later(20 * MINUTE_MS)
  await scene.pay()
  const sent = scene.server.takeSent()
  const forged = sent.map((each) => ({ ...each, body: each.body.replace('USD', 'EUR') }))
  expect(new Set(await scene.deliver(forged))).toEqual(new Set([403]))
  expect(await seenAt()).toBe(first)
  await scene.deliver(sent)
  expect(await seenAt()).toBeGreaterThan(first ?? 0)
})

/** The buyer approves after `afterMs`, and PayPal's callbacks about it are lost. */
async function approveUnheard(afterMs: number): Promise<{ id: string; endsInMs: number }> {
  const { body } = await scene.open()
  await scene.later(12_000)
  await scene.later(afterMs - 12_000)
  await actAsBuyer(body.providerCheckoutUrl, 'pay')
  scene.server.takeSent()
  const { expiresAt } = await scene.payment(body.id)
  return { id: body.id, endsInMs: expiresAt.getTime() - scene.kassa.clock.now().getTime() }
}

test('an approval whose callback is lost is captured at the expiry', async () => {
  const { id, endsInMs } = await approveUnheard(3 * MINUTE_MS)
  await scene.later(endsInMs - MINUTE_MS)
  expect(await scene.status(id)).toBe('pending_redirect')
  await scene.later(MINUTE_MS)
  expect(await scene.status(id)).toBe('paid')
  await scene.expectReconciled(id)
})

test('an approval that is first seen up to 30 minutes after the expiry is captured', async () => {
  const { id, endsInMs } = await approveUnheard(3 * MINUTE_MS)
  await scene.later(endsInMs + 29 * MINUTE_MS)
  expect(await scene.status(id)).toBe('paid')
  await scene.expectReconciled(id)
})

test('an approval that is first seen later than that takes no money, and neither does one after the payment has ended', async () => {
  const { id, endsInMs } = await approveUnheard(3 * MINUTE_MS)
  await scene.later(endsInMs + 31 * MINUTE_MS)
  expect(await scene.status(id)).toBe('expired')
  const { body } = await scene.open()
  await scene.later(91 * MINUTE_MS)
  expect(await scene.status(body.id)).toBe('expired')
  await actAsBuyer(body.providerCheckoutUrl, 'pay')
  await scene.deliver()
  await scene.later(10 * MINUTE_MS)
  for (const payment of [id, body.id]) {
    expect(await scene.status(payment)).toBe('expired')
    await scene.expectReconciled(payment)
  }
})
