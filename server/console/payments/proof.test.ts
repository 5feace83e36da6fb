/** On the page of a payment: by what its money is proved, for each role, and what the buyer will be told of an act. */
import { expect, test } from 'vitest'
import { forgetCustomer } from '../../operator/forgetting/forget.ts'
import type { AttemptFacts } from '../../payments/attempts/attempt.ts'
import { inTransaction } from '../../storage/db.ts'
import { openOrder } from '../../storage/orders/orders.ts'
import { storeOrderPayment } from '../../storage/orders/payments.ts'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { hiddenIn, openAs, startDesk, type TestBrowser } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { closeAfter, openKassa } from '../../testing/scene.ts'

const browsers = {} as Record<'operator' | 'shop' | 'cashier', TestBrowser>
const kassa = await openKassa()
const desk = closeAfter(await startDesk(kassa.worlds))
const shop = await openShop(kassa.ctx)
await openAs(kassa.ctx, desk, { role: 'administrator', email: 'root@shop.example' })
for (const role of ['operator', 'shop', 'cashier'] as const) {
  const merchantId = role === 'operator' ? null : shop.merchantId
  const values = { role, email: `${role}@shop.example`, merchantId, name: `Ani of ${role}` }
  ;({ browser: browsers[role] } = await openAs(kassa.ctx, desk, values))
}

let orders = 0
async function pay(outcome: string | null, more: Record<string, unknown> = {}): Promise<string> {
  const key = `proof-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 1_900, ...more })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  if (outcome !== null) await payAtBank(session.providerCheckoutUrl, outcome)
  return session.id
}
const at = (id: string, act = '') => `/sandbox/payments/${id}${act && `/${act}`}`
const page = async (role: keyof typeof browsers, id: string) => (await browsers[role].get(at(id))).text
/** The lines of the lists of facts, by their names. */
const factsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)].map(([, name, value]) => [name, value]),
  )

test('a card payment is proved by its provider, with the numbers of both sides and the card', async () => {
  const id = await pay('paid')
  const attempt = (await findPaymentById(kassa.ctx.db, id))?.attempt
  const facts = attempt?.facts as AttemptFacts
  expect(facts.providerTransactionId).toBeTruthy()
  const text = await page('shop', id)
  expect(factsIn(text)).toMatchObject({
    'Known from': 'the provider, whom this service has asked',
    'Paid with': `card, Visa ···· ${facts.instrument?.last4}`,
    'Our number there': attempt?.reference,
    'Its own number': facts.providerTransactionId,
    "The bank's reference": facts.rrn,
  })
  expect(text).toMatch(/1\. paid · /)
  expect(text).toContain(`/sandbox/shops/${shop.merchantId}/events?payment=${id}`)
  // An account is its owner's or the deployment's, and this one is the deployment's.
  expect(text).not.toContain(attempt?.accountId)
  expect(await page('operator', id)).toContain(`href="/sandbox/accounts/${attempt?.accountId}"`)
})

test('a cashier sees who has proved it, and nothing of the provider', async () => {
  const id = await pay('paid')
  const { merchantId } = shop
  const detail = 'the provider reports another sum'
  await insertPaymentWarning(kassa.ctx.db, {
    merchantId,
    paymentId: id,
    detail,
    createdAt: kassa.clock.now(),
  })
  expect(await page('shop', id)).toContain(detail)
  const text = await page('cashier', id)
  expect(factsIn(text)).toMatchObject({ 'Paid with': expect.stringMatching(/^card, .+ ···· \d{4}$/) })
  for (const hidden of [
    detail,
    'Our number there',
    'Its own number',
    'Attempts to pay',
    'route_',
    '/events',
    '/orders/',
  ])
    expect([hidden, text.includes(hidden)]).toEqual([hidden, false])
})

test('each attempt has its state and what its decline means', async () => {
  const id = await pay('declined')
  const text = await page('shop', id)
  expect(text).toMatch(/1\. (declined|open: the buyer can pay): another card may work · /)
  expect(factsIn(text)['Known from']).toMatch(/^(nothing yet|the provider)/)
})

test('money of a transfer is proved by the person who has confirmed it, under the reference of the bank', async () => {
  const id = await pay(null, { provider: 'manual' })
  expect(factsIn(await page('shop', id))['Known from']).toBe('nothing yet: no money has moved')
  const form = { amount: '19.00', reference: 'RF18 5390' }
  const tried = await browsers.shop.post(at(id, 'confirm'), {
    ...hiddenIn((await browsers.shop.get(at(id, 'confirm'))).text),
    ...form,
  })
  expect((await browsers.shop.post(at(id, 'confirm'), hiddenIn(tried.text))).location).toContain(
    'done=confirm',
  )
  const text = await page('shop', id)
  expect(factsIn(text)).toMatchObject({
    'Known from': 'Ani of shop, who has decided it',
    "The bank's reference": 'RF18 5390',
  })
  expect(text).toContain('paid · by Ani of shop')
})

test('a payment of the order book leads to its order', async () => {
  const id = await pay('paid')
  const { merchantId } = shop
  const now = kassa.clock.now()
  const sums = { amountMinor: 1_900, capturedMinor: 1_900, refundedMinor: 0, currency: 'USD' } as const
  const named = { merchantId, reference: `proof-${orders}`, paymentId: id }
  const sale = { ...named, ...sums, sequence: 1, status: 'paid', buyer: null, takenBack: false } as const
  await storeOrderPayment(kassa.ctx.db, { ...sale, eventAt: now }, now)
  expect(await page('shop', id)).not.toContain('in the order book')
  const sold = { id: 'ord_test_proof123456', number: 'proof123', title: 'Cup', productId: null, quantity: 1 }
  await inTransaction(kassa.ctx.db, (tx) => openOrder(tx, { ...named, ...sold, createdAt: now }))
  expect(await page('shop', id)).toContain(`/sandbox/shops/${merchantId}/orders/ord_test_proof123456"`)
})

test('the texts for the buyer have a button each, which is hidden without a script', async () => {
  const text = await page('cashier', await pay('paid'))
  for (const locale of ['hy', 'ru', 'en']) {
    expect(text).toMatch(new RegExp(`<button[^>]*data-copy="buyer-${locale}"[^>]*hidden`))
    expect(text).toContain(`<span id="buyer-${locale}" lang="${locale}">`)
  }
})

test('the second form says truly whether a mail goes to the buyer, and what it says', async () => {
  const confirmation = async (id: string) => {
    const { text } = await browsers.shop.get(at(id, 'refund'))
    const form = { ...hiddenIn(text), amount: '4.50', why: 'broken' }
    return (await browsers.shop.post(at(id, 'refund'), form)).text
  }
  const email = 'buyer@mail.example'
  const known = await pay('paid', { customer: { email } })
  await kassa.ctx.db.query(`update sandbox.payments set locale = 'ru' where id = $1`, [known])
  const unknown = await pay('paid', { customer: { name: 'Nobody' } })
  const silent = await confirmation(known)
  expect(silent).toContain('This service sends no mails')
  expect(silent).toMatch(/lang="ru">Вам вернули 4,50.\$/)
  kassa.ctx.config.smtpServer = { host: '127.0.0.1', port: 1, isEncrypted: false, isLoopback: true }
  try {
    const text = await confirmation(known)
    expect(text).toContain(`a mail goes to ${email}. Its language: Русский.`)
    expect(text).toMatch(/lang="ru"><strong>Вам вернули 4,50.\$/)
    expect(await confirmation(unknown)).toContain('has left no e-mail address')
    await forgetCustomer(kassa.ctx, { email, dryRun: false })
    expect(await confirmation(known)).toContain('The data of the buyer was erased')
  } finally {
    kassa.ctx.config.smtpServer = undefined
  }
})
