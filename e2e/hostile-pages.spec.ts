/** Hostile texts and foreign frames, on the real pages of a running service. */
import { openCheckout, watchComplaints } from './support/buyer.ts'
import type { Kassa } from './support/kassa.ts'
import { payAtBank, type Shop } from './support/shop.ts'
import { showPage } from './support/show-page.ts'
import { expect, test } from './support/stage.ts'
import { XSS_STRINGS } from './support/xss-strings.ts'

const isLong = process.env.KASSA_TEST_LONG !== undefined
/** In `npm test` the texts take turns: each is on every third kind of page. */
const EVERY = isLong ? 1 : 3
const REFERENCE_MAX_CHARS = 119
const PRODUCT_NAME_MAX_CHARS = 200

async function createLink(
  shop: Shop,
  kassa: Kassa,
  fields: object,
): Promise<Record<'paymentUrl' | 'checkoutUrl', string>> {
  const answer = await fetch(`${kassa.url}/v1/payment-links`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${shop.account.token}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ amount: '15.00', currency: 'USD', ...fields }),
  })
  expect(answer.status).toBe(201)
  return (await answer.json()) as Record<'paymentUrl' | 'checkoutUrl', string>
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
  const query = (text: string) =>
    new URLSearchParams({ locale: text, looked: text, return: text, confirm: text, [text]: text })
  /** `end`: one more character, because an order has one payment. */
  const create = (text: string, end = '') =>
    shop.createPayment({ merchantOrderId: text + end, customer: { name: text } })
  const sell = async (text: string) => {
    const paid = await create(text, '!')
    await payAtBank(paid.providerCheckoutUrl)
    return paid
  }
  const link = (text: string, end: string) =>
    createLink(shop, kassa, {
      description: text,
      merchantOrderId: text + end,
      customer: { name: text },
    })
  const kinds: Record<string, (text: string) => Promise<string | undefined>> = {
    'a checkout': async (text) => (await create(text)).checkoutUrl,
    'a paid checkout': async (text) => (await sell(text)).checkoutUrl,
    'a link': async (text) => (await link(text, '.')).paymentUrl,
    'the checkout of a link': async (text) => (await link(text, '?')).checkoutUrl,
    'an error page': async (text) => `${kassa.url}/checkout/${encodeURIComponent(text)}`,
    'a pay page': async () => `${kassa.url}/pay/${publicKey}/tea`,
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
  const taken: [kind: string, addresses: string[]][] = [['the page of a product', products]]
  for (const [turn, [kind, addressOf]] of Object.entries(kinds).entries()) {
    const texts = packed(REFERENCE_MAX_CHARS).filter((_, index) => (index + turn) % EVERY === 0)
    const addresses: string[] = []
    for (const text of texts) addresses.push(`${await addressOf(text)}?${query(text)}`)
    taken.push([kind, addresses])
  }
  for (const [kind, addresses] of taken) {
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
