/** Every snippet of the install page, pasted unchanged into a page as each platform builds it. */
import type { Page } from '@playwright/test'
import { arriveAtCheckout, payButton, watchCheckouts, watchComplaints } from './support/buyer.ts'
import { bundle } from './support/frameworks.ts'
import type { Kassa } from './support/kassa.ts'
import { SMALL_PHONE } from './support/narrow.ts'
import { PLACES, placeAsWix } from './support/platforms.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

/** The label holds the syntax of templates, shortcodes and components. It must stay plain text. */
const LABEL = 'Buy {{ 7*7 }} [gallery] {% x %} "it\'s" %s'
const WORDS = LABEL.replace('%s', '$15.00')

/** Returns the snippet that a merchant copies from the install page. */
async function copySnippet(
  page: Page,
  { kassa, shop }: { kassa: Kassa; shop: Shop },
  { platform, ...query }: Record<string, string>,
): Promise<string> {
  await openInstall(page, { kassa, shop }, query)
  return (await page.getByTestId(`snippet-${platform}`).textContent()) ?? ''
}

async function openInstall(
  page: Page,
  { kassa, shop }: { kassa: Kassa; shop: Shop },
  query: Record<string, string>,
): Promise<void> {
  const search = new URLSearchParams({ product: 'tea', ...query })
  await page.goto(`${kassa.url}/install/${shop.account.publicKey}?${search}`)
}

/** The page shows the snippets of all platforms, and the tests of a worker share its installation. So each version is loaded once. */
const copied = new Map<string, Promise<Record<string, string>>>()

/** Returns the snippets of a version for every platform, as the install page shows them. */
function copySnippets(page: Page, at: { kassa: Kassa; shop: Shop }, version: string) {
  const known = copied.get(version)
  if (known) return known
  const copying = openInstall(page, at, { version, label: LABEL, radius: '3' }).then(() =>
    page
      .locator('[data-testid^="snippet-"]')
      .evaluateAll((all) =>
        Object.fromEntries(
          all.map((each) => [
            (each as HTMLElement).dataset.testid?.replace('snippet-', ''),
            each.textContent,
          ]),
        ),
      ),
  )
  copied.set(version, copying)
  return copying
}

async function expectSale(page: Page): Promise<void> {
  const requests = watchCheckouts(page)
  await payButton(page).click()
  await arriveAtCheckout(page)
  expect(requests).toHaveLength(1)
}

for (const [place, wrap] of Object.entries(PLACES))
  test(`pasted unchanged, the snippet works: ${place}`, { tag: '@long' }, async ({ page, kassa, shop }) => {
    const complaints = await watchComplaints(page)
    const [platform = ''] = place.split(',')
    for (const version of ['pinned', 'moving']) {
      const { [platform]: code = '' } = await copySnippets(page, { kassa, shop }, version)
      expect(code.includes('integrity="sha384-')).toBe(version === 'pinned')
      shop.pages.set('/pasted', wrap(code))
      await page.goto(`${shop.origin}/pasted`)
      await expect(payButton(page)).toHaveText(WORDS)
      await expect(payButton(page)).toHaveCSS('border-radius', '3px')
      await expect(payButton(page)).toHaveCSS('text-transform', 'none')
      await expectSale(page)
    }
    expect(complaints).toEqual([])
  })

test('in a theme of WordPress the button stands in the column of the text', { tag: '@long' }, async ({
  page,
  kassa,
  shop,
}) => {
  const { wordpress: code = '' } = await copySnippets(page, { kassa, shop }, 'pinned')
  shop.pages.set('/column', PLACES.wordpress?.(code) ?? '')
  for (const width of [SMALL_PHONE.width, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    await page.goto(`${shop.origin}/column`)
    const [text, button] = [await page.getByTestId('text').boundingBox(), await payButton(page).boundingBox()]
    expect(button?.x).toBeCloseTo(text?.x ?? 0, 0)
  }
})

/** The line of CSS in the snippet that keeps the button's room free. */
const RESERVE = /^.*kassa-pay:not\(:defined\).*$/m
/**
 * Opens the page and lets its script come after the page is painted. Returns by how much the page's content moved, all
 * movements added up.
 */
async function shiftOf(page: Page, address: string): Promise<number> {
  const painted = Promise.withResolvers<void>()
  await page.route('**/kassa.js', async (route) => {
    await painted.promise
    await route.continue()
  })
  await page.goto(address, { waitUntil: 'commit' })
  await expect(page.getByText('The text below').first()).toBeVisible()
  await expect(payButton(page)).toHaveCount(0)
  // The first contentful paint is reported after the frame that showed it.
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
  painted.resolve()
  await expect(payButton(page)).toBeVisible()
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        // A shift is reported after the frame that showed it.
        // Real time: a slow machine finds fewer shifts.
        setTimeout(() => resolve(sum), 300)
      }),
  )
}

test('the text below the button does not move when the script loads late', { tag: '@long' }, async ({
  page,
  context,
  kassa,
  shop,
}) => {
  const code = await copySnippet(page, { kassa, shop }, { platform: 'html' })
  expect(code).toMatch(RESERVE)
  const text = '<p>The text below the button is long enough to fill the screen. </p>'.repeat(12)
  const pageOf = (snippet: string) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title><h1>Tea</h1>${snippet}${text}`
  shop.pages.set('/reserved', pageOf(code))
  const styled = await copySnippet(page, { kassa, shop }, { platform: 'wordpress' })
  shop.pages.set('/styled', pageOf(styled))
  shop.pages.set('/unreserved', pageOf(code.replace(RESERVE, '')))
  const shifts = ['/reserved', '/styled', '/unreserved'].flatMap((path) =>
    [SMALL_PHONE, { width: 1280, height: 800 }].map(async (screen) => {
      const other = await context.newPage()
      await other.setViewportSize(screen)
      return shiftOf(other, shop.origin + path)
    }),
  )
  const [phone, desktop, phoneStyled, desktopStyled, phoneWithout, desktopWithout] = await Promise.all(shifts)
  // Without the line the same page moves. How far depends on the fonts of the machine, so it is the measure for the others.
  for (const [without, ...reserved] of [
    [phoneWithout, phone, phoneStyled],
    [desktopWithout, desktop, desktopStyled],
  ] as [number, number, number][]) {
    expect(without).toBeGreaterThan(0)
    expect(Math.max(...reserved)).toBeLessThan(without / 4)
  }
})

test('the button still works after a theme editor has redrawn its section', { tag: '@long' }, async ({
  page,
  kassa,
  shop,
}) => {
  const code = await copySnippet(page, { kassa, shop }, { platform: 'shopify' })
  shop.pages.set('/section', PLACES.shopify?.(code) ?? '')
  await page.goto(`${shop.origin}/section`)
  await expect(payButton(page)).toHaveText('Pay $15.00')
  // The browser does not run scripts that are inserted with innerHTML.
  await page.locator('.shopify-section').evaluate((section) => {
    section.innerHTML = String(section.innerHTML)
  })
  await expect(payButton(page)).toHaveText('Pay $15.00')
  await expectSale(page)
})

test('the fields of Wix make a working button, with the script loaded as a module or not', {
  tag: '@long',
}, async ({ page, kassa, shop }) => {
  const complaints = await watchComplaints(page)
  const fields = await copySnippet(page, { kassa, shop }, { platform: 'wix', label: LABEL })
  shop.pages.set('/wix', '<!doctype html><html lang="en"><title>Wix</title><div id="comp-1"></div>')
  for (const type of ['text/javascript', 'module'] as const) {
    await page.goto(`${shop.origin}/wix`)
    await placeAsWix(page, fields, type)
    await expect(payButton(page)).toHaveText(WORDS)
    await expectSale(page)
  }
  // For a site without custom elements the fields also hold a link for an ordinary button.
  await page.goto(/link: (\S+)$/.exec(fields)?.[1] ?? '')
  await expect(page.getByTestId('pay')).toBeVisible()
  expect(complaints).toEqual([])
})

test('in a frame on an unregistered origin the button is rejected, and the link inside it leads out of the frame', {
  tag: '@long',
}, async ({ page, kassa, shop, stranger, operator }) => {
  stranger.pages.set('/framed', await copySnippet(page, { kassa, shop }, { platform: 'html' }))
  shop.pages.set(
    '/embeds',
    `<!doctype html><html lang="en"><title>Shop</title><iframe src="${stranger.origin}/framed"></iframe>`,
  )
  const frame = page.frameLocator('iframe')
  await page.goto(`${shop.origin}/embeds`)
  await frame.locator('kassa-pay button').click()
  await frame.locator('kassa-pay a').click()
  await expect(page).toHaveURL(`${kassa.url}/pay/${shop.account.publicKey}/tea`)
  await expect(page.getByTestId('pay')).toBeVisible()

  // Once the frame's origin is registered, the button moves the whole tab.
  const there = ['--installation', shop.account.installationId, '--origin', stranger.origin]
  await operator.run('installation', 'allow', ...there)
  try {
    await expect(async () => {
      await page.goto(`${shop.origin}/embeds`)
      await frame.locator('kassa-pay button').click()
      // Real time: one of many tries.
      await page.waitForURL(/\/checkout\//, { timeout: 2_000 })
    }).toPass({ timeout: 60_000 })
  } finally {
    await operator.run('installation', 'forbid', ...there)
  }
})

const COMPONENTS = {
  react: {
    file: 'pay-button.jsx',
    main: `import { StrictMode } from 'react'
      import { createRoot } from 'react-dom/client'
      import { PayButton } from './pay-button.jsx'
      createRoot(document.querySelector('#root')).render(<StrictMode><PayButton /></StrictMode>)`,
  },
  vue: {
    file: 'pay-button.vue',
    main: `import { createApp } from 'vue'
      import PayButton from './pay-button.vue'
      createApp(PayButton).mount('#root')`,
  },
}

for (const [platform, { file, main }] of Object.entries(COMPONENTS))
  test(`the component for ${platform} compiles unchanged and works`, { tag: '@long' }, async ({
    page,
    kassa,
    shop,
  }) => {
    const complaints = await watchComplaints(page)
    page.on('console', (message) => {
      if (message.type() === 'warning') complaints.push(message.text())
    })
    const shades = { background: '#552200', backgroundDark: '#552200' }
    const code = await copySnippet(page, { kassa, shop }, { platform, label: LABEL, ...shades })
    const program = await bundle({ 'main.jsx': main, [file]: code })
    shop.pages.set(
      '/component',
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><div id="root"></div><script>${program}</script>`,
    )
    await page.goto(`${shop.origin}/component`)
    await expect(payButton(page)).toHaveText(WORDS)
    await expect(payButton(page)).toHaveCSS('background-color', 'rgb(85, 34, 0)')
    expect(await page.locator('script[src]').count()).toBe(1)
    expect(await page.locator('kassa-pay a').textContent()).toBe(WORDS)
    await expectSale(page)
    expect(complaints).toEqual([])
  })
