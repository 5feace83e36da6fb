/** The price changes while the shop's page stays as it is. */
import { arriveAtCheckout, payButton, watchCheckouts, watchComplaints } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

test('a button with an old price says the new one, and the next press pays it', async ({
  page,
  shop,
  operator,
}) => {
  const setPrice = (amount: string) => {
    const product = ['--id', 'espresso', '--name', 'Coffee', '--amount', amount, '--currency', 'USD']
    return operator.run('product', 'set', '--merchant', shop.account.merchantId, ...product)
  }
  shop.pages.set(
    '/old.html',
    `<!doctype html><html lang="ru"><title>Coffee</title><script async src="__API__/widget/v1/kassa.js"></script>
     <kassa-pay public-key="__PUBLIC_KEY__" product-id="espresso" product-name="Coffee" price="$15.00"></kassa-pay></html>`,
  )
  const listPayments = async () => (await operator.listPayments(shop.account.merchantId)).map(({ id }) => id)
  const earlier = await listPayments()
  await setPrice('15')
  const requests = watchCheckouts(page)
  const complaints = await watchComplaints(page)
  await page.goto(`${shop.origin}/old.html`)
  await expect(payButton(page)).toHaveText('Оплатить $15.00')
  await setPrice('16')

  await payButton(page).click()
  // What a screen reader says: the message by itself, and the button's new name, which still has the focus.
  await expect(page.getByRole('status')).toHaveText('Цена изменилась: $16.00.')
  await expect(page.getByRole('status')).toHaveCSS('opacity', '1')
  await expect(page.getByRole('button', { name: 'Оплатить $16.00, Coffee', exact: true })).toBeFocused()
  expect(page.url()).toBe(`${shop.origin}/old.html`)
  expect(complaints).toEqual([expect.stringContaining('price_changed: ')])

  await payButton(page).click()
  const paymentId = await arriveAtCheckout(page)
  await expect(page.getByTestId('amount')).toHaveText(/16,00/)
  expect(requests.map(({ clientReference }) => clientReference)).toEqual(
    Array(2).fill(requests[0]?.clientReference),
  )
  for (const body of requests)
    expect(Object.keys(body).sort()).toEqual(['clientReference', 'productId', 'publicKey'])
  expect((await listPayments()).filter((id) => !earlier.includes(id))).toEqual([paymentId])
})
