/** People find an order at the provider by the shop's own number. Nothing there says who the buyer is. */
import { describe, expect, test } from 'vitest'
import {
  createSubscription,
  createToken,
  subscriptionRequest,
  tokenRequest,
} from '../testing/payments/subscriptions.ts'
import { ROUTES, setBothProviders } from '../testing/providers/both-providers.ts'
import { actAsBuyer } from '../testing/providers/paypal-server.ts'
import { closeAfter } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'

const both = closeAfter(await setBothProviders())

const LONGEST = `${'Պատվեր'.repeat(19)}-12345`
const CUSTOMER = { email: 'planted@buyer.example', name: 'Planted Name' }

describe('an order at PayPal', () => {
  const paidAt = async (merchantOrderId: string) => {
    const opened = await both.open('paypal', { merchantOrderId, customer: CUSTOMER })
    await fetch(await actAsBuyer(opened.url, 'pay'), { redirect: 'manual' })
    return both.orderAt(opened)
  }

  test('has the shop’s number first in its invoice number, which stays unique', async () => {
    const [one, two] = [await paidAt('order-1001'), await paidAt('order-1001')]
    for (const { unit, status } of [one, two]) {
      expect(unit.invoice_id).toBe(`order-1001/${unit.custom_id}`)
      expect(status).toBe('COMPLETED')
      expect(JSON.stringify(unit)).not.toMatch(/planted/i)
    }
    expect(one.unit.invoice_id).not.toBe(two.unit.invoice_id)
  })

  test('has a long number cut within PayPal’s limit, counted in bytes and between characters', async () => {
    const { unit } = await paidAt(LONGEST)
    const { invoice_id: invoice = '', custom_id: reference = '' } = unit
    expect(Buffer.byteLength(invoice)).toBeLessThanOrEqual(127)
    expect(invoice).toMatch(/^(Պատվեր)+[Պատվեր]*\/\w+$/)
    expect(invoice.endsWith(`/${reference}`)).toBe(true)
  })
})

describe('an order at Stripe', () => {
  test('has the shop’s number in the session, in the payment’s metadata and first in its description', async () => {
    const opened = await both.open('stripe', { merchantOrderId: 'order-1002', customer: CUSTOMER })
    both.stripe.buyer(opened, 'visa')
    const session = both.stripe.sessionAt(opened)
    const intent = both.stripe.account.intents.get(String(session.payment_intent))
    expect([session.metadata?.order, intent?.metadata.order]).toEqual(['order-1002', 'order-1002'])
    expect(intent?.description).toBe('order-1002')
    expect(JSON.stringify(intent?.metadata)).not.toMatch(/planted/i)
  })
})

describe('a renewal', () => {
  const renew = async (provider: 'stripe' | 'paypal', save: (setupUrl: string) => Promise<unknown>) => {
    const { kassa, shop } = both
    const providerRoute = ROUTES[provider]
    const { body } = await createToken(kassa.url, shop, { body: tokenRequest({ providerRoute }) })
    await save(body.setupUrl)
    const changes = { providerRoute, merchantSubscriptionId: `box-${provider}`, description: 'A box of tea' }
    const created = await createSubscription(kassa.url, shop, {
      body: subscriptionRequest(body.token.id, changes),
    })
    expect(created.status).toBe(201)
    await SWEEPS.renewals(kassa.ctx)
  }

  test('at PayPal has the number of its period', async () => {
    await renew('paypal', async (url) => fetch(await actAsBuyer(url, 'pay'), { redirect: 'manual' }))
    const charged = [...both.paypal.account.orders.values()].find(({ vaultId }) => vaultId !== null)
    expect(charged?.unit.invoice_id).toBe(`box-paypal/1/${charged?.unit.custom_id}`)
  })

  test('at Stripe has the number of its period', async () => {
    await renew('stripe', async (url) => {
      const page = both.stripe.sessionAt({ url })
      both.stripe.buyer({ url }, 'visa')
      await fetch(String(page.success_url), { redirect: 'manual' })
    })
    const charged = [...both.stripe.account.intents.values()].at(-1)
    expect(charged?.metadata.order).toBe('box-stripe/1')
    expect(charged?.description).toBe('box-stripe/1: A box of tea')
  })
})
