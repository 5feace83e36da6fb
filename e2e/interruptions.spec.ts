import type { Page, Route } from '@playwright/test'
import { findChromium } from './support/browser.ts'
import {
  arriveAtCheckout,
  openCheckout,
  payButton,
  watchCheckouts,
  watchComplaints,
} from './support/buyer.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

const API = '**/api/widget/checkout'

/**
 * Goes back. Playwright's goBack waits for the load event, which a page from the page cache does not have. The timeout
 * lets `evaluate` return before the page is gone.
 */
async function goBack(page: Page, shop: Shop): Promise<void> {
  // Real time: no time passes, Back is pressed after the call has returned.
  await page.evaluate(() => void setTimeout(() => history.back()))
  await page.waitForURL(`${shop.origin}/element.html`, { waitUntil: 'commit' })
  await expect(payButton(page)).not.toHaveAttribute('aria-busy')
}

async function marker(page: Page): Promise<boolean> {
  return page.evaluate(() => 'wasHere' in window)
}

/** Goes to the checkout, back, and to the checkout again. Returns whether the page came from the page cache. */
async function leaveAndReturn(page: Page, shop: Shop): Promise<{ first: string; restored: boolean }> {
  await page.goto(`${shop.origin}/element.html`)
  await page.evaluate(() => Object.assign(window, { wasHere: true }))
  await payButton(page).click()
  const first = await arriveAtCheckout(page)
  await goBack(page, shop)
  const restored = await marker(page)
  await payButton(page).click()
  expect(await arriveAtCheckout(page)).toBe(first)
  return { first, restored }
}

test('Back from the page cache finds a usable button that leads to the same payment', async ({
  playwright,
  shop,
  launchOptions,
}) => {
  const browser = await playwright.chromium.launch({ ...launchOptions, executablePath: findChromium() ?? '' })
  const { restored } = await leaveAndReturn(await browser.newPage(), shop)
  expect(restored).toBe(true)
  await browser.close()
})

test('Back without the page cache finds a usable button that leads to the same payment', async ({
  playwright,
  shop,
  launchOptions,
}) => {
  const browser = await playwright.chromium.launch({ ...launchOptions, ignoreDefaultArgs: false })
  const { restored } = await leaveAndReturn(await browser.newPage(), shop)
  expect(restored).toBe(false)
  await browser.close()
})

test('a reload while the request is running does not make a second payment', async ({
  page,
  shop,
  operator,
}) => {
  const before = await operator.listPayments(shop.account.merchantId)
  const requests = watchCheckouts(page)
  await page.goto(`${shop.origin}/element.html`)
  // The server handles the request, but its response never arrives.
  const acted = Promise.withResolvers<void>()
  const swallow = async (route: Route) => {
    await route.fetch()
    acted.resolve()
  }
  await page.route(API, swallow, { times: 1 })
  await payButton(page).click()
  await acted.promise
  await page.reload()
  await payButton(page).click()
  const paymentId = await arriveAtCheckout(page)
  expect(requests).toHaveLength(2)
  expect(requests[1]).toEqual(requests[0])
  const known = new Set(before.map(({ id }) => id))
  const after = await operator.listPayments(shop.account.merchantId)
  expect(after.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([paymentId])
})

test('a duplicated tab leads to the same payment', async ({ page, context, shop }) => {
  const first = await openCheckout(page, shop)
  await goBack(page, shop)
  const opened = context.waitForEvent('page')
  // The page opens the tab itself: the browser then copies the session storage, as it does when a tab is duplicated.
  await page.evaluate(() => void window.open(location.href))
  const twin = await opened
  await payButton(twin).click()
  expect(await arriveAtCheckout(twin)).toBe(first)
})

async function expectFailureThenSuccess(
  page: Page,
  shop: Shop,
  { broken, mended }: { broken: () => Promise<unknown>; mended: () => Promise<unknown> },
): Promise<void> {
  const requests = watchCheckouts(page)
  await page.goto(`${shop.origin}/element.html`)
  await expect(payButton(page)).toBeVisible()
  await broken()
  await payButton(page).click()
  await expect(page.getByRole('status')).toHaveText(
    'The payment could not be started. You have not been charged.',
  )
  await expect(payButton(page)).toHaveText('Try again')
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  await mended()
  await payButton(page).click()
  await arriveAtCheckout(page)
  expect(requests).toHaveLength(2)
  expect(requests[1]?.clientReference).toBe(requests[0]?.clientReference)
}

test('a buyer who is offline is told so, and the retry is the same attempt', async ({
  page,
  context,
  shop,
}) => {
  const offline = (is: boolean) => () => context.setOffline(is)
  await expectFailureThenSuccess(page, shop, { broken: offline(true), mended: offline(false) })
})

test('after a 503 the buyer presses again, and there is no second payment', async ({ page, shop }) => {
  const error = { code: 'storage_unavailable', message: 'The payment storage is not available.' }
  await expectFailureThenSuccess(page, shop, {
    broken: () =>
      page.route(API, (route) =>
        route.fulfill({
          status: 503,
          headers: { 'access-control-allow-origin': shop.origin, 'retry-after': '1' },
          json: { ok: false, error: { ...error, requestId: 'req_1', retryable: true } },
        }),
      ),
    mended: () => page.unroute(API),
  })
})

test('after a refused connection the buyer presses again', async ({ page, shop }) => {
  await expectFailureThenSuccess(page, shop, {
    broken: () => page.route(API, (route) => route.abort('connectionrefused')),
    mended: () => page.unroute(API),
  })
})

test('a double click, ten clicks, and Enter with a click each make one payment', async ({
  page,
  shop,
  operator,
}) => {
  const requests = watchCheckouts(page)
  const before = await operator.listPayments(shop.account.merchantId)
  const impatience = [
    () => payButton(page).dblclick({ delay: 50 }),
    () => payButton(page).evaluate((button: HTMLElement) => Array.from({ length: 10 }, () => button.click())),
    async () => {
      await payButton(page).press('Enter', { noWaitAfter: true })
      await payButton(page)
        // Real time: one of many tries.
        .click({ force: true, timeout: 1_000 })
        .catch(() => {})
    },
  ]
  const made = new Set<string>()
  for (const press of impatience) {
    await page.goto(`${shop.origin}/element.html`)
    await page.evaluate(() => sessionStorage.clear())
    await press()
    made.add(await arriveAtCheckout(page))
  }
  expect(requests).toHaveLength(impatience.length)
  expect(made.size).toBe(impatience.length)
  const after = await operator.listPayments(shop.account.merchantId)
  expect(after).toHaveLength(before.length + impatience.length)
})

test('a page with storage disabled can sell, once for any number of clicks', async ({ page, shop }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'sessionStorage', {
      get() {
        throw new DOMException('Storage is disabled.', 'SecurityError')
      },
    })
  })
  const complaints = await watchComplaints(page)
  const requests = watchCheckouts(page)
  await page.goto(`${shop.origin}/element.html`)
  await payButton(page).dblclick({ delay: 50 })
  await arriveAtCheckout(page)
  expect(requests).toHaveLength(1)
  expect(complaints).toEqual([])
})
