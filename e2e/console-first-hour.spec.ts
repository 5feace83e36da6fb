/** The first hour of an owner on a phone: from the invitation to a link that is handed on, and the first sale through it. */
import type { Locator } from '@playwright/test'
import { chooseAtBank } from './support/buyer.ts'
import { addAuthenticator, originOf } from './support/console.ts'
import { expect, test } from './support/stage.ts'

/** The key for the sign-in included. Choosing a field to write into is no press of ours. */
const PRESSES_MAX = 6

test('an owner hands on the first link within six presses, and sees who has bought', async ({
  kassa,
  operator,
  page,
  browser,
}) => {
  const { merchantId } = await operator.run<{ merchantId: string }>('merchant', 'create', '--name', 'Weaver')
  const email = 'weaver@shop.example'
  const person = ['--name', 'Weaver', '--role', 'shop', '--email', email, '--merchant', merchantId]
  const { link } = await operator.run<{ link: string }>('user', 'add', ...person)
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const phone = await context.newPage()
  await addAuthenticator(phone)
  let presses = 0
  const press = async (what: Locator) => {
    presses++
    await what.click()
  }
  const button = (name: string) => phone.getByRole('button', { name, exact: true })

  await phone.goto(originOf(kassa) + new URL(link).pathname)
  await press(button('Use a passkey'))
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Going live')
  await press(phone.getByRole('link', { name: 'Add a product' }))
  await phone.getByLabel('Name', { exact: true }).first().fill('Rug')
  await phone.getByLabel('Price').fill('45000')
  await phone.getByLabel('Name', { exact: true }).last().selectOption({ label: 'required' })
  await press(button('Save'))
  await phone.getByLabel('Address').fill('social.example/weaver')
  await press(button('Make the link'))
  await press(button('Copy'))
  const address = await phone.evaluate(() => navigator.clipboard.readText())
  expect(presses).toBeLessThanOrEqual(PRESSES_MAX)

  // The link works at once, and the owner sees what was bought and by whom, and has an order to pack.
  await page.goto(address)
  await page.getByLabel('Name').fill('Ani')
  await chooseAtBank(page, 'paid')
  await expect(page.getByTestId('checkout')).toBeVisible()
  await phone.goto(originOf(kassa))
  await expect(phone.locator('.payments .row')).toContainText('Rug')
  await phone.locator('.payments .row').click()
  await expect(phone.locator('main')).toContainText('Ani')
  await expect(async () => {
    await phone.goto(`${originOf(kassa)}/sandbox/shops/${merchantId}/orders`)
    // Real time: one of many tries.
    await expect(button('Mark as packed')).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await context.close()
})
