import type { Page } from '@playwright/test'
import { payButton, watchComplaints } from './support/buyer.ts'
import { RETURN_URLS } from './support/return-urls.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

const FAILED = 'The payment could not be started. You have not been charged.'

// biome-ignore lint/suspicious/noExplicitAny: a test reads responses of every shape
type Answer = { status: number; body: any }

/** Sends a request from the page's own script, with the headers that the browser adds. */
function post(page: Page, url: string, body: object): Promise<Answer> {
  return page.evaluate(
    async ([address, text]) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(address, { method: 'POST', headers, body: text })
      return { status: answer.status, body: await answer.json() }
    },
    [`${url}/api/widget/checkout`, JSON.stringify(body)] as const,
  )
}

function click(shop: Shop, changes: object = {}): object {
  const clientReference = crypto.randomUUID().replaceAll(/\d/g, 'x')
  return { publicKey: shop.account.publicKey, productId: 'tea', clientReference, ...changes }
}

/** Presses the button of a page that must be refused. Returns the widget's messages in the console. */
async function pressInVain(page: Page, address: string): Promise<string> {
  const complaints = await watchComplaints(page)
  await page.goto(address)
  await payButton(page).click()
  await expect(page.getByRole('status')).toHaveText(FAILED)
  expect(page.url()).toBe(address)
  return complaints.filter((text) => text.startsWith('[kassa-pay]')).join('\n')
}

test('a page on an unregistered origin is rejected, and its console names the origin and the install page', async ({
  page,
  stranger,
}) => {
  const messages = await pressInVain(page, `${stranger.origin}/element.html`)
  expect(messages).toContain(`the origin ${stranger.origin} is not registered`)
  const [, help = ''] = /Open (\S+) to see which/.exec(messages) ?? []
  await page.goto(help)
  await expect(page.getByTestId('result-origin')).toHaveAttribute('data-weight', 'bad')
  await expect(page.getByTestId('result-origin')).toContainText(stranger.origin)
})

test("an origin of another installation cannot use this shop's key", async ({ page, shop, kassa }) => {
  await page.goto(`${kassa.url}/demo/`)
  const { status, body } = await post(page, kassa.url, click(shop))
  expect(status).toBe(403)
  expect(body.error.code).toBe('origin_not_trusted')
  const site = encodeURIComponent(new URL(kassa.url).origin)
  expect(body.error.hint).toContain(`/install/${shop.account.publicKey}?site=${site}`)
})

test('an unknown key is rejected, and the console says so', async ({ page, shop }) => {
  const messages = await pressInVain(page, `${shop.origin}/element.html?key=kpk_unknown`)
  expect(messages).toContain('widget_key_invalid')
})

test('an unknown product is rejected, and the console says so', async ({ page, shop }) => {
  const messages = await pressInVain(page, `${shop.origin}/element.html?product=coffee`)
  expect(messages).toContain('product_unknown')
})

test('a foreign return URL on the page is rejected, and the console says so', async ({
  page,
  shop,
  stranger,
}) => {
  const foreign = encodeURIComponent(`${stranger.origin}/thanks`)
  const messages = await pressInVain(page, `${shop.origin}/element.html?return=${foreign}`)
  expect(messages).toContain('return_url_not_allowed')
})

test('a request with a price is rejected, and the error says where prices come from', async ({
  page,
  shop,
  kassa,
}) => {
  await page.goto(`${shop.origin}/thanks`)
  for (const field of ['amount', 'price', 'currency']) {
    const { status, body } = await post(page, kassa.url, click(shop, { [field]: '0.01' }))
    expect(status).toBe(422)
    expect(body.errors).toEqual({ [field]: 'price comes from the product registry' })
  }
  const { status, body } = await post(page, kassa.url, click(shop, { amountMinor: 1 }))
  expect([status, Object.keys(body.errors)]).toEqual([422, ['amountMinor']])
})

test('no spelling of a return URL leads a buyer away from the shop', async ({ page, shop, kassa }) => {
  await page.goto(`${shop.origin}/thanks`)
  const accepted: string[] = []
  for (const returnUrl of RETURN_URLS(shop.origin)) {
    const { status, body } = await post(page, kassa.url, click(shop, { returnUrl }))
    if (status === 201) accepted.push(body.checkoutUrl)
    else expect([status, returnUrl, 'returnUrl' in body.errors]).toEqual([422, returnUrl, true])
  }
  expect(accepted.length).toBeLessThan(RETURN_URLS(shop.origin).length / 4)
  for (const checkoutUrl of accepted) {
    await page.goto(checkoutUrl)
    await page.getByTestId('back').click()
    await page.waitForURL((url) => url.href !== checkoutUrl)
    expect(new URL(page.url()).origin).toBe(shop.origin)
  }
})
