/** *My sign-in* in a browser: a second passkey on another device, and the first one is removed when its device is lost. */
import type { CDPSession } from '@playwright/test'
import { look } from './support/look.ts'
import { expect, test } from './support/stage.ts'

/** Returns its id, by which it is taken away again. */
async function addDevice(devtools: CDPSession, transport: 'internal' | 'usb'): Promise<string> {
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return authenticatorId
}

test('a second passkey is added, and the first one removed', { tag: '@long' }, async ({
  operator,
  browser,
  kassa,
}) => {
  const { link } = await operator.run<{ link: string }>(
    ...['user', 'add', '--name', 'Second', '--role', 'administrator', '--email', 'second@pay.example'],
  )
  const context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const phone = await addDevice(devtools, 'internal')
  await page.goto(new URL(new URL(link).pathname, kassa.consoleLink).href)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL('**/sandbox/today')

  await page.getByRole('link', { name: 'My sign-in' }).click()
  const faults = await look(page, 'my-sign-in')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page.getByRole('button', { name: 'Make the passkey' })).toBeVisible()
  faults.push(...(await look(page, 'my-sign-in-make')))
  await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: phone })
  await addDevice(devtools, 'usb')
  await page.getByRole('button', { name: 'Make the passkey' }).click()
  await expect(page.getByRole('status')).toContainText('The passkey is stored')

  await page.getByRole('link', { name: 'Passkey 1' }).click()
  faults.push(...(await look(page, 'my-sign-in-remove')))
  await page.getByRole('button', { name: 'Remove it' }).click()
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page.getByRole('status')).toContainText('The passkey is removed')
  await expect(page.getByRole('link', { name: /^Passkey/ })).toHaveCount(1)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL('**/sandbox/today')
  expect(faults).toEqual([])
  await context.close()
})
