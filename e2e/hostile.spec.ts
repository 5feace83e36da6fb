import type { Page } from '@playwright/test'
import { arriveAtCheckout, buy, openCheckout, payButton, watchComplaints } from './support/buyer.ts'
import { CARELESS, CLOBBERED, pinnedPage } from './support/hostile-page.ts'
import { PRODUCTS } from './support/operator.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

test('elements whose names hide the browser’s own properties change nothing', async ({
  page,
  shop,
  kassa,
}) => {
  shop.pages.set('/clobbered.html', CLOBBERED)
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).origin))
  await openCheckout(page, shop, '/clobbered.html')
  expect([...hosts].sort()).toEqual([shop.origin, new URL(kassa.url).origin].sort())
})

test('markup in a name is shown as text and does not run', async ({ page, shop }) => {
  const complaints = await watchComplaints(page)
  await openCheckout(page, shop, '/element.html?product=script')
  await expect(page.getByText(PRODUCTS.script.name, { exact: true })).toBeVisible()
  expect(complaints).toEqual([])
})

/** The size of the button, and the computed styles of the button and of everything in it. */
async function looks(page: Page) {
  const box = await payButton(page).boundingBox()
  const styles = await payButton(page).evaluate((button) =>
    [button, ...button.querySelectorAll('*')].map((element) => {
      const style = getComputedStyle(element)
      return Array.from(style, (name) => `${name}: ${style.getPropertyValue(name)}`).filter(
        // The page may place and size the host element, so these properties may differ.
        (line) =>
          !/^(perspective-origin|transform-origin|(inline|block)-size|width|height|-?-?kassa)/.test(line),
      )
    }),
  )
  return { width: box?.width, height: box?.height, styles }
}

test('a style sheet that hits every element of the page does not reach the button', async ({
  page,
  shop,
}) => {
  await page.goto(`${shop.origin}/element.html`)
  await expect(payButton(page)).toBeVisible()
  const usual = await looks(page)
  await page.addStyleTag({ content: CARELESS })
  await expect(payButton(page)).toBeVisible()
  const { width, ...rest } = await looks(page)
  expect(rest).toEqual({ height: usual.height, styles: usual.styles })
  expect(width).toBeGreaterThan(44)
  await payButton(page).click()
  await arriveAtCheckout(page)
})

async function expectUnharmed(page: Page, shop: Shop): Promise<void> {
  await page.goto(`${shop.origin}/pinned.html`)
  await expect(page.getByRole('link', { name: 'Pay on our payment page' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('data-own', 'ran')
  await expect(payButton(page)).toHaveCount(0)
}

test('the listed hash works under the strictest policy, with nothing reported', async ({
  page,
  shop,
  kassa,
}) => {
  const complaints = await watchComplaints(page)
  shop.pages.set('/pinned.html', await pinnedPage(kassa, {}))
  await buy(page, shop, { outcome: 'paid', path: '/pinned.html' })
  expect(complaints).toEqual([])
})

test('a wrong hash stops the widget and harms nothing else', async ({ page, shop, kassa }) => {
  const complaints = await watchComplaints(page)
  shop.pages.set('/pinned.html', await pinnedPage(kassa, { integrity: `sha384-${'A'.repeat(64)}` }))
  await expectUnharmed(page, shop)
  // The browser reports the hash once, and no policy violation.
  expect(complaints.filter((text) => !text.includes("'integrity' attribute"))).toEqual([])
  expect(complaints).toHaveLength(1)
})

test('with a wrong nonce the policy stops the widget and harms nothing else', async ({
  page,
  shop,
  kassa,
}) => {
  shop.pages.set('/pinned.html', await pinnedPage(kassa, { nonce: 'guessed' }))
  await expectUnharmed(page, shop)
})
