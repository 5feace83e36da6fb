/** Refusals of one payment, which say nothing about the account. */
import { expect, test } from 'vitest'
import { getAccountView } from '../../accounts/manage.ts'
import { createSession, readCapabilities, sessionRequest } from '../../testing/calls.ts'
import { openStripeShop } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'

const { kassa, scene, shop } = closeAfter(await openStripeShop())

const create = (key: string, changes: object = {}) =>
  createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key, ...changes }) })
const account = () => getAccountView(kassa.ctx, kassa.ctx.routes.route_a.id)
async function amd() {
  const { providers } = (await readCapabilities(kassa.url, shop)).body
  return providers.find(({ id }: { id: string }) => id === 'route_a').amountBounds.AMD
}

test('an amount that only the provider knows to be too small is 422 on its field, and teaches nothing about other amounts', async () => {
  const before = await amd()
  const { status, body } = await create('too-small', { currency: 'AMD', amountMinor: 50 })
  expect([status, body.error.code, body.errors]).toEqual([
    422,
    'validation_failed',
    { amountMinor: 'is not an amount that the payment provider takes in this currency' },
  ])
  expect(await amd()).toEqual(before)
  const { health, lastRefusal } = await account()
  expect([health.state, lastRefusal]).toEqual(['ok', null])
  expect((await create('large-enough', { currency: 'AMD', amountMinor: 190_000 })).status).toBe(201)
})

test('a request that the provider refuses for another reason is final for this request, and the account stays well', async () => {
  scene.server.spoilNextWrite('refused')
  const { status, body, headers } = await create('refused')
  expect([status, headers.get('retry-after'), body.error]).toEqual([
    503,
    null,
    {
      code: 'provider_unavailable',
      message: 'The payment provider does not accept this payment.',
      requestId: expect.any(String),
      hint: 'Ask whoever runs your payment service, and name the request id.',
      retryable: false,
    },
  ])
  const { health, lastRefusal } = await account()
  expect(health.state).toBe('ok')
  expect(lastRefusal?.message).toMatch(/parameter_invalid_string/)
  expect((await create('refused')).status).toBe(201)
})
