/** axe checks every page and must find nothing, and every page must fit a phone. Each state of the hosted pages is checked. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from '@playwright/test'
import { arriveAtCheckout, chooseAtBank, payButton } from './support/buyer.ts'
import type { LOCALES } from './support/gallery.ts'
import { layoutFaults, phoneFaults, SMALL_PHONE } from './support/narrow.ts'
import { showPage } from './support/show-page.ts'
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
const ONLY_COLOURS: Rules = { runOnly: ['color-contrast'] }
/**
 * A page has the same elements in each language. So English is checked with every rule, and the other languages with the rules
 * that depend on texts and their sizes. `npm run test:long` checks every language with every rule. Colours depend on no language.
 */
const TEXT_RULES: Rules = {
  runOnly: [
    'aria-command-name',
    'aria-input-field-name',
    'aria-progressbar-name',
    'aria-toggle-field-name',
    'button-name',
    'document-title',
    'empty-heading',
    'frame-title',
    'html-has-lang',
    'html-lang-valid',
    'image-alt',
    'input-button-name',
    'label',
    'label-content-name-mismatch',
    'landmark-unique',
    'link-name',
    'meta-viewport',
    'scrollable-region-focusable',
    'select-name',
    'summary-name',
    'svg-img-alt',
    'target-size',
    'valid-lang',
  ],
}
const NO_COLOURS: Rules = { rules: { 'color-contrast': { enabled: false } } }
const TRANSLATED = process.env.KASSA_TEST_LONG ? NO_COLOURS : TEXT_RULES
const RULES_OF_LOCALE: Record<(typeof LOCALES)[number], Rules> = { hy: TRANSLATED, ru: TRANSLATED, en: {} }
/** English takes longest, so two workers share it. The longest tests come first. */
const PARTS = [
  { locale: 'en', half: 1 },
  { locale: 'en', half: 2 },
  { locale: 'hy', half: null },
  { locale: 'ru', half: null },
] as const

/** Returns what is wrong with the page now, its pay buttons included. The page must come from `openPage`. */
async function lookAt(page: Page, name: string, rules: Rules = {}): Promise<string[]> {
  const { violations } = await page.evaluate(
    async (options) => {
      const isDrawn = (each: Element) => each.shadowRoot?.querySelector('button')
      while (![...document.querySelectorAll('kassa-pay')].every(isDrawn))
        await new Promise(requestAnimationFrame)
      // Else axe could read a colour that is still changing.
      for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()
      return axe.run(options)
    },
    // Half of the time goes into selectors of the nodes, which the report below does not use.
    { resultTypes: ['violations'], selectors: false, ...rules },
  )
  return violations.map(({ id, impact, nodes }) => `${name}: ${impact} ${id} ${nodes[0]?.html}`)
}

/** Returns what is wrong with the page's colours in dark mode, and turns light mode on again. The page is not loaded anew. */
async function lookInTheDark(page: Page, name: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
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

for (const { locale, half } of PARTS)
  test(`axe finds nothing in any state of the hosted pages in ${locale}${half ? `, half ${half} of the states` : ''}`, async ({
    browser,
    gallery,
  }) => {
    test.setTimeout(120_000)
    const page = await openPage(browser)
    const found: string[] = []
    const names = gallery.names.filter((_, index) => !half || index % 2 === half - 1)
    expect(names.length).toBeGreaterThan(30)
    for (const name of names) {
      await showPage(page, gallery.addressOf(name, locale))
      found.push(...(await lookAt(page, name, RULES_OF_LOCALE[locale])))
      found.push(...(await layoutFaults(page)).map((fault) => `${name}: ${fault}`))
      if (locale === 'en') found.push(...(await lookInTheDark(page, name)))
    }
    expect(found).toEqual([])
    await page.close()
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
