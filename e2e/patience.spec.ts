/** No buyer waits for ever: a request times out, and after a stopped page load the button can be pressed again. */
import type { Page } from '@playwright/test'
import { arriveAtCheckout, payButton, watchCheckouts } from './support/buyer.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

const API = '**/api/widget/checkout'

/** Presses the button of a page whose request gets no response. */
async function pressIntoSilence(page: Page, shop: Shop): Promise<void> {
  await page.route(API, () => {})
  await page.goto(`${shop.origin}/element.html`)
  await payButton(page).click()
  await expect(payButton(page)).toHaveAttribute('aria-busy', 'true')
}

/** Checks that the next press is the same attempt and reaches the checkout. */
async function expectRetry(page: Page, requests: { clientReference: string }[]): Promise<void> {
  await expect(payButton(page)).toHaveText('Try again')
  await page.unroute(API)
  await payButton(page).click()
  await arriveAtCheckout(page)
  expect(requests).toHaveLength(2)
  expect(requests[1]).toEqual(requests[0])
}

test('a request without a response times out after 15 seconds', async ({ page, shop }) => {
  await page.clock.install()
  const requests = watchCheckouts(page)
  await pressIntoSilence(page, shop)
  await page.clock.fastForward(14_000)
  await expect(payButton(page)).toHaveAttribute('aria-busy', 'true')
  await page.clock.fastForward(1_500)
  await expectRetry(page, requests)
})

test('after Stop during the request the button can be pressed again', async ({ page, shop }) => {
  const requests = watchCheckouts(page)
  await pressIntoSilence(page, shop)
  await page.evaluate(() => window.stop())
  await expectRetry(page, requests)
})

test('after Stop during the redirect the button can be pressed again within 20 seconds', async ({
  page,
  shop,
}) => {
  await page.clock.install()
  await page.route('**/checkout/pay_*', (route) => route.fulfill({ status: 204 }))
  await page.goto(`${shop.origin}/element.html`)
  await payButton(page).click()
  await expect(page.locator('[data-phase="redirecting"]')).toBeVisible()
  await page.clock.fastForward(20_500)
  await expect(payButton(page)).toHaveText('Pay')
  await page.unroute('**/checkout/pay_*')
  await payButton(page).click()
  await arriveAtCheckout(page)
})

test('from the click to the checkout there is no frame, no window and no request to a third party', async ({
  page,
  context,
  shop,
  kassa,
}) => {
  const hosts = new Set<string>()
  context.on('request', (request) => hosts.add(new URL(request.url()).origin))
  let frames = 0
  page.on('frameattached', () => frames++)
  let windows = 0
  context.on('page', () => windows++)
  await page.goto(`${shop.origin}/element.html`)
  await payButton(page).click()
  await arriveAtCheckout(page)
  expect([frames, windows]).toEqual([0, 0])
  expect([...hosts].sort()).toEqual([shop.origin, new URL(kassa.url).origin].sort())
})
