/** Where a buyer goes after the bank: to the shop if the payment is paid, otherwise to our own page. */
import { describe, expect, test } from 'vitest'
import { EARLY_MS } from '../../sandbox/faults.ts'
import {
  clickWidget,
  createLink,
  createSession,
  linkRequest,
  payAtBank,
  readPage,
  sessionRequest,
} from '../../testing/calls.ts'
import { expectWithin } from '../../testing/expect-within.ts'
import { SHOP_ORIGIN } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import { openScene } from '../../testing/scene.ts'
import { CHORES, SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const SHOP = 'https://shop.example/thanks?from=mail'

const { kassa, shop } = await openScene()
let count = 0

async function open(
  changes: object = {},
): Promise<{ id: string; checkoutUrl: string; providerCheckoutUrl: string }> {
  const merchantOrderId = `return-${count++}`
  const body = sessionRequest({ merchantOrderId, returnUrl: SHOP, ...changes })
  return (await createSession(kassa.url, shop, { key: merchantOrderId, body })).body
}

/** Statuses never appear in the address to which the shop's buyer returns. */
const atShop = ({ id }: { id: string }) =>
  `https://shop.example/thanks?from=mail&paymentId=${id}&merchantOrderId=return-${count - 1}`

describe('a buyer who returns from the bank', () => {
  test.each(['route_a', 'route_b'])('after paying goes on to the shop (%s)', async (provider) => {
    const payment = await open({ provider })
    expect(await payAtBank(`${payment.checkoutUrl}/continue`, 'paid')).toBe(atShop(payment))
  })

  test.each(['declined', 'cancelled', 'pending', 'unknown'])(
    'stays on our page if the payment is not paid (%s), and can go back to the shop',
    async (outcome) => {
      const payment = await open()
      const ours = await payAtBank(`${payment.checkoutUrl}/continue`, outcome)
      expect(ours).toBe(`${payment.checkoutUrl}?returned=1`)
      const { html } = await readPage(ours ?? '')
      expect(html).toContain('data-testid="checkout"')
      expect(html).toContain(`href="${atShop(payment).replaceAll('&', '&amp;')}"`)
    },
  )

  test('waits while the outcome is pending, and is sent on to the shop once it is paid', async () => {
    const payment = await open()
    const ours = await payAtBank(`${payment.checkoutUrl}/continue`, 'pending')
    const waiting = await fetch(ours ?? '')
    const next = waiting.headers.get('refresh')?.split('url=')[1] ?? ''
    expect(next).toContain('returned=1')
    kassa.clock.advance(MINUTE_MS)
    const later = await fetch(new URL(next, kassa.url), { redirect: 'manual' })
    expect([later.status, later.headers.get('location')]).toEqual([303, atShop(payment)])
  })

  test('and opens the page of a paid payment stays there', async () => {
    const payment = await open()
    await payAtBank(`${payment.checkoutUrl}/continue`, 'paid')
    expect((await readPage(payment.checkoutUrl)).html).toContain('data-status="paid"')
  })
})

describe('a buyer whose session at the bank has expired', () => {
  const fault = { metadata: { sandboxFault: 'expires_early' } }
  const goOn = async (checkoutUrl: string) => (await fetch(`${checkoutUrl}/continue`, { method: 'POST' })).url
  const openLate = async (provider: string) => {
    const payment = await open({ provider, ...fault })
    return { payment, order: await goOn(payment.checkoutUrl) }
  }

  test.each(['route_a', 'route_b'])('comes back, tries again twice, and pays (%s)', async (provider) => {
    const { payment, order } = await openLate(provider)
    const orders = new Set([order])
    for (let tries = 0; tries < 2; tries++) {
      kassa.clock.advance(EARLY_MS + 1_000)
      const ours = await fetch(`${payment.checkoutUrl}/return`)
      expect(ours.url).toBe(`${payment.checkoutUrl}?returned=1`)
      expect(await ours.text()).toMatch(/data-status="pending_payment".*data-testid="pay">Try again</s)
      orders.add(await goOn(payment.checkoutUrl))
    }
    expect(await payAtBank(`${payment.checkoutUrl}/continue`, 'paid')).toBe(atShop(payment))
    expect(orders.size).toBe(3)
  })

  test('gets a new order from the pay control of a page that was open all the time', async () => {
    const { payment, order } = await openLate('route_a')
    kassa.clock.advance(EARLY_MS + 1_000)
    expect(await goOn(payment.checkoutUrl)).not.toBe(order)
    expect(await payAtBank(`${payment.checkoutUrl}/continue`, 'paid')).toBe(atShop(payment))
  })

  test('has the whole time from the first visit to the bank’s page', async () => {
    const payment = await open(fault)
    kassa.clock.advance(EARLY_MS + 1_000)
    expect((await readPage(payment.checkoutUrl)).html).toMatch(/data-testid="pay">Pay /)
    expect(await goOn(payment.checkoutUrl)).toBe(payment.providerCheckoutUrl)
    expect(await payAtBank(`${payment.checkoutUrl}/continue`, 'paid')).toBe(atShop(payment))
  })

  test('can try again also if the bank’s callback or a scheduled question came first', async () => {
    const { payment, order } = await openLate('route_a')
    kassa.clock.advance(EARLY_MS + 1_000)
    await CHORES.bankCallbacks(kassa.ctx)
    await SWEEPS.statusSync(kassa.ctx)
    const { html } = await readPage(payment.checkoutUrl)
    expect(html).toMatch(/data-status="pending_payment".*data-testid="pay">Try again</s)
    expect(await goOn(payment.checkoutUrl)).not.toBe(order)
    expect(await payAtBank(`${payment.checkoutUrl}/continue`, 'paid')).toBe(atShop(payment))
  })

  test('reads the same on the page of a link, and pays', async () => {
    const body = linkRequest(fault)
    const { paymentId, checkoutUrl } = (await createLink(kassa.url, shop, { key: 'early-link', body })).body
    const ours = `${kassa.url}/checkout/${paymentId}`
    await goOn(ours)
    kassa.clock.advance(EARLY_MS + 1_000)
    expect((await readPage(checkoutUrl)).html).toMatch(/data-testid="pay">Try again</s)
    expect(await payAtBank(`${ours}/continue`, 'paid')).toBe(`${ours}?returned=1`)
    expect((await readPage(checkoutUrl)).html).toContain('data-status="paid"')
  })
})

test("a button's buyer who has not paid goes back to the start page of the shop, not to its thank-you page", async () => {
  const answer = await fetch(`${kassa.url}/api/widget/checkout`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: SHOP_ORIGIN },
    body: JSON.stringify({
      publicKey: shop.publicKey,
      productId: 'tea',
      clientReference: 'return-widget',
      returnUrl: `${SHOP_ORIGIN}/thanks`,
    }),
  })
  const { checkoutUrl } = (await answer.json()) as { checkoutUrl: string }
  const ours = await payAtBank(`${checkoutUrl}/continue`, 'declined')
  const { html } = await readPage(ours ?? '')
  expect(html).toContain(`href="${SHOP_ORIGIN}/"`)
  expect(html).not.toContain('/thanks')
})

test("a button's buyer goes back to the shop URL of the installation where it has one, and later to the page's start page again", async () => {
  const begin = async (clientReference: string) => {
    const body = { clientReference, returnUrl: `${SHOP_ORIGIN}/thanks` }
    return (await clickWidget(kassa.url, shop, { body })).body.checkoutUrl as string
  }
  const installation = (...args: string[]) =>
    operateHere(async () => kassa.ctx, ['installation', ...args, '--installation', shop.publicKey])
  const backOf = async (checkoutUrl: string) =>
    /<a[^>]*data-testid="back"[^>]*>/.exec((await readPage(checkoutUrl)).html)?.[0] ?? ''
  const address = 'https://tea.example/shelf?from=bank'
  expect((await installation('shop', '--shop-url', address)).code).toBe(0)
  await expectWithin(2_000, async () => (await backOf(await begin(`own-${count++}`))).includes(address), true)
  expect((await installation('show')).stdout).toContain(address)
  expect((await installation('shop', '--shop-url', 'javascript:alert(1)')).code).not.toBe(0)
  expect((await installation('shop')).code).toBe(0)
  const start = `href="${SHOP_ORIGIN}/"`
  await expectWithin(2_000, async () => (await backOf(await begin(`root-${count++}`))).includes(start), true)
})

test('the language of the shop stays with the buyer on the way to the bank and back', async () => {
  const { checkoutUrl } = await open()
  const opened = await fetch(`${checkoutUrl}?locale=hy`, { headers: { 'accept-language': 'de' } })
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect(await opened.text()).toContain('<html lang="hy">')
  const headers = { 'accept-language': 'de', cookie }
  const bank = await fetch(`${checkoutUrl}/continue`, { method: 'POST', headers })
  expect(await bank.text()).toContain('<html lang="hy">')
  expect(await (await fetch(checkoutUrl, { headers })).text()).toContain('<html lang="hy">')
  const forged = await fetch(checkoutUrl, { headers: { cookie: 'kassa_locale=xx' } })
  expect(await forged.text()).toContain('<html lang="en">')
})
