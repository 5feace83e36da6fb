/** A card is declined, and the buyer approves the same order again. PayPal does not show in the order when its buyer approved. */
import { expect, test } from 'vitest'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'

const scene = closeAfter(await setPaypalScene())

/** Opens an order, and a card is declined. Returns what a later approval of the same order needs. */
async function declined() {
  const { body } = await scene.open()
  scene.server.takeSent()
  const page = body.providerCheckoutUrl
  await scene.comeBack(await actAsBuyer(page, 'decline'))
  await scene.deliver()
  const order = async () => (await scene.orders(body.id))[0]
  const tries = async () => (await order())?.tries
  expect(await tries()).toBe(1)
  return { id: body.id, page, order, tries }
}

test.each(['APPROVED', 'PAYER_ACTION_REQUIRED'] as const)(
  'after a decline nothing is taken without a new approval, whatever asks (the order is %s)',
  async (status) => {
    const { id, order, tries } = await declined()
    Object.assign((await order()) ?? {}, { status })
    for (const ms of [12_000, 35_000, 65_000, 130_000, 310_000]) await scene.later(ms)
    await fetch(`${scene.kassa.url}/checkout/${id}`)
    expect(await tries()).toBe(1)
    expect(await scene.payment(id)).toMatchObject({
      status: 'pending_payment',
      attempt: { state: 'declined' },
    })
  },
)

test('after a decline the buyer approves the same order with another card, and comes back: it is paid once', async () => {
  const { id, page, tries } = await declined()
  await scene.later(40_000)
  await scene.comeBack(await actAsBuyer(page, 'pay'))
  expect(await scene.payment(id)).toMatchObject({ status: 'paid', attempt: { number: 1, state: 'paid' } })
  expect(await tries()).toBe(2)
  await scene.expectReconciled(id)
})

test('after a decline the callback about the new approval has it paid, also if it comes within seconds', async () => {
  const { id, page, tries } = await declined()
  await scene.later(2_000)
  await actAsBuyer(page, 'pay')
  await scene.deliver()
  // Another process may still be at work on the first approval, so the schedule takes the money.
  for (const ms of [12_000, 35_000]) await scene.later(ms)
  expect(await scene.status(id)).toBe('paid')
  expect(await tries()).toBe(2)
  await scene.expectReconciled(id)
})

test('after a decline that PayPal shows in the order, a later approval is a new one without a callback or return', async () => {
  const { id, page, order } = await declined()
  Object.assign((await order()) ?? {}, { status: 'PAYER_ACTION_REQUIRED' })
  await scene.later(40_000)
  await actAsBuyer(page, 'pay')
  await scene.later(70_000)
  expect(await scene.status(id)).toBe('paid')
  await scene.expectReconciled(id)
})

test('a second decline of the same order is shown, and takes nothing', async () => {
  const { id, page, tries } = await declined()
  await scene.later(40_000)
  await scene.comeBack(await actAsBuyer(page, 'decline'))
  expect(await tries()).toBe(2)
  expect(await scene.payment(id)).toMatchObject({
    status: 'pending_payment',
    attempt: { state: 'declined', facts: { declineCategory: 'ask_another_card' } },
  })
  await scene.later(40_000)
  await scene.comeBack(await actAsBuyer(page, 'pay'))
  expect(await scene.status(id)).toBe('paid')
  await scene.expectReconciled(id)
})
