/** The console in a browser without scripts: setting up, signing in, finding, returning money, the counter, packing an order. */
import { chooseAtBank } from './support/buyer.ts'
import { originOf, setUpPassword, typeCode, typePassword } from './support/console.ts'
import { phoneFaults } from './support/narrow.ts'
import { expect, test } from './support/stage.ts'

test('a shop is run without a script', { tag: '@long' }, async ({ kassa, operator, browser }) => {
  const { merchantId } = await operator.run<{ merchantId: string }>('merchant', 'create', '--name', 'Plain')
  const of = ['--merchant', merchantId]
  await operator.run('callback', 'set', ...of, '--order-book')
  const { publicKey } = await operator.run<{ publicKey: string }>(
    ...['installation', 'create', ...of, '--page', 'https://social.example/plain'],
  )
  const product = ['--id', 'cup', '--name', 'Cup', '--amount', '12.00', '--currency', 'USD']
  await operator.run('product', 'set', ...of, ...product, '--field', 'name=required')
  const email = 'plain@shop.example'
  const { link } = await operator.run<{ link: string }>(
    ...['user', 'add', '--name', 'Plain', '--role', 'shop', '--email', email, ...of],
  )

  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 360, height: 740 },
  })
  const buyer = await context.newPage()
  await buyer.goto(`${kassa.url}/pay/${publicKey}/cup`)
  await buyer.getByLabel('Name').fill('Ani')
  await chooseAtBank(buyer, 'paid')
  await expect(buyer.getByTestId('checkout')).toBeVisible()
  await buyer.close()

  const page = await context.newPage()
  const origin = originOf(kassa)
  const faults: string[] = []
  const seen = async (name: string) => {
    faults.push(...(await phoneFaults(page)).map((fault) => `${name}: ${fault}`))
    await page.setViewportSize({ width: 360, height: 740 })
  }
  await page.goto(origin + new URL(link).pathname)
  const app = await setUpPassword(page)
  await expect(page.locator('.codes li')).toHaveCount(8)
  await page.getByRole('link', { name: 'I have them, go on' }).click()
  await expect(page.getByLabel('Find a payment')).toBeVisible()
  await page.getByText('Menu', { exact: true }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()

  await typePassword(page, email)
  await typeCode(page, app.nextCode())
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Today')
  await seen('today')

  // The worker writes what is found by words a moment later.
  await expect(async () => {
    await page.goto(`${origin}/sandbox/today`)
    await page.getByLabel('Find a payment').fill('12.00')
    await page.keyboard.press('Enter')
    // Real time: one of many tries.
    await page.locator('.row').first().click({ timeout: 1_000 })
  }).toPass({ timeout: 60_000 })
  await expect(page.locator('.sentence')).toContainText('was paid on')
  const number = (await page.getByRole('heading', { level: 1 }).textContent())?.trim() ?? ''
  await page.getByRole('link', { name: 'Return money' }).click()
  await page.getByLabel('Amount in').fill('2.50')
  await page.getByLabel('Why').fill('a crack')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('button', { name: /^Return/ }).click()
  await expect(page.getByRole('status')).toContainText('The refund was requested')
  await seen('refunded')

  await page.goto(`${origin}/sandbox/counter`)
  await page.getByLabel('Short number or amount').fill(/[A-Z0-9]{4} [A-Z0-9]{4}/.exec(number)?.[0] ?? '12.00')
  await page.keyboard.press('Enter')
  await expect(page.locator('.verdict h2')).toContainText('Yes')
  await seen('counter')

  // The news of the refund may come between the look and the press, and then the press is refused.
  await expect(async () => {
    await page.goto(`${origin}/sandbox/shops/${merchantId}/orders`)
    const pack = page.getByRole('button', { name: 'Mark as packed' })
    // Real time: one of many tries.
    await expect(pack).toBeVisible({ timeout: 1_000 })
    await pack.click()
    // An order that is packed has no such button any more, so the answer is waited for.
    const answer = page.locator('main').locator('[role="status"], [role="alert"]').first()
    expect(await answer.textContent()).toContain(': packed')
  }).toPass({ timeout: 60_000 })
  await seen('packed')
  await context.close()
  expect(faults).toEqual([])
})
