/** Back, after the buyer has been at the bank. Chromium keeps pages in memory in this test, as browsers of buyers do. */
import { arriveAtThanks, openCheckout, payButton } from './support/buyer.ts'
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

test('a press that skips our page leads to one order, and its address shows the page when it is opened by itself', async ({
  page,
  context,
  shop,
  operator,
}) => {
  const { merchantId } = shop.account
  const install = ['--merchant', merchantId, '--origin', shop.origin, '--return-url', `${shop.origin}/thanks`]
  const { publicKey } = await operator.run<{ publicKey: string }>('installation', 'create', ...install)
  await operator.run('installation', 'checkout', '--installation', publicKey, '--skip')
  const bank = page.getByTestId('bank')
  const addresses: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/checkout/pay_')) addresses.push(request.url())
  })
  await page.goto(`${shop.origin}/element.html?key=${publicKey}`)
  await payButton(page).click()
  await expect(bank).toBeVisible()
  const at = page.url()
  await page.reload()
  await expect(bank).toBeVisible()
  await page.evaluate(() => history.back()).catch(() => {})
  await expect(payButton(page)).toHaveText(/Pay/)
  await payButton(page).click()
  await expect(bank).toBeVisible()
  expect(page.url()).toBe(at)
  expect(new Set(addresses).size).toBe(1)

  const tab = await context.newPage()
  await tab.goto(addresses[0] ?? '')
  await expect(tab.getByTestId('pay')).toBeVisible()
  const paymentId = /pay_\w+/.exec(tab.url())?.[0] ?? ''
  type Shown = { attempts: unknown[] }
  const { attempts } = await operator.run<Shown>('payment', 'show', '--payment', paymentId)
  expect(attempts).toHaveLength(1)
  await page.locator('button[name="outcome"][value="paid"]').click()
  await arriveAtThanks(page, shop)
  await tab.close()
})
