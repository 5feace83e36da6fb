/** The console in a browser: a passkey from the one-time link to a refund, with axe, on a phone, and without a script. */
import { chooseAtBank } from './support/buyer.ts'
import { addAuthenticator } from './support/console.ts'
import { look, SHOTS } from './support/look.ts'
import { phoneFaults } from './support/narrow.ts'
import { expect, test } from './support/stage.ts'

test('a passkey is set up by the link, signs in again, and gives money back', async ({
  kassa,
  shop,
  page,
  browser,
}) => {
  const { id: paymentId } = await shop.sell()

  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const desk = await context.newPage()
  const complaints: string[] = []
  desk.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await addAuthenticator(desk)
  await desk.goto(kassa.consoleLink)
  const faults = await look(desk, 'link')
  await desk.getByRole('button', { name: 'Use a passkey' }).click()
  await desk.waitForURL('**/sandbox/today')
  faults.push(...(await look(desk, 'today')))
  await desk.getByRole('button', { name: 'Sign out' }).click()
  await desk.waitForURL('**/sign-in')
  faults.push(...(await look(desk, 'sign-in')))
  await desk.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await desk.waitForURL('**/sandbox/today')

  // A payment that is made meanwhile is seen arriving.
  const paid = desk.locator('.number', { has: desk.getByText('paid', { exact: true }) }).locator('strong')
  const before = Number(await paid.textContent())
  await shop.sell()
  await expect(paid).toHaveText(String(before + 1), { timeout: 60_000 })

  await desk.goto(new URL('/sandbox/payments?status=paid&min=1&from=yesterday', kassa.consoleLink).href)
  faults.push(...(await look(desk, 'payments-filtered')))
  const [file] = await Promise.all([
    desk.waitForEvent('download'),
    desk.getByRole('link', { name: 'Download these payments' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^payments-sandbox-.*-Asia-Yerevan\.csv$/)
  for (const tag of ['paid', '1 or more']) await desk.getByRole('link', { name: `Without: ${tag}` }).click()
  await expect(desk.locator('.tag')).toHaveCount(1)
  await desk.goto(new URL('/sandbox/payments?min=much', kassa.consoleLink).href)
  faults.push(...(await look(desk, 'payments-wrong')))

  await desk.getByLabel('Find a payment').fill(paymentId)
  await desk.getByLabel('Amount from').fill('')
  await desk.keyboard.press('Enter')
  await desk.waitForURL('**/payments?q=*')
  faults.push(...(await look(desk, 'payments')))
  await desk.locator('.row').click()
  await expect(desk.locator('.sentence')).toContainText('was paid on')
  await desk.getByText('Copy for the buyer').click()
  await desk.getByRole('button', { name: 'Copy: Русский' }).click()
  await expect(desk.locator('.copied [role=status]').nth(1)).toHaveText('Copied.')
  expect(await desk.evaluate(() => navigator.clipboard.readText())).toBe(
    await desk.locator('#buyer-ru').textContent(),
  )
  faults.push(...(await look(desk, 'payment')))
  await desk.getByRole('link', { name: 'Return money' }).click()
  await desk.waitForURL('**/refund')
  await desk.getByLabel('Amount in').fill('1.00')
  await desk.getByLabel('Why').fill('broken')
  faults.push(...(await look(desk, 'refund')))
  await desk.getByRole('button', { name: 'Next' }).click()
  await expect(desk.getByRole('heading', { level: 1 })).toHaveText('Return this money?')
  faults.push(...(await look(desk, 'refund-sure')))
  await desk.getByRole('button', { name: /^Return/ }).click()
  await expect(desk.getByRole('status')).toContainText('The refund was requested')
  faults.push(...(await look(desk, 'refunded')))

  // The counter: a link for the buyer to scan. The answer comes by itself, while the buyer pays on another device.
  await desk.goto(new URL(`/sandbox/shops/${shop.account.merchantId}/link`, kassa.consoleLink).href)
  await desk.getByLabel('Amount').fill('12,50')
  await desk.getByLabel('Currency').selectOption('USD')
  await desk.getByLabel('What is it for?').fill('Two cups of tea')
  faults.push(...(await look(desk, 'new-link')))
  await desk.getByRole('button', { name: 'Show the code' }).click()
  await expect(desk.locator('.verdict h2')).toHaveText('Not paid yet')
  faults.push(...(await look(desk, 'counter-wait')))
  await page.goto((await desk.locator('.scan a').getAttribute('href')) ?? '')
  await chooseAtBank(page, 'paid')
  await expect(desk.locator('.verdict h2')).toHaveText('Yes, paid', { timeout: 60_000 })
  faults.push(...(await look(desk, 'counter-yes')))
  await desk.getByRole('link', { name: 'Check another one' }).click()
  await desk.getByLabel('Short number or amount').fill('77.77')
  await desk.keyboard.press('Enter')
  await expect(desk.locator('.verdict h2')).toHaveText('No such payment')
  faults.push(...(await look(desk, 'counter-none')))

  const without = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await context.storageState(),
  })
  const plain = await without.newPage()
  await plain.goto(new URL('/sandbox/payments?day=all', kassa.consoleLink).href)
  await plain.locator('.row').first().click()
  await expect(plain.locator('.sentence')).toBeVisible()
  await plain.getByText('Copy for the buyer').click()
  await expect(plain.locator('#buyer-en')).toBeVisible()
  await expect(plain.locator('[data-copy]').first()).toBeHidden()
  for (const locale of ['hy', 'ru']) {
    await desk.goto(new URL(`/sandbox/payments/${paymentId}?locale=${locale}`, kassa.consoleLink).href)
    for (const fault of await phoneFaults(desk)) faults.push(`${locale}: ${fault}`)
    if (SHOTS) await desk.screenshot({ path: `${SHOTS}/payment-${locale}.png`, fullPage: true })
  }
  await without.close()
  await context.close()
  expect(faults).toEqual([])
  // A wrong filter has this status. The browser notes it.
  expect(complaints.filter((text) => !text.includes('status of 422'))).toEqual([])
})
