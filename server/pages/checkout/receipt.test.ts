/** The receipt to print, and what a buyer reads whose payment failed. */
import { afterAll, describe, expect, test } from 'vitest'
import { createSession, payAtBank, readPage, sessionRequest } from '../../testing/calls.ts'
import { startKassa } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { linkContent } from './link.ts'

const kassa = await startKassa()
const { shop, pay, print, refund, receipts } = await openFiscalShop(kassa)
afterAll(() => kassa.close())

const page = (id: string, locale = 'en') => readPage(`${kassa.url}/checkout/${id}/receipt`, locale)

test('the page of a paid payment links to a receipt with the register’s numbers, for the sale and for the refunds', async () => {
  await operateHere(
    async () => kassa.ctx,
    [
      'merchant',
      'brand',
      '--merchant',
      shop.merchantId,
      '--tax-number',
      '01234567',
      '--phone',
      '+374 10 123456',
    ],
  )
  const id = await pay()
  expect((await page(id)).html).not.toContain('data-testid="fiscal"')
  await print()
  await refund(id, 500)
  await print()
  const paid = await readPage(`${kassa.url}/checkout/${id}`)
  expect(paid.html).toContain(`href="/checkout/${id}/receipt?locale=en"`)
  const numbers = (await receipts(id)).map(({ number }) => number)
  expect(numbers).toHaveLength(2)
  const { status, html } = await page(id)
  expect(status).toBe(200)
  for (const part of ['Test shop', '$19.00', '$5.00', id, '01234567', 'tel:+37410123456', ...numbers])
    expect(html).toContain(part)
  expect((await page(id, 'hy')).html).toContain('Վճարման անդորրագիր')
})

test.each(['declined', 'pending', 'cancelled'])(
  'a payment without money has no receipt (%s): the address redirects to its page',
  async (outcome) => {
    const key = `no-receipt-${outcome}`
    const { body } = await createSession(kassa.url, shop, {
      key,
      body: sessionRequest({ merchantOrderId: key }),
    })
    await payAtBank(body.providerCheckoutUrl, outcome)
    const answer = await fetch(`${kassa.url}/checkout/${body.id}/receipt`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/checkout/${body.id}`])
    expect((await readPage(`${kassa.url}/checkout/${body.id}`)).html).not.toContain('data-testid="receipt"')
  },
)

test('an unknown payment has no receipt', async () => {
  expect((await page('pay_test_unknown')).status).toBe(404)
})

describe('a buyer who left without paying reads that no money was taken, and how to reach the shop', () => {
  test.each(['hy', 'ru', 'en'])('in %s', async (locale) => {
    const key = `cancelled-${locale}`
    const { body } = await createSession(kassa.url, shop, {
      key,
      body: sessionRequest({ merchantOrderId: key }),
    })
    await payAtBank(body.providerCheckoutUrl, 'cancelled')
    const { html } = await readPage(`${kassa.url}/checkout/${body.id}`, locale)
    expect(html).toContain(
      { hy: 'գումար չի գանձվել', ru: 'Деньги за этот заказ не списаны', en: 'No money was taken' }[locale],
    )
    expect(html).toContain('data-testid="contact"')
  })
})

test('a link whose time has passed does not say that no money was taken until the bank confirms it', () => {
  for (const status of ['pending_redirect', 'pending_payment'] as const)
    expect(linkContent({ status, isOver: true, isManual: false }).next).toBeUndefined()
})
