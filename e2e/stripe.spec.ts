/** A day of a shop that is paid with Stripe, from the button in the shop to a dispute. Stripe is simulated. */
import { openCheckout } from './support/buyer.ts'
import { followPaidOrder, openProviderShop } from './support/provider.ts'
import { expect, test } from './support/stage.ts'

test('a buyer is declined at Stripe, pays with another card, gets a partial refund and opens a dispute', async ({
  page,
  kassa,
  operator,
}) => {
  const providerShop = await openProviderShop('stripe', { kassa, operator })
  const paymentId = await openCheckout(page, providerShop.shop)
  await page.getByTestId('pay').click()
  await expect(page.getByText('Simulated Stripe')).toBeVisible()
  await page.getByRole('button', { name: 'insufficient funds' }).click()
  await expect(page.getByRole('alert')).toContainText('Your card was declined')
  await page.getByRole('link', { name: 'Back to the shop' }).click()
  await expect(page.getByTestId('checkout')).toContainText('No money was taken')
  await expect(page.getByTestId('pay')).toHaveText('Try again')
  await page.getByTestId('pay').click()
  await page.getByRole('button', { name: 'Visa ···· 4242' }).click()
  await followPaidOrder(page, { kassa, paymentId, providerShop })
})
