/** The button leads past our page only where the setting says so, from the button's own page, and with nothing to ask or to say. */
import { get } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { setBranding } from '../../merchants/branding.ts'
import { setCheckoutSkip } from '../../merchants/checkout-skip.ts'
import { setProduct } from '../../merchants/product.ts'
import { setMerchantRoutes } from '../../merchants/routes.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { clickWidget, lookUp } from '../../testing/calls.ts'
import { openShop, SHOP_ORIGIN, type Shop } from '../../testing/harness.ts'
import { openLedger } from '../../testing/providers/ledger-bank.ts'
import { forgetCached } from '../../testing/real-time.ts'
import { openKassa } from '../../testing/scene.ts'

const kassa = await openKassa()
const { ctx, clock } = kassa
const ledger = openLedger(ctx, { status: 'pending_payment' })

let shop: Shop
beforeEach(async () => {
  shop = await openShop(ctx)
  await setCheckoutSkip(ctx, shop.publicKey, true)
})

/** What a browser sends when a press of the button leads it to another site. */
const PRESS = {
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'cross-site',
  referer: `${SHOP_ORIGIN}/`,
}

/** `changes`: undefined takes a header out. */
function visit(address: string, changes: Record<string, string | undefined> = {}) {
  const given = Object.entries({ ...PRESS, ...changes }).filter(
    (entry): entry is [string, string] => !!entry[1],
  )
  return new Promise<{ status: number; to: string; cookies: string; html: string }>((resolve, reject) => {
    const request = get(`${address}&locale=en`, { headers: Object.fromEntries(given) }, async (answer) => {
      let html = ''
      for await (const chunk of answer) html += chunk
      const { location: to = '', 'set-cookie': cookies = [] } = answer.headers
      resolve({ status: answer.statusCode ?? 0, to, cookies: cookies.join(), html })
    })
    request.on('error', reject)
  })
}

const press = async (body: object = {}): Promise<{ paymentId: string; checkoutUrl: string }> =>
  (await clickWidget(kassa.url, shop, { body })).body
const attempts = async (id: string) => {
  const payment = await findPaymentById(ctx.db, id)
  return payment ? listAttempts(ctx.db, payment) : []
}
const bank = expect.stringMatching(/^https:\/\/bank\.example\//)

test('a press leads to the order that the button has opened, and again to the same one', async () => {
  const { paymentId, checkoutUrl } = await press()
  const first = await visit(checkoutUrl)
  expect([first.status, first.to]).toEqual([303, bank])
  expect(first.cookies).toContain(`kassa_paying=${paymentId}`)
  const again = await press()
  expect(again).toMatchObject({ paymentId, checkoutUrl })
  expect((await visit(again.checkoutUrl)).to).toBe(first.to)
  const [reload, twin] = await Promise.all([visit(checkoutUrl), visit(checkoutUrl)])
  expect([reload.to, twin.to]).toEqual([first.to, first.to])
  expect(await attempts(paymentId)).toHaveLength(1)
  expect((await lookUp(kassa.url, shop, paymentId)).body.checkoutUrl).toBe(checkoutUrl.split('?')[0])
})

test('after a second press the next return asks the provider at once again', async () => {
  const { paymentId, checkoutUrl } = await press()
  const back = async () => {
    const answer = await fetch(`${kassa.url}/checkout/${paymentId}/return`, { redirect: 'manual' })
    return answer.headers.get('location') ?? ''
  }
  expect((await visit(checkoutUrl)).to).toEqual(bank)
  expect(await back()).toContain(`/checkout/${paymentId}`)
  expect((await visit(checkoutUrl)).to).toEqual(bank)
  const { attempt, amountMinor } = (await findPaymentById(ctx.db, paymentId)) as AttemptedPayment
  const money = { authorizedMinor: amountMinor, capturedMinor: amountMinor }
  ledger.move(attempt.reference, { order: 'completed', ...money })
  expect(await back()).toContain(SHOP_ORIGIN)
  expect((await findPaymentById(ctx.db, paymentId))?.status).toBe('paid')
})

describe('our page is shown', () => {
  test.each<[string, Record<string, string | undefined>]>([
    ['typed, or opened from a mail program', { 'sec-fetch-site': 'none', referer: undefined }],
    ['opened from another site', { referer: 'https://mail.example/' }],
    ['opened from a page without a referrer', { referer: undefined }],
    ['opened from a page with a broken referrer', { referer: 'about:client' }],
    ['prefetched', { 'sec-purpose': 'prefetch' }],
    ['prefetched by an older browser', { purpose: 'prefetch' }],
    ['opened in a frame', { 'sec-fetch-dest': 'iframe' }],
    ['fetched by a script', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['fetched by a program', { 'sec-fetch-mode': undefined, 'sec-fetch-site': undefined }],
  ])('to an address that is %s, and has no mark in its links', async (_, changes) => {
    const { checkoutUrl } = await press()
    const { status, html } = await visit(checkoutUrl, changes)
    expect(status).toBe(200)
    expect(html).toContain('data-testid="pay"')
    expect(html).not.toContain('button=')
  })

  test('for the mark of another payment, and after half an hour', async () => {
    const [one, other] = [await press(), await press({ clientReference: 'click-2' })]
    const mixed = one.checkoutUrl.replace(one.paymentId, other.paymentId)
    expect((await visit(mixed)).status).toBe(200)
    clock.advance(31 * 60_000)
    expect((await visit(one.checkoutUrl)).status).toBe(200)
  })

  test('without the setting, also for a mark that somebody adds', async () => {
    const marked = (await press()).checkoutUrl
    await setCheckoutSkip(ctx, shop.publicKey, false)
    const checkoutUrl = marked.split('?')[0] ?? ''
    await expect.poll(async () => (await press()).checkoutUrl).toBe(checkoutUrl)
    expect((await visit(`${checkoutUrl}?button=x`)).status).toBe(200)
  })

  const tea = () => ({ merchantId: shop.merchantId, id: 'tea', name: 'Tea', amountMinor: 1900 })
  const priced = { currency: 'USD', provider: null } as const
  const ROUTES = [
    { route: 'route_a' as const, label: 'Card' },
    { route: 'route_b' as const, label: 'Wallet' },
  ]
  test.each<[string, () => Promise<unknown>]>([
    [
      'a field',
      () => setProduct(ctx, { ...tea(), ...priced, display: { fields: { note: { isRequired: false } } } }),
    ],
    ['an e-mail address', () => setBranding(ctx, shop.merchantId, { askEmail: true })],
    ['a route', () => setMerchantRoutes(ctx, shop.merchantId, ROUTES)],
    [
      'the terms of sale to show',
      () => setBranding(ctx, shop.merchantId, { termsUrl: 'https://shop.example/t' }),
    ],
    ['a bank account to show', () => setProduct(ctx, { ...tea(), currency: 'USD', provider: 'manual' })],
  ])('when there is %s', async (_, ask) => {
    await ask()
    forgetCached()
    const { status, html } = await visit((await press()).checkoutUrl)
    expect([status, html.includes('data-testid="checkout"')]).toEqual([200, true])
  })

  test('after a decline, after the payment, and beside another payment of this browser', async () => {
    const { paymentId, checkoutUrl } = await press()
    const { cookies } = await visit(checkoutUrl)
    const begun = /kassa_open_\w+=[^;]+/.exec(cookies)?.[0]
    const other = await press({ clientReference: 'click-2' })
    expect((await visit(other.checkoutUrl, { cookie: begun })).status).toBe(200)
    expect((await visit(other.checkoutUrl)).status).toBe(303)

    const [order] = await attempts(paymentId)
    ledger.move(order?.reference ?? '', { order: 'declined' })
    await lookUp(kassa.url, shop, paymentId)
    clock.advance(60_000)
    expect((await visit(checkoutUrl)).html).toContain('Try again')
    const [paid] = await attempts(other.paymentId)
    ledger.move(paid?.reference ?? '', { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
    await lookUp(kassa.url, shop, other.paymentId)
    expect((await visit(other.checkoutUrl)).html).toContain('Paid')
    expect(await attempts(paymentId)).toHaveLength(1)
  })
})
