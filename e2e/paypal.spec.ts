/** A day of a shop that is paid with PayPal, from the button in the shop to a dispute. PayPal is simulated. */
import { openCheckout } from './support/buyer.ts'
import { followPaidOrder, openProviderShop } from './support/provider.ts'
import { expect, test } from './support/stage.ts'

test('a buyer whose card PayPal cannot charge pays with another one, gets a partial refund and opens a dispute', {
  tag: '@long',
}, async ({ page, kassa, operator }) => {
  const providerShop = await openProviderShop('paypal', { kassa, operator })
  const paymentId = await openCheckout(page, providerShop.shop)
  await page.getByTestId('pay').click()
  await expect(page.getByText('Simulated PayPal')).toBeVisible()
  await page.getByRole('button', { name: 'card that is declined' }).click()
  await expect(page.getByTestId('checkout')).toContainText('did not approve this card')
  await expect(page.getByTestId('pay')).toHaveText('Try again')
  await page.getByTestId('pay').click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await followPaidOrder(page, { kassa, paymentId, providerShop })
})
