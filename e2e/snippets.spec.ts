/** Every snippet of the install page, as the page's own text has it, in the place where each platform puts it. */
import type { Page } from '@playwright/test'
import { arriveAtCheckout, payButton, watchCheckouts, watchComplaints } from './support/buyer.ts'
import { bundle } from './support/frameworks.ts'
import type { Kassa } from './support/kassa.ts'
import { PLACES, placeAsWix } from './support/platforms.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

/** What templates, shortcodes and components look for is a letter like any other. */
const LABEL = 'Buy {{ 7*7 }} [gallery] {% x %} "it\'s" %s'
const WORDS = LABEL.replace('%s', '$15.00')

/** What a merchant who opens the install page copies. */
async function copySnippet(
  page: Page,
  { kassa, shop }: { kassa: Kassa; shop: Shop },
  { platform, ...query }: Record<string, string>,
): Promise<string> {
  const asked = new URLSearchParams({ product: 'tea', ...query })
  await page.goto(`${kassa.url}/install/${shop.account.publicKey}?${asked}`)
  return (await page.getByTestId(`snippet-${platform}`).textContent()) ?? ''
}

async function expectSale(page: Page): Promise<void> {
  const asked = watchCheckouts(page)
  await payButton(page).click()
  await arriveAtCheckout(page)
  expect(asked).toHaveLength(1)
}

for (const [place, wrap] of Object.entries(PLACES))
  test(`pasted as it is it sells: ${place}`, async ({ page, kassa, shop }) => {
    const complaints = await watchComplaints(page)
    const [platform = ''] = place.split(',')
    for (const version of ['pinned', 'moving']) {
      const chosen = { platform, version, label: LABEL, radius: '3' }
      const code = await copySnippet(page, { kassa, shop }, chosen)
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

test('the editor of a theme draws its section anew, and the button sells on', async ({
  page,
  kassa,
  shop,
}) => {
  const code = await copySnippet(page, { kassa, shop }, { platform: 'shopify' })
  shop.pages.set('/section', PLACES.shopify?.(code) ?? '')
  await page.goto(`${shop.origin}/section`)
  await expect(payButton(page)).toHaveText('Pay $15.00')
  // Scripts that are written so do not run.
  await page.locator('.shopify-section').evaluate((section) => {
    section.innerHTML = String(section.innerHTML)
  })
  await expect(payButton(page)).toHaveText('Pay $15.00')
  await expectSale(page)
})

test('the fields of Wix make a button that sells, whether the script is loaded as a module or not', async ({
  page,
  kassa,
  shop,
}) => {
  const complaints = await watchComplaints(page)
  const fields = await copySnippet(page, { kassa, shop }, { platform: 'wix', label: LABEL })
  shop.pages.set('/wix', '<!doctype html><html lang="en"><title>Wix</title><div id="comp-1"></div>')
  for (const type of ['text/javascript', 'module'] as const) {
    await page.goto(`${shop.origin}/wix`)
    await placeAsWix(page, fields, type)
    await expect(payButton(page)).toHaveText(WORDS)
    await expectSale(page)
  }
  // Where there are no custom elements: the link of an ordinary button.
  await page.goto(/link: (\S+)$/.exec(fields)?.[1] ?? '')
  await expect(page.getByTestId('pay')).toBeVisible()
  expect(complaints).toEqual([])
})

test('in a frame on another origin the button is refused, and the link inside it leads out of the frame', async ({
  page,
  kassa,
  shop,
  stranger,
  operator,
}) => {
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

  // Once the frame's own origin is allowed, the button moves the whole tab.
  const there = ['--installation', shop.account.installationId, '--origin', stranger.origin]
  await operator.run('installation', 'allow', ...there)
  try {
    await expect(async () => {
      await page.goto(`${shop.origin}/embeds`)
      await frame.locator('kassa-pay button').click()
      await page.waitForURL(/\/checkout\//, { timeout: 2_000 })
    }).toPass({ timeout: 8_000 })
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
  test(`the component of ${platform} is compiled as it is, and sells`, async ({ page, kassa, shop }) => {
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
