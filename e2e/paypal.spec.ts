/** A day of a shop that is paid with PayPal, from the button in the shop to a dispute. PayPal is simulated. */
import { arriveAtThanks, openCheckout } from './support/buyer.ts'
import { openProviderShop } from './support/provider.ts'
import { expect, test } from './support/stage.ts'

test('a buyer whose card PayPal cannot charge pays with another one, gets a part back and complains', async ({
  page,
  kassa,
  operator,
}) => {
  const { shop, refund, dispute, close } = await openProviderShop('paypal', { kassa, operator })
  const paymentId = await openCheckout(page, shop)
  await page.getByTestId('pay').click()
  await expect(page.getByText('Simulated PayPal')).toBeVisible()
  await page.getByRole('button', { name: 'card that is declined' }).click()
  await expect(page.getByTestId('checkout')).toContainText('did not approve this card')
  await expect(page.getByTestId('pay')).toHaveText('Try again')
  await page.getByTestId('pay').click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await arriveAtThanks(page, shop)
  expect((await shop.eventOf(paymentId, 'paid')).refusal).toBeNull()

  await refund(paymentId, 500)
  await shop.eventOf(paymentId, 'partially_refunded')
  await page.goto(`${kassa.url}/checkout/${paymentId}/receipt`)
  await expect(page.getByTestId('receipt')).toContainText('$5.00')
  await expect
    .poll(async () => (await page.reload()) && page.getByTestId('fiscal').locator('dl').count())
    .toBe(2)

  await dispute()
  await shop.eventOf(paymentId, 'disputed')
  expect(await shop.lookUp(paymentId)).toMatchObject({
    status: 'disputed',
    amountMinor: 1500,
    capturedMinor: 1500,
    refundedMinor: 500,
    provider: 'route_a',
  })
  await close()
})
