/** Protects a buyer from paying twice: in a second tab, with a second payment for the order, and after the time to pay. */
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { createSession, payAtBank, readPage, sessionRequest } from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { openKassa } from '../../testing/scene.ts'

const MINUTE_MS = 60_000
const PAY = 'data-testid="pay"'

let shop: Shop
let count = 0
const kassa = await openKassa()
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
})

async function open(
  changes: object = {},
): Promise<{ id: string; checkoutUrl: string; providerCheckoutUrl: string }> {
  const { body } = await createSession(kassa.url, shop, { key: `k${count++}`, body: sessionRequest(changes) })
  return body
}

/** The buyer pays, and closes the tab before returning. We do not know of the payment yet. */
async function payUnseen(providerCheckoutUrl: string, outcome = 'paid'): Promise<void> {
  const { url } = await fetch(providerCheckoutUrl)
  const body = new URLSearchParams({ outcome })
  await fetch(url.split('?')[0] ?? '', { method: 'POST', body, redirect: 'manual' })
}

async function press(address: string, method = 'POST') {
  const answer = await fetch(address, { method, redirect: 'manual' })
  return { status: answer.status, location: answer.headers.get('location') }
}

const controlOf = (html: string) => /<form method="post" action="([^"]+)"/.exec(html)?.[1]

describe('the pay control', () => {
  test('leads to the bank through our own address', async () => {
    const { checkoutUrl, providerCheckoutUrl } = await open()
    const control = controlOf((await readPage(checkoutUrl)).html)
    expect(control).toBe(`${checkoutUrl}/continue`)
    expect(await press(control ?? '')).toEqual({ status: 303, location: providerCheckoutUrl })
  })

  test.each(['paid', 'cancelled', 'unknown'])(
    'of a tab that was opened before the payment was %s in another one leads back to the page',
    async (outcome) => {
      const { checkoutUrl, providerCheckoutUrl } = await open()
      expect((await readPage(checkoutUrl)).html).toContain(PAY)
      await payUnseen(providerCheckoutUrl, outcome)
      expect(await press(`${checkoutUrl}/continue`)).toEqual({ status: 303, location: checkoutUrl })
      const { html } = await readPage(checkoutUrl)
      expect(html).not.toContain(PAY)
      expect(html).not.toContain(providerCheckoutUrl.split('?')[0])
    },
  )

  test('opens another order after the last one was declined, also from an old tab', async () => {
    const { checkoutUrl, providerCheckoutUrl } = await open()
    await payUnseen(providerCheckoutUrl, 'declined')
    const { status, location } = await press(`${checkoutUrl}/continue`)
    expect([status, location?.split('?')[0]]).not.toEqual([303, providerCheckoutUrl.split('?')[0]])
    expect(location).toContain('/sandbox/bank/orders/')
    await payUnseen(location ?? '', 'declined')
    await readPage(`${checkoutUrl}/return`)
    const { html } = await readPage(checkoutUrl)
    expect(html).toContain('Try again')
    expect(controlOf(html)).toBe(`${checkoutUrl}/continue`)
  })

  test('of a two-step payment whose money is held leads back as well', async () => {
    const { checkoutUrl, providerCheckoutUrl } = await open({ provider: 'route_b' })
    await payUnseen(providerCheckoutUrl)
    expect(await press(`${checkoutUrl}/continue`)).toEqual({ status: 303, location: checkoutUrl })
    expect((await readPage(checkoutUrl)).html).toContain('data-status="authorized"')
  })

  test('of a payment whose time has passed leads nowhere, although the provider says nothing', async () => {
    const before = kassa.ctx.routes.route_a
    const script = scriptRoute(kassa.ctx)
    try {
      const { checkoutUrl } = await open()
      script.lookUp = () => ({ kind: 'unavailable', message: 'away' })
      kassa.clock.advance(120 * MINUTE_MS)
      expect((await readPage(checkoutUrl)).html).not.toContain(PAY)
      expect(await press(`${checkoutUrl}/continue`)).toEqual({ status: 303, location: checkoutUrl })
    } finally {
      kassa.ctx.routes.route_a = before
    }
  })

  test('that a provider wants posted redirects the browser with the same form, and as a link it leads back to the page', async () => {
    const before = kassa.ctx.routes.route_a
    const fields = { EDP_AMOUNT: '19.00', EDP_BILL_NO: 'a"b' }
    const action = 'https://bank.example/form'
    const { lookUp } = { lookUp: async () => ({ kind: 'not_found' }) as const }
    kassa.ctx.routes.route_a = {
      ...before,
      driver: {
        label: 'Form',
        currencies: ['USD'],
        liveCapable: false,
        supportsAutoinit: false,
        settings: z.object({}),
        lookUp,
        composeCheckout: () => ({ kind: 'form', action, fields }),
      },
    }
    try {
      const { checkoutUrl } = await open()
      const { html } = await readPage(checkoutUrl)
      expect(controlOf(html)).toBe(`${checkoutUrl}/continue`)
      expect(html).toContain('name="EDP_BILL_NO" value="a&quot;b"')
      const posted = (body: URLSearchParams) =>
        fetch(`${checkoutUrl}/continue`, { method: 'POST', body, redirect: 'manual' })
      const whole = await posted(new URLSearchParams(fields))
      expect([whole.status, whole.headers.get('location')]).toEqual([307, action])
      // Without its fields the provider would reject the form.
      const empty = await posted(new URLSearchParams())
      expect([empty.status, empty.headers.get('location')]).toEqual([303, checkoutUrl])
      expect(await press(`${checkoutUrl}/continue`, 'GET')).toEqual({ status: 303, location: checkoutUrl })
    } finally {
      kassa.ctx.routes.route_a = before
    }
  })

  test('of a payment that is not there leads to a page that says so', async () => {
    const { location } = await press(`${kassa.url}/checkout/${encodeURIComponent('../x?y')}/continue`)
    expect((await readPage(location ?? '')).status).toBe(404)
  })
})

describe('an order that another payment has paid', () => {
  const paidFirst = async (outcome = 'paid', changes: object = {}) => {
    const first = await open(changes)
    await payAtBank(first.checkoutUrl.concat('/continue'), outcome)
    return first
  }

  test.each(['paid', 'unknown'])('is paid again only after the buyer was warned (%s)', async (outcome) => {
    const first = await paidFirst(outcome)
    const second = await open()
    const { html } = await readPage(second.checkoutUrl)
    expect(html).toContain('data-testid="paid-otherwise"')
    expect(html).not.toContain(first.id)
    // Links and forms from before the order was paid do not lead on.
    const back = { status: 303, location: second.checkoutUrl }
    for (const method of ['GET', 'POST'])
      expect(await press(`${second.checkoutUrl}/continue`, method)).toEqual(back)
    const control = controlOf(html) ?? ''
    expect(control).toContain('confirm=')
    expect(await press(control, 'GET')).toEqual(back)
    expect(await press(control)).toEqual({ status: 303, location: second.providerCheckoutUrl })
  })

  test('counts as paid on a two-step route too', async () => {
    await paidFirst('paid', { provider: 'route_b' })
    expect((await readPage((await open()).checkoutUrl)).html).toContain('data-testid="paid-otherwise"')
  })

  test('a confirmation counts only for the payment that was shown, so a newer payment is shown first', async () => {
    await paidFirst()
    const second = await open()
    const control = controlOf((await readPage(second.checkoutUrl)).html) ?? ''
    kassa.clock.advance(MINUTE_MS)
    const third = await open()
    const confirmed = controlOf((await readPage(third.checkoutUrl)).html) ?? ''
    const { location } = await press(confirmed, 'POST')
    await payAtBank(location ?? '', 'paid')
    expect(await press(control, 'POST')).toEqual({ status: 303, location: second.checkoutUrl })
  })

  test('does not affect other orders, other merchants, or a new attempt after a failed one', async () => {
    await paidFirst()
    expect((await readPage((await open({ merchantOrderId: 'order-2' })).checkoutUrl)).html).toContain(
      '/continue"',
    )
    const other = await openShop(kassa.ctx)
    const { body } = await createSession(kassa.url, other, { key: 'k' })
    expect((await readPage(body.checkoutUrl)).html).not.toContain('paid-otherwise')
    shop = other
    await payAtBank(body.checkoutUrl.concat('/continue'), 'declined')
    expect((await readPage((await open()).checkoutUrl)).html).not.toContain('paid-otherwise')
  })
})

describe('a page that waits for the bank', () => {
  const refreshOf = async (address: string) => (await fetch(address)).headers.get('refresh')

  test('reloads itself, and stops once the outcome is known', async () => {
    const { checkoutUrl, providerCheckoutUrl } = await open()
    expect(await refreshOf(checkoutUrl)).toBeNull()
    await payUnseen(providerCheckoutUrl, 'unknown')
    kassa.clock.advance(MINUTE_MS)
    const path = new URL(checkoutUrl).pathname
    expect(await refreshOf(checkoutUrl)).toBe(`5; url=${path}?looked=1`)
    expect(await refreshOf(`${checkoutUrl}?looked=1&locale=hy`)).toBe(`5; url=${path}?locale=hy&looked=2`)
    expect(await refreshOf(`${checkoutUrl}?looked=off`)).toBeNull()
  })

  test('does not exist if a person confirms the money', async () => {
    const { checkoutUrl } = await open({ provider: 'manual' })
    const { html } = await readPage(checkoutUrl)
    expect(await refreshOf(checkoutUrl)).toBeNull()
    expect(html).toContain('data-testid="check-again"')
  })
})

test('the receipt shows the time at which the money was taken, not of the last change', async () => {
  const { id, checkoutUrl } = await open()
  await payAtBank(`${checkoutUrl}/continue`, 'paid')
  const changes = await listPaymentChanges(kassa.ctx.db, shop.merchantId, id)
  const paidAt = changes.find(({ toStatus }) => toStatus === 'paid')?.createdAt
  const { html } = await readPage(checkoutUrl)
  const clock = paidAt?.toLocaleTimeString('en-GB', {
    timeZone: 'Asia/Yerevan',
    hour: '2-digit',
    minute: '2-digit',
  })
  expect(html).toMatch(new RegExp(`Paid on.*${clock}.*${id}`))
})
