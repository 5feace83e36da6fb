/** The documentation in a browser: on the narrowest phone, on a desktop, and with the keyboard alone. */
import type { Page } from '@playwright/test'
import { showPage } from './support/show-page.ts'
import { expect, test } from './support/stage.ts'

const DESKTOP = { width: 1280, height: 800 }
const NARROW = { width: 320, height: 640 }
/** Readers get lost on a longer page. The text is counted, because the height depends on the fonts of the machine. */
const CHARS_MAX = 25_000
/** In these pages people look things up, and nobody reads them through. */
const LOOKED_UP: Record<string, number> = { '/docs/asvs': 27_000, '/docs/how-it-is-built': 30_000 }

async function everyPage(page: Page, url: string): Promise<string[]> {
  await page.goto(`${url}/docs`)
  const links = await page
    .locator('.side .wide a')
    .evaluateAll((all) => all.map((each) => each.getAttribute('href')))
  return ['/docs', '/docs/search?q=refund', ...links.flatMap((href) => href ?? [])]
}

test('every page fits a narrow and a wide screen, and none is too long', { tag: '@long' }, async ({
  page,
  kassa,
}) => {
  await page.setViewportSize(DESKTOP)
  const paths = await everyPage(page, kassa.url)
  expect(paths.length).toBeGreaterThan(30)
  const faults: string[] = []
  for (const viewport of [DESKTOP, NARROW]) {
    await page.setViewportSize(viewport)
    for (const path of paths) {
      await showPage(page, kassa.url + path)
      const { width, wide, heading, chars } = await page.evaluate(() => ({
        width: innerWidth,
        wide: document.documentElement.scrollWidth - innerWidth,
        heading: document.querySelectorAll('h1').length,
        chars: document.querySelector('main')?.innerText.length ?? 0,
      }))
      expect([path, width, heading]).toEqual([path, viewport.width, 1])
      if (wide > 0) faults.push(`${path} is ${wide} px too wide at ${width} px`)
      if (viewport === DESKTOP && chars > (LOOKED_UP[path] ?? CHARS_MAX))
        faults.push(`${path} has ${chars} characters`)
    }
  }
  expect(faults).toEqual([])
})

test('a reader finds an answer with the keyboard alone', { tag: '@long' }, async ({ page, kassa }) => {
  await page.goto(`${kassa.url}/docs`)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await page.reload()
  for (const _ of [1, 2, 3]) await page.keyboard.press('Tab')
  const field = page.getByRole('searchbox')
  await expect(field).toBeFocused()
  const outline = await field.evaluate((node) => getComputedStyle(node).outlineWidth)
  expect(outline).toBe('3px')
  await page.keyboard.type('late_paid')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/search?q=late_paid')
  await page.getByRole('link', { name: 'Cause a fault' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/testing#cause-a-fault')
  await expect(page.getByRole('heading', { name: 'Cause a fault' })).toBeInViewport()
})

test('an example stays in the chosen language from page to page', { tag: '@long' }, async ({
  page,
  kassa,
}) => {
  await page.setViewportSize(DESKTOP)
  await page.goto(`${kassa.url}/docs/api/create-payment-session`)
  await page.getByRole('link', { name: 'Python', exact: true }).click()
  await expect(page.getByLabel('Example in Python', { exact: true })).toContainText('urllib.request')
  await page.locator('.side .wide').getByRole('link', { name: 'Look up a payment' }).click()
  await expect(page.getByLabel('Example in Python', { exact: true })).toContainText('/v1/payments?paymentId=')
})

test('a button copies a block of code, and without the script the page is the same without buttons', {
  tag: '@long',
}, async ({ browser, context, page, kassa }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${kassa.url}/docs/api/quickstart`)
  const block = page.locator('figure.code').first()
  const text = await block.locator('pre').textContent()
  await block.getByRole('button', { name: 'Copy' }).click()
  await expect(block.getByRole('button')).toHaveText('Copied')
  await expect(page.getByRole('status')).toHaveText('Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text)
  const plain = await browser.newContext({ javaScriptEnabled: false })
  const still = await plain.newPage()
  await still.goto(`${kassa.url}/docs/api/quickstart`)
  await expect(still.locator('figure.code').first().locator('pre')).toHaveText(text ?? '')
  await expect(still.getByRole('button', { name: 'Copy' })).toHaveCount(0)
  await plain.close()
})
