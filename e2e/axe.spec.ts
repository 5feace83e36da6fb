/** axe checks every page and must find nothing, and every page must fit a phone. Each state of the hosted pages is checked. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from '@playwright/test'
import { arriveAtCheckout, chooseAtBank, payButton } from './support/buyer.ts'
import { type Gallery, LOCALES, openGallery } from './support/gallery.ts'
import { layoutFaults, phoneFaults, SMALL_PHONE } from './support/narrow.ts'
import { expect, test } from './support/stage.ts'

type Finding = { id: string; impact: string | null; nodes: { html: string }[] }
type Rules = { runOnly?: string[]; rules?: Record<string, { enabled: boolean }> }
declare const axe: { run(options: object): Promise<{ violations: Finding[] }> }

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const DECIDES_WITHIN_MS = 15_000
/** One documentation page of each kind. */
const DOCS = [
  '',
  '/testing',
  '/operating',
  '/api/errors',
  '/api/create-subscription',
  '/search?q=refund',
  '/no-page',
]
/**
 * Dark mode changes only the colours, and the colours do not depend on the language. So each scheme's colours are checked
 * in one language, and everything else in every language. Checking the colours is half of what axe does.
 */
const ONLY_COLOURS: Rules = { runOnly: ['color-contrast'] }
const NO_COLOURS: Rules = { rules: { 'color-contrast': { enabled: false } } }
const RULES_OF_LOCALE: Record<(typeof LOCALES)[number], Rules> = { hy: NO_COLOURS, ru: NO_COLOURS, en: {} }

/** Returns what is wrong with the page now, its pay buttons included. The page must come from `openPage`. */
async function lookAt(page: Page, name: string, rules: Rules = {}): Promise<string[]> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('kassa-pay')].every((each) => each.shadowRoot?.querySelector('button')),
  )
  const { violations } = await page.evaluate((options) => axe.run(options), {
    resultTypes: ['violations'],
    ...rules,
  })
  return violations.map(({ id, impact, nodes }) => `${name}: ${impact} ${id} ${nodes[0]?.html}`)
}

/** Returns what is wrong with the page's colours in dark mode, and turns light mode on again. The page is not loaded anew. */
async function lookInTheDark(page: Page, name: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  // Else axe could read a colour that is still changing from light to dark.
  await page.evaluate(() => {
    for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()
  })
  const found = await lookAt(page, `${name}, dark`, ONLY_COLOURS)
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

/** Every document of the page has axe from the start. Sending it anew for each state took as long as some checks. */
async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ colorScheme: 'light', viewport: SMALL_PHONE })
  await page.addInitScript(AXE)
  return page
}

test.describe('the hosted pages', () => {
  let gallery: Gallery
  test.beforeAll(async () => {
    gallery = await openGallery()
  })
  test.afterAll(() => gallery.close())

  for (const locale of LOCALES)
    test(`axe finds nothing in any state in ${locale}`, async ({ browser }) => {
      test.setTimeout(120_000)
      const page = await openPage(browser)
      const found: string[] = []
      for (const name of gallery.names) {
        await page.goto(gallery.addressOf(name, locale))
        found.push(...(await lookAt(page, name, RULES_OF_LOCALE[locale])))
        found.push(...(await layoutFaults(page)).map((fault) => `${name}: ${fault}`))
      }
      expect(found).toEqual([])
      await page.close()
    })

  test('axe finds nothing in the colours of any state in dark mode', async ({ browser }) => {
    test.setTimeout(120_000)
    const page = await openPage(browser)
    await page.emulateMedia({ colorScheme: 'dark' })
    const found: string[] = []
    for (const name of gallery.names) {
      await page.goto(gallery.addressOf(name, 'en'))
      found.push(...(await lookAt(page, `${name}, dark`, ONLY_COLOURS)))
    }
    expect(found).toEqual([])
    await page.close()
  })
})

test('axe finds nothing on the demo shop, the install page and the documentation', async ({
  browser,
  kassa,
  shop,
}) => {
  test.setTimeout(120_000)
  const page = await openPage(browser)
  await page.goto(`${kassa.url}/demo/`)
  const look = async (name: string) => {
    const found = [...(await lookAt(page, name)), ...(await lookInTheDark(page, name))]
    return [...found, ...(await phoneFaults(page)).map((fault) => `${name}: ${fault}`)]
  }
  const found = await look('shop')
  await payButton(page).click()
  await arriveAtCheckout(page)
  await chooseAtBank(page, 'paid')
  const verdict = page.getByTestId('verdict')
  await expect(verdict).toHaveAttribute('data-state', 'may-ship', { timeout: DECIDES_WITHIN_MS })
  for (const summary of await page.locator('summary').all()) await summary.click()
  found.push(...(await look('thanks')))
  const query = new URLSearchParams({ site: 'http://shop.example:8080', csp: "default-src 'self'" })
  await page.goto(`${kassa.url}/install/${shop.account.publicKey}?${query}`)
  found.push(...(await look('install')))
  for (const path of DOCS) {
    await page.goto(`${kassa.url}/docs${path}`)
    found.push(...(await look(`docs${path}`)))
  }
  expect(found).toEqual([])
  await page.close()
})
