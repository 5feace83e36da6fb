/** Back, after the buyer has been at the bank. Chromium keeps pages in memory here, as it does for people. */
import { openCheckout } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

test('Back after paying never shows a page that asks for the money again', async ({ page, shop, kassa }) => {
  const paymentId = await openCheckout(page, shop)
  await page.goto(`${kassa.url}/checkout/${paymentId}`)
  await page.getByTestId('pay').click()
  await page.locator('.outcome button').first().click()
  await page.waitForURL(`${shop.origin}/**`)
  await page.evaluate(() => history.go(-2)).catch(() => {})
  await expect(page.getByTestId('checkout')).toHaveAttribute('data-status', 'paid')
  await expect(page.getByTestId('pay')).toHaveCount(0)
})
