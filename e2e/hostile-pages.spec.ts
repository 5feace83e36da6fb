/** Hostile texts and foreign frames, on the real pages of a running service. */
import { openCheckout, watchComplaints } from './support/buyer.ts'
import type { Shop } from './support/shop.ts'
import { showPage } from './support/show-page.ts'
import { expect, test } from './support/stage.ts'
import { XSS_STRINGS } from './support/xss-strings.ts'

const isLong = process.env.KASSA_TEST_LONG !== undefined
/** In `npm test` the texts take turns: each is on every third kind of page. */
const EVERY = isLong ? 1 : 3
const REFERENCE_MAX_CHARS = 119
const PRODUCT_NAME_MAX_CHARS = 200

/** Pays and returns without a browser, because the test needs only the paid payment. */
async function pay(providerCheckoutUrl = ''): Promise<void> {
  await fetch(providerCheckoutUrl)
  const [order = ''] = providerCheckoutUrl.split('?')
  await fetch(order, { method: 'POST', body: new URLSearchParams({ outcome: 'paid' }), redirect: 'manual' })
}

async function post(shop: Shop, address: string, body: object): Promise<Record<string, string>> {
  const { token } = shop.account
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(address, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(201)
  return (await answer.json()) as Record<string, string>
}

/** Packs whole texts into as few names as possible, to save page loads. Other tests try the texts one at a time. */
function packed(limit: number): string[] {
  const names: string[] = []
  for (const text of XSS_STRINGS.toSorted((one, other) => other.length - one.length)) {
    const roomy = names.findIndex((name) => name.length + text.length <= limit)
    if (roomy >= 0) names[roomy] += text
    else names.push(text)
  }
  return names
}

test('no text from outside runs as code on a checkout, a link, a receipt, a pay page or an error page', async ({
  page,
  shop,
  kassa,
  operator,
}) => {
  const { merchantId, publicKey } = shop.account
  const complaints = await watchComplaints(page)
  const kinds = new Map<string, string[]>()
  const add = (kind: string, address: string) => kinds.set(kind, [...(kinds.get(kind) ?? []), address])
  for (const text of packed(REFERENCE_MAX_CHARS)) {
    const merchantOrderId = text
    const customer = { name: text }
    const amounts = { amountMinor: 1500, currency: 'USD', returnUrl: `${shop.origin}/thanks` }
    const sessions = `${kassa.url}/v1/payment-sessions`
    const session = await post(shop, sessions, { merchantOrderId, customer, ...amounts })
    const paidOrder = { merchantOrderId: `${merchantOrderId}!`, customer }
    const paid = await post(shop, sessions, { ...paidOrder, ...amounts })
    await pay(paid.providerCheckoutUrl)
    const link = await post(shop, `${kassa.url}/v1/payment-links`, {
      amount: '15.00',
      currency: 'USD',
      description: text,
      ...paidOrder,
    })
    const query = new URLSearchParams({
      locale: text,
      looked: text,
      return: text,
      confirm: text,
      [text]: text,
    })
    add('a checkout', `${session.checkoutUrl}?${query}`)
    add('a paid checkout', `${paid.checkoutUrl}?${query}`)
    add('a link', `${link.paymentUrl}?${query}`)
    add('the checkout of a link', `${link.checkoutUrl}?${query}`)
    add('an error page', `${kassa.url}/checkout/${encodeURIComponent(text)}?${query}`)
    add('a pay page', `${kassa.url}/pay/${publicKey}/tea?${query}`)
  }
  // A name is one line without control characters and marks of direction, or it is refused.
  const names = packed(PRODUCT_NAME_MAX_CHARS).map((name) =>
    name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ').trim(),
  )
  const products: string[] = []
  // A command takes longer than a page, so only products are made whose pages are shown.
  for (const [index, name] of names.filter((_, turn) => turn % EVERY === 0).entries()) {
    const words = [
      '--merchant',
      merchantId,
      '--id',
      `x${index}`,
      '--name',
      name,
      '--amount',
      '1',
      '--currency',
      'USD',
    ]
    await operator.run('product', 'set', ...words)
    products.push(`${kassa.url}/pay/${publicKey}/x${index}`)
  }
  const taken = [...kinds].map(([kind, all], turn) => {
    return [kind, all.filter((_, text) => (text + turn) % EVERY === 0)] as const
  })
  for (const [kind, addresses] of [...taken, ['the page of a product', products] as const]) {
    for (const [index, address] of addresses.entries()) {
      // The first page of each kind is loaded, so the others of this kind have its content policy.
      if (index === 0) await page.goto(address)
      else await showPage(page, address)
      const ran = await page.evaluate(() => ({
        mark: (window as { xssMark?: unknown }).xssMark,
        foreign: document.querySelectorAll('script, img, iframe, object, embed, base, style').length,
        headings: document.querySelectorAll('h1').length,
      }))
      expect([kind, address, ran]).toEqual([kind, address, { mark: undefined, foreign: 0, headings: 1 }])
    }
  }
  // The browser writes the status of an error page to its console.
  expect(complaints.filter((each) => !/status of 4(04|22)/.test(each))).toEqual([])
})

test('no page of ours can be framed by another site', async ({ page, shop, kassa }) => {
  const paymentId = await openCheckout(page, shop)
  const bank = (await shop.lookUp(paymentId)).providerCheckoutUrl ?? ''
  const paths = [
    `/checkout/${paymentId}`,
    `/pay/${shop.account.publicKey}/tea`,
    '/checkout/x',
    '/docs',
    '/demo/',
  ]
  const addresses = [...paths.map((path) => kassa.url + path), bank]
  const frames = addresses.map((address) => `<iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`)
  shop.pages.set(
    '/framing.html',
    `<!doctype html><html lang="en"><title>Framing</title>${frames.join('')}</html>`,
  )
  await page.goto(`${shop.origin}/framing.html`)
  await expect.poll(() => page.frames().length).toBe(addresses.length + 1)
  for (const frame of page.frames().slice(1)) {
    await frame.waitForLoadState()
    await expect.poll(() => frame.url()).toMatch(/^chrome-error:/)
  }
})
