/** The console of a Kassa for browser tests: examples of all its pages, and people who are signed in or sign in by password. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BrowserContext, Page } from '@playwright/test'
import { type TOTP, URI } from 'otpauth'
import type { Kassa } from './kassa.ts'

const ENTRY = fileURLToPath(new URL('../../server/testing/processes/console-scene-main.ts', import.meta.url))
const PASSWORD = 'seven cups of green tea'

/** What the program prints. `pages`: every GET page for people who are signed in. `sessions`: the secrets of cookies. */
export type ConsoleScene = {
  pages: { path: string; address: string }[]
  sessions: Record<'administrator' | 'shop' | 'cashier', string>
  merchantId: string
}

export const originOf = (kassa: Kassa) => new URL(kassa.consoleLink).origin

/** By address. The tests of a worker share its Kassa, and so its examples. */
const scenes = new Map<string, Promise<ConsoleScene>>()

/** Prepares an example of every page, once for each Kassa. */
export function openConsoleScene(kassa: Kassa): Promise<ConsoleScene> {
  const known = scenes.get(kassa.url)
  if (known) return known
  const opening = promisify(execFile)(process.execPath, [ENTRY, kassa.url], { env: kassa.settings }).then(
    ({ stdout }) => JSON.parse(stdout) as ConsoleScene,
  )
  scenes.set(kassa.url, opening)
  return opening
}

/** Signs in by a session that was opened before. */
export async function enter(context: BrowserContext, kassa: Kassa, secret: string): Promise<void> {
  await setCookie(context, kassa, 'session', secret)
}

export async function speak(context: BrowserContext, kassa: Kassa, locale: string): Promise<void> {
  await setCookie(context, kassa, 'locale', locale)
}

function setCookie(context: BrowserContext, kassa: Kassa, name: string, value: string): Promise<void> {
  return context.addCookies([{ name: `kassa_console_${name}`, value, url: originOf(kassa) }])
}

/** Gives the page a phone with a passkey. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** An authenticator app. No code counts twice, so each call returns the code of a later step: of the one before now, now, and after. */
export type App = { nextCode(): string }

const STEP_MS = 30_000

/** Sets up a password and codes on the page of a one-time link, up to the page with the recovery codes. */
export async function setUpPassword(page: Page): Promise<App> {
  const address = await page.locator('a[href^="otpauth:"]').getAttribute('href')
  const totp = URI.parse(address ?? '') as TOTP
  let step = Math.floor(Date.now() / STEP_MS) - 2
  const app: App = {
    nextCode() {
      step = Math.max(step + 1, Math.floor(Date.now() / STEP_MS) - 1)
      return totp.generate({ timestamp: step * STEP_MS })
    },
  }
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByLabel('Code', { exact: true }).fill(app.nextCode())
  await page.getByRole('button', { name: 'Done' }).click()
  return app
}

/** Types the e-mail address and the password, up to the page that asks for the code. */
export async function typePassword(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Next' }).click()
}

export async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
