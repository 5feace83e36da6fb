/** What was really taken is shown wherever a payment is: on the pages and the receipt to print, to the operator, in the API and in events. */
import { describe, expect, test } from 'vitest'
import { referenceOf } from '../../id.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import {
  askOperation,
  call,
  createSession,
  lookUp,
  payAtBank,
  readPage,
  sessionRequest,
} from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { openLedger } from '../../testing/providers/ledger-bank.ts'
import { forgetCached } from '../../testing/real-time.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { linkContent } from './link.ts'

const kassa = await openKassa()
const { shop, pay, print, printed, newKey, fiscalStatus, refund, receipts } = await openFiscalShop(kassa)
const { ctx } = kassa

async function ask(id: string, what: 'capture' | 'void', body: object): Promise<void> {
  expect((await askOperation(kassa.url, shop, id, what, { key: newKey(), body })).status).toBe(201)
  await SWEEPS.moneyOperations(ctx)
}
const show = async (id: string, ...more: string[]) =>
  (await operateHere(async () => ctx, ['payment', 'show', '--payment', id, ...more])).stdout
const lastEvent = async (id: string) =>
  JSON.parse((await listPaymentEvents(ctx.db, shop.merchantId, id)).at(-1)?.body ?? '{}').payment

const OF_ORDER = { hy: '19,00 $', ru: 'из 19,00 $', en: 'of $19.00' }

describe('a payment of 19.00 of which 12.00 were captured', () => {
  test.each(['hy', 'ru', 'en'] as const)('shows 12.00 on its page and its receipt, in %s', async (locale) => {
    const id = await pay('route_b')
    await ask(id, 'capture', { amountMinor: 1200 })
    const taken = locale === 'en' ? '$12.00' : '12,00'
    for (const address of [`${kassa.url}/checkout/${id}`, `${kassa.url}/checkout/${id}/receipt`]) {
      const { html } = await readPage(address, locale)
      const plain = html.replaceAll(/[\u00a0\u202f]/g, ' ')
      expect(/data-testid="amount"[^>]*>([^<]*)</.exec(plain)?.[1]).toContain(taken)
      expect(/data-testid="of-order"[^>]*>([^<]*)</.exec(plain)?.[1]).toContain(OF_ORDER[locale])
    }
  })

  test('shows 12.00 to the shop, in the event, to the operator and at the register', async () => {
    const id = await pay('route_b')
    await ask(id, 'capture', { amountMinor: 1200 })
    const sums = { status: 'paid', amountMinor: 1900, capturedMinor: 1200, refundedMinor: 0 }
    expect((await lookUp(kassa.url, shop, id)).body).toMatchObject(sums)
    expect(await lastEvent(id)).toMatchObject(sums)
    expect((await show(id)).split('\n')[0]).toContain('12.00 USD of 19.00 USD')
    await print()
    expect(await printed(id)).toMatchObject([{ amountMinor: 1200 }])
  })

  test('is shown with 12.00 on the page of another payment of the same order', async () => {
    const key = newKey()
    const order = sessionRequest({ merchantOrderId: key, provider: 'route_b' })
    const first = (await createSession(kassa.url, shop, { key, body: order })).body
    const other = (await createSession(kassa.url, shop, { key: newKey(), body: order })).body
    await payAtBank(first.providerCheckoutUrl, 'paid')
    await ask(first.id, 'capture', { amountMinor: 1200 })
    const { html } = await readPage(`${kassa.url}/checkout/${other.id}`)
    expect(/data-testid="paid-otherwise"[^>]*>([^<]*)</.exec(html)?.[1]).toContain('$12.00')
  })
})

describe('a void', () => {
  test.each([
    ['of a payment that was taken', 'route_a', 'refunded'],
    ['of a hold', 'route_b', 'not_required'],
  ] as const)('%s leaves nothing captured, in every face', async (_, route, fiscal) => {
    const id = await pay(route)
    await print()
    await ask(id, 'void', { reason: 'changed mind' })
    const sums = { status: 'reversed', capturedMinor: 0, refundedMinor: 0 }
    expect((await lookUp(kassa.url, shop, id)).body).toMatchObject(sums)
    expect(await lastEvent(id)).toMatchObject(sums)
    const { payment, attempts } = JSON.parse(await show(id, '--json'))
    expect([payment.capturedMinor, attempts[0].capturedMinor]).toEqual([0, 0])
    expect(await show(id)).not.toContain('Captured')
    await print()
    expect(await fiscalStatus(id)).toBe(fiscal)
    const receipts = route === 'route_a' ? [{ amountMinor: 1900 }, { amountMinor: 1900 }] : []
    expect(await printed(id)).toMatchObject(receipts)
  })
})

describe('a provider that took 9.50 of 19.00', () => {
  async function underpaid(): Promise<string> {
    const ledger = openLedger(ctx, { route: 'route_c', status: 'pending_payment' })
    const key = newKey()
    const body = sessionRequest({ merchantOrderId: key, provider: 'route_c' })
    const { id } = (await createSession(kassa.url, shop, { key, body })).body
    ledger.move(referenceOf(id), { order: 'completed', authorizedMinor: 950, capturedMinor: 950 })
    await call(`${kassa.url}/callbacks/${ctx.routes.route_c.id}`, { body: referenceOf(id) })
    return id
  }

  test('is unknown with 950 captured, also after the next question, and nothing is printed', async () => {
    const id = await underpaid()
    const sums = { status: 'status_unknown', amountMinor: 1900, capturedMinor: 950 }
    expect((await lookUp(kassa.url, shop, id)).body).toMatchObject(sums)
    kassa.clock.advance(60_000)
    expect((await lookUp(kassa.url, shop, id)).body).toMatchObject(sums)
    expect(await lastEvent(id)).toMatchObject(sums)
    await print()
    expect(await printed(id)).toEqual([])
  })

  test('and that an operator accepts as paid, is paid with 950', async () => {
    const id = await underpaid()
    const resolve = ['payment', 'resolve', '--payment', id, '--as', 'paid']
    expect((await operateHere(async () => ctx, resolve)).stderr).toContain('only 9.50 of 19.00 USD was taken')
    expect((await operateHere(async () => ctx, [...resolve, '--amount', '9.50'])).stderr).toBe('')
    expect(await lastEvent(id)).toMatchObject({ status: 'paid', capturedMinor: 950, refundedMinor: 0 })
  })
})

/** The receipt to print, and what a buyer reads whose payment failed. */
describe('the receipt to print', () => {
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
    forgetCached()
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
})
