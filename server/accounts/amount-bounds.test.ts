/** An account's own bounds of amounts are checked before its provider is asked, and merchants can read them. */
import { afterAll, describe, expect, test } from 'vitest'
import { createSession, readCapabilities, sessionRequest } from '../testing/calls.ts'
import { argv } from '../testing/command-line.ts'
import { operateHere } from '../testing/operator.ts'
import { openStripeShop } from '../testing/providers/stripe-scene.ts'
import { readAmountBounds } from './amount-bounds.ts'

const { close, kassa, scene, shop } = await openStripeShop({
  settings: { ROUTE_A_AMOUNT_BOUNDS: 'EUR 1.00-5000.00, USD -60.5' },
})
afterAll(close)

test.each([
  ['EUR 1.00-5000.00', { EUR: { smallestMinor: 100, largestMinor: 500_000 } }],
  ['EUR 1-, USD -0.5', { EUR: { smallestMinor: 100 }, USD: { largestMinor: 50 } }],
  ['AMD 100-999999.99', { AMD: { smallestMinor: 10_000, largestMinor: 99_999_999 } }],
])('%s is read', (text, bounds) => {
  expect(readAmountBounds(text)).toEqual(bounds)
})

test.each(
  ['', 'EUR', 'EUR -', 'EUR 5', 'EUR 5-1', 'EUR 0-5', 'EUR 1.001-5', 'EUR 1-5; USD 1-5', 'XXX 1-5'].concat([
    'EUR 1-5, EUR 2-6',
    'EUR 1e2-5',
    'EUR 1-99999999999999',
    'eur 1-5',
  ]),
)('%j is rejected', (text) => {
  expect(readAmountBounds(text)).toBeNull()
})

describe('a payment', () => {
  let orders = 0
  const create = (currency: string, amountMinor: number) => {
    const key = `bounds-${++orders}`
    return createSession(kassa.url, shop, {
      key,
      body: sessionRequest({ merchantOrderId: key, currency, amountMinor }),
    })
  }

  test.each([
    ['EUR', 99, 'must be from 100 to 500000: the payment provider takes no other amount'],
    ['EUR', 500_001, 'must be from 100 to 500000: the payment provider takes no other amount'],
    // Stripe's own smallest amount is kept where the setting leaves it open.
    ['USD', 49, 'must be from 50 to 6050: the payment provider takes no other amount'],
    ['USD', 6_051, 'must be from 50 to 6050: the payment provider takes no other amount'],
  ])('of %s %i is rejected on its field, and Stripe is not asked', async (currency, amountMinor, reason) => {
    const before = scene.server.writes.length
    const { status, body } = await create(currency, amountMinor)
    expect([status, body.errors]).toEqual([422, { amountMinor: reason }])
    expect(scene.server.writes.length).toBe(before)
  })

  test.each([
    ['EUR', 100],
    ['EUR', 500_000],
    ['USD', 6_050],
    ['AMD', 99_999_999],
  ])('of %s %i is accepted', async (currency, amountMinor) => {
    expect((await create(currency, amountMinor)).status).toBe(201)
  })
})

test('capabilities show the bounds', async () => {
  const { providers } = (await readCapabilities(kassa.url, shop)).body
  expect(providers.find(({ id }: { id: string }) => id === 'route_a').amountBounds).toEqual({
    AMD: { smallestMinor: 1, largestMinor: 99_999_999 },
    EUR: { smallestMinor: 100, largestMinor: 500_000 },
    USD: { smallestMinor: 50, largestMinor: 6_050 },
  })
})

test("a merchant's own account has bounds of its own, and a wrong setting is named", async () => {
  const set = (bounds: string) =>
    operateHere(
      async () => kassa.ctx,
      argv`account set --merchant ${shop.merchantId} --route route_b --driver sandbox --set CUSTOMER=bounds --set SECRET=bks_test_bounds --set ${`AMOUNT_BOUNDS=${bounds}`}`,
    )
  const wrong = await set('EUR 5-1')
  expect([wrong.code === 0, `${wrong.stdout}${wrong.stderr}`]).toEqual([
    false,
    expect.stringContaining('AMOUNT_BOUNDS must be currencies with their smallest and largest amounts'),
  ])
  expect((await set('EUR 2-3')).code).toBe(0)
  const { providers } = (await readCapabilities(kassa.url, shop)).body
  expect(providers.find(({ id }: { id: string }) => id === 'route_b').amountBounds.EUR).toEqual({
    smallestMinor: 200,
    largestMinor: 300,
  })
})
