import type { Page } from '@playwright/test'
import { openCheckout } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

type Forgery = { address: string; text: string }

/** Everything that a script can send without a preflight. The script cannot read the responses, so the test counts payments. */
async function sendWithoutAsking(page: Page, forgery: Forgery): Promise<void> {
  await page.evaluate(async ({ address, text }) => {
    const send = { method: 'POST', mode: 'no-cors', body: text } as const
    const plain = (type: string) => fetch(address, { ...send, headers: { 'content-type': type } })
    await Promise.allSettled([
      plain('text/plain'),
      plain('text/plain; application/json'),
      plain('application/x-www-form-urlencoded'),
      fetch(address, { ...send, body: new Blob([text]) }),
      fetch(`${address}?${new URLSearchParams(JSON.parse(text))}`, { mode: 'no-cors' }),
    ])
    navigator.sendBeacon(address, text)
    navigator.sendBeacon(address, new Blob([text], { type: 'text/plain' }))
  }, forgery)
}

/** Sends with a preflight, from a frame without an origin. */
async function sendAsNobody(page: Page, forgery: Forgery): Promise<void> {
  await page.evaluate(async ({ address, text }) => {
    const frame = document.createElement('iframe')
    frame.setAttribute('sandbox', 'allow-scripts')
    frame.srcdoc = `<script>fetch(${JSON.stringify(address)}, { method: 'POST', body: ${JSON.stringify(text)},
      headers: { 'content-type': 'application/json' } }).catch(() => {}).finally(() => parent.postMessage('sent', '*'))</script>`
    const sent = new Promise((resolve) => addEventListener('message', resolve, { once: true }))
    document.body.append(frame)
    await sent
  }, forgery)
}

/** Submits forms whose only field, sent as text, is a valid request body. The last form navigates by GET. */
async function submitForms(page: Page, { address, text }: Forgery): Promise<void> {
  const from = page.url()
  for (const [method, enctype] of [
    ['post', 'text/plain'],
    ['post', 'application/x-www-form-urlencoded'],
    ['post', 'multipart/form-data'],
    ['get', 'application/x-www-form-urlencoded'],
  ] as const) {
    await page.goto(from)
    const answer = page.waitForResponse((response) => response.url().startsWith(address))
    await page.evaluate(
      ([name, action, verb, type]) => {
        const form = Object.assign(document.createElement('form'), { action, method: verb, enctype: type })
        // The browser writes "=" between name and value. Here the "=" becomes part of the last JSON string.
        form.append(Object.assign(document.createElement('input'), { name, value: '"}' }))
        document.body.append(form)
        form.submit()
      },
      [text.slice(0, -2), address, method, enctype] as const,
    )
    expect((await answer).status()).toBeGreaterThanOrEqual(400)
    await page.waitForURL((url) => url.href.startsWith(address))
  }
}

test('no request that a browser sends without a preflight makes a payment', async ({
  page,
  shop,
  stranger,
  operator,
  kassa,
}) => {
  const count = async () => (await operator.listPayments(shop.account.merchantId)).length
  const before = await count()
  const { publicKey } = shop.account
  // The reference is the last field, because submitForms puts the "=" into the last string.
  const text = JSON.stringify({ publicKey, productId: 'tea', clientReference: 'forged' })
  const forgery = { address: `${kassa.url}/api/widget/checkout`, text }
  // Also from the shop's own origin: there only the format of the request shows that it is forged.
  for (const { origin } of [stranger, shop]) {
    await page.goto(`${origin}/thanks`)
    await sendWithoutAsking(page, forgery)
    await sendAsNobody(page, forgery)
    await submitForms(page, forgery)
  }
  expect(await count()).toBe(before)
  await openCheckout(page, shop)
  expect(await count()).toBe(before + 1)
})
