/** axe checks every page and must find nothing, and every page must fit a phone. Each state of the hosted pages is checked. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from '@playwright/test'
import { arriveAtCheckout, chooseAtBank, payButton } from './support/buyer.ts'
import { layoutFaults, phoneFaults, SMALL_PHONE } from './support/narrow.ts'
import { showPage } from './support/show-page.ts'
import { expect, test } from './support/stage.ts'

type Finding = { id: string; impact: string | null; nodes: { html: string }[] }
type Rules = { runOnly?: string[]; rules?: Record<string, { enabled: boolean }> }
declare const axe: { run(options: object): Promise<{ violations: Finding[] }> }

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const DECIDES_WITHIN_MS = 60_000
/** One documentation page of each kind. */
const DOCS = [
  '',
  '/shop/hy/packing',
  '/testing',
  '/operating',
  '/api/errors',
  '/api/create-subscription',
  '/search?q=refund',
  '/no-page',
]
const ONLY_COLOURS: Rules = { runOnly: ['color-contrast'] }
/** A page has the same colours in each language. So every state is checked in both modes in English, and without them in the others. */
const NO_COLOURS: Rules = { rules: { 'color-contrast': { enabled: false } } }

type Look = { isDark: boolean; found: string[] }

/** Returns what is wrong with the page now, its pay buttons included. The page must come from `openPage`. */
async function lookAt(page: Page, name: string, rules: Rules = {}): Promise<Look> {
  const { isDark, violations } = await page.evaluate(
    async (options) => {
      const isDrawn = (each: Element) => each.shadowRoot?.querySelector('button')
      while (![...document.querySelectorAll('kassa-pay')].every(isDrawn))
        await new Promise(requestAnimationFrame)
      // Else axe could read a colour that is still changing.
      for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()
      const isDark = matchMedia('(prefers-color-scheme: dark)').matches
      return { isDark, violations: (await axe.run(options)).violations }
    },
    // Half of the time goes into selectors of the nodes, which the report below does not use. No rule in use needs the style sheets,
    // which axe would fetch.
    { resultTypes: ['violations'], selectors: false, preload: false, ...rules },
  )
  const state = isDark ? `${name}, dark` : name
  const found = violations.map(({ id, impact, nodes }) => `${state}: ${impact} ${id} ${nodes[0]?.html}`)
  return { isDark, found }
}

/**
 * Returns what is wrong with the page, with its colours in light and in dark mode. The page is not loaded anew. It stays in the
 * second mode, and the next page is checked in that mode first, because each change of the mode costs as much as some checks.
 */
async function lookInBothModes(page: Page, name: string): Promise<string[]> {
  const first = await lookAt(page, name)
  await page.emulateMedia({ colorScheme: first.isDark ? 'light' : 'dark' })
  const second = await lookAt(page, name, ONLY_COLOURS)
  expect(second.isDark).toBe(!first.isDark)
  return [...first.found, ...second.found]
}

/** Every document of the page has axe from the start. Sending it anew for each state took as long as some checks. */
async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ colorScheme: 'light', viewport: SMALL_PHONE })
  await page.addInitScript(AXE)
  return page
}

// Two workers share the states.
for (const half of [1, 2])
  test(`axe finds nothing in any state of the hosted pages, half ${half} of the states`, {
    tag: '@long',
  }, async ({ browser, gallery }) => {
    const page = await openPage(browser)
    const found: string[] = []
    expect(gallery.names.length).toBeGreaterThan(60)
    const names = gallery.names.filter((_, index) => index % 2 === half - 1)
    for (const locale of gallery.locales)
      for (const name of names) {
        await showPage(page, gallery.addressOf(name, locale))
        const faults =
          locale === 'en' ? await lookInBothModes(page, name) : (await lookAt(page, name, NO_COLOURS)).found
        found.push(...faults.map((fault) => `${locale} ${fault}`))
        found.push(...(await layoutFaults(page)).map((fault) => `${locale} ${name}: ${fault}`))
      }
    expect(found).toEqual([])
    await page.close()
  })

test('axe finds nothing on the demo shop, the install page and the documentation', { tag: '@long' }, async ({
  browser,
  kassa,
  shop,
}) => {
  const page = await openPage(browser)
  await page.goto(`${kassa.url}/demo/`)
  const look = async (name: string) => {
    return [
      ...(await lookInBothModes(page, name)),
      ...(await phoneFaults(page)).map((fault) => `${name}: ${fault}`),
    ]
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
