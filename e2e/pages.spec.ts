import { openCheckout, watchComplaints } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

test('every page has one main heading, a title, a language, and no script that fails', {
  tag: '@long',
}, async ({ page, shop, kassa }) => {
  const complaints = await watchComplaints(page)
  const paymentId = await openCheckout(page, shop)
  await page.getByTestId('pay').click()
  await expect(page.locator('button[name=outcome]').first()).toBeVisible()
  const bank = page.url()
  const pages = [
    '/demo/',
    '/demo/thanks.html',
    `/checkout/${paymentId}`,
    `/checkout/${paymentId}?locale=hy`,
    `/checkout/${paymentId}?locale=ru`,
  ].map((path) => kassa.url + path)
  for (const address of [...pages, bank]) {
    await page.goto(address)
    await expect(page.locator('h1')).toHaveCount(1)
    await expect(page).toHaveTitle(/\S/)
    await expect(page.locator('html')).toHaveAttribute('lang', /^(en|hy|ru)$/)
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    expect([address, wide]).toEqual([address, false])
  }
  expect(complaints).toEqual([])
})

test('the address of an unknown payment shows a readable page', async ({ page, kassa }) => {
  const answer = await page.goto(`${kassa.url}/checkout/pay_unknown`)
  expect(answer?.status()).toBe(404)
  await expect(page.getByTestId('message')).toBeVisible()
  await expect(page.locator('h1')).toHaveText('There is no payment here')
})
