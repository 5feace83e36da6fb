/** The buyer chooses a way to pay whose provider cannot be reached, reads so, and pays by the other one. */
import { expect, test } from './support/stage.ts'

test('a buyer whose way to pay fails is offered the other one, and pays by it', { tag: '@long' }, async ({
  page,
  shop,
  kassa,
  operator,
}) => {
  const { merchantId } = await operator.run<{ merchantId: string }>(
    'merchant',
    'create',
    '--name',
    'Two ways',
  )
  const { token } = await operator.run<{ token: string }>('token', 'issue', '--merchant', merchantId)
  // Nobody listens at this address.
  const settings = {
    ACCOUNT: 'acct_1WayOutOfHere00',
    SECRET_KEY: 'sk_test_wayOutOfHere000000',
    WEBHOOK_SECRET: 'whsec_way_out',
    API_BASE: 'http://127.0.0.1:9',
  }
  const set = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const route = ['--route', 'route_a', '--driver', 'stripe', '--unchecked']
  await operator.run('account', 'set', '--merchant', merchantId, ...route, ...set)
  await operator.run(
    ...['merchant', 'routes', '--merchant', merchantId, '--route', 'route_a=Bank card', '--route'],
    ...['route_b=Wallet', '--label-ru', 'route_a=Карта', '--label-ru', 'route_b=Кошелёк'],
  )
  // Real time: every process uses the new account within a second, and the API does not tell whose account a route has.
  await page.waitForTimeout(1_500)
  const answer = await fetch(`${kassa.url}/v1/payment-sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      merchantOrderId: 'two-ways',
      amountMinor: 1500,
      currency: 'USD',
      returnUrl: `${shop.origin}/thanks`,
    }),
  })
  const { id } = (await answer.json()) as { id: string }
  await page.goto(`${kassa.url}/checkout/${id}?locale=ru`)
  await expect(page.getByTestId('choose')).toHaveText(['Карта', 'Кошелёк'])
  await page.getByRole('button', { name: 'Карта' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Этот способ оплаты сейчас недоступен')
  await expect(page.getByTestId('checkout')).toContainText('Выберите другой способ')
  await expect(page.getByTestId('checkout')).toContainText('не списаны')
  await expect(page.getByTestId('choose')).toHaveText(['Кошелёк'])
  await page.getByRole('button', { name: 'Кошелёк' }).click()
  await expect(page.getByTestId('bank')).toBeVisible()
  await page.locator('button[name="outcome"][value="paid"]').click()
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible()
})
