import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { payButton, watchCheckouts, watchComplaints } from './support/buyer.ts'
import type { Kassa } from './support/kassa.ts'
import { pagesOf, readPicture } from './support/printed.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

async function openInstall(page: Page, kassa: Kassa, shop: Shop, query = ''): Promise<void> {
  await page.goto(`${kassa.url}/install/${shop.account.publicKey}${query}`)
  await unfold(page)
}

/** Opens the folded parts. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const each of document.querySelectorAll<HTMLDetailsElement>('details:not([name])')) each.open = true
  })
}

/** A secret that somebody might paste by mistake. */
const SECRET = 'ksk_live_0123456789'

const codeOf = (page: Page, platform: string) => page.getByTestId(`snippet-${platform}`)

test('the preview is the real button, follows the options at once, and starts no payment', {
  tag: '@long',
}, async ({ page, kassa, shop, operator }) => {
  const complaints = await watchComplaints(page)
  const requests = watchCheckouts(page)
  await openInstall(page, kassa, shop)
  const light = page.getByTestId('ground-light').locator('button')
  await page.getByLabel('Product').selectOption('tea')
  await expect(light).toHaveText('Pay $15.00')
  await page.getByLabel('Language of the button').selectOption('de')
  await page.getByLabel('Text on the button').fill('Jetzt: %s')
  await expect(light).toHaveText('Jetzt: $15.00')
  await page.getByLabel('Button', { exact: true }).fill('#552200')
  await expect(light).toHaveCSS('background-color', 'rgb(85, 34, 0)')
  const dark = page.getByTestId('ground-dark').locator('button')
  await expect(dark).toHaveCSS('background-color', 'rgb(132, 223, 185)')
  await expect(codeOf(page, 'html')).toContainText('label="Jetzt: %s"')
  await expect(codeOf(page, 'html')).toContainText('--kassa-pay-bg: light-dark(#552200, #84dfb9);')
  await page.getByLabel('Price on the button').selectOption('hidden')
  await expect(codeOf(page, 'react')).not.toContainText('price=')

  // The worst case: the key also works on the install page's own origin, as the demo shop's key does.
  const here = ['--installation', shop.account.installationId, '--origin', kassa.url]
  await operator.run('installation', 'allow', ...here)
  const before = (await operator.listPayments(shop.account.merchantId)).length
  await light.click()
  await expect(page.getByTestId('pressed')).toContainText('Here no payment starts')
  expect(requests).toEqual([])
  // Even if the page did not cancel the click, its content policy would block the request.
  await page.evaluate(() => {
    document.addEventListener('kassa-pay:click', (event) => event.stopImmediatePropagation(), true)
  })
  await light.click()
  await expect(page.locator('kassa-pay [role="status"]').first()).not.toBeEmpty()
  await expect(page).toHaveURL(/\/install\//)
  expect((await operator.listPayments(shop.account.merchantId)).length).toBe(before)
  await operator.run('installation', 'forbid', ...here)
  expect(
    complaints.filter((each) => !/connect-src|\[kassa-pay\]|Content Security Policy/.test(each)),
  ).toEqual([])
  await page.reload()
  await expect(page.getByLabel('Text on the button')).toHaveValue('Jetzt: %s')
})

test('a snippet is copied without changes', { tag: '@long' }, async ({ page, kassa, shop, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openInstall(page, kassa, shop)
  await page.getByText('Webflow', { exact: true }).click()
  await page.getByRole('button', { name: 'Copy: Webflow' }).click()
  await expect(page.locator('#webflow .copy')).toHaveText('Copied')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(await codeOf(page, 'webflow').textContent())
})

test("the doctor checks an origin, a policy and a return URL, in the page's language", {
  tag: '@long',
}, async ({ page, kassa, shop }) => {
  await openInstall(page, kassa, shop)
  await page.getByLabel('Address of your site').fill(`${shop.origin}/some/page`)
  await page.getByTestId('check').click()
  await expect(page.getByTestId('result-origin')).toHaveAttribute('data-weight', 'good')
  await expect(page.getByTestId('result-return')).toHaveAttribute('data-weight', 'good')
  await page.getByLabel('Address of your site').fill('https://www.shop.example')
  await page.getByLabel('Content-Security-Policy').fill("default-src 'self'")
  await page.getByTestId('check').click()
  await expect(page.getByTestId('result-policy')).toContainText(`Add ${kassa.url} to script-src`)
  await expect(page.getByTestId('ask')).toContainText(
    `Please allow the origin https://www.shop.example for the public key ${shop.account.publicKey}.`,
  )
  await page.getByRole('link', { name: 'Русский' }).click()
  await expect(page.getByTestId('result-origin')).toContainText('не разрешён')
})

test('text pasted for the doctor is never part of an address, and its result stays when the options change', async ({
  page,
  kassa,
  shop,
}) => {
  await openInstall(page, kassa, shop)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.getByLabel('Address of your site').fill(`${shop.origin}/?${SECRET}`)
  await page.getByLabel('The button’s code from your page').fill(`<kassa-pay public-key="${SECRET}">`)
  await page.getByTestId('check').click()
  await expect(page.getByTestId('result-code')).toContainText('It contains a secret')
  await page.getByLabel('Price on the button').selectOption('hidden')
  await expect(codeOf(page, 'html')).not.toContainText('price=')
  await expect(page.getByTestId('result-code')).toContainText('It contains a secret')
  await page.getByRole('link', { name: 'Русский' }).click()
  await expect(page.getByTestId('result-origin')).toContainText('разрешён')
  expect(page.url()).toContain('price=hidden')
  expect(requests.length).toBeGreaterThan(2)
  expect(requests.filter((each) => each.includes(SECRET))).toEqual([])
})

test('the snippets follow the return address while it is typed', { tag: '@long' }, async ({
  page,
  kassa,
  shop,
}) => {
  await openInstall(page, kassa, shop)
  const field = page.getByLabel('Page on your site')
  await expect(field).toHaveValue(`${shop.origin}/thanks`)
  await field.fill('/order')
  await expect(codeOf(page, 'html')).toContainText('return-url="/order"')
  await field.fill('https://other.example/')
  await expect(page.getByTestId('return-fault')).toContainText('https://other.example')
  await expect(codeOf(page, 'html')).not.toContainText('return-url')
  await expect(field).toHaveValue('https://other.example/')
})

test('a hostile product and merchant name stay text', async ({ page, kassa, shop }) => {
  const complaints = await watchComplaints(page)
  await openInstall(page, kassa, shop, '?product=script&label=%3Cimg%20src%3Dx%20onerror%3Dalert(3)%3E')
  await expect(page.getByTestId('ground-light').locator('button')).toContainText(
    '<img src=x onerror=alert(3)>',
  )
  await page.getByLabel('Price on the button').selectOption('hidden')
  await expect(codeOf(page, 'html')).not.toContainText('price=')
  expect(await page.locator('main img, main script').count()).toBe(0)
  const code = (await codeOf(page, 'html').textContent()) ?? ''
  shop.pages.set('/hostile-snippet', `<!doctype html><html lang="en"><title>Shop</title>${code}`)
  await page.goto(`${shop.origin}/hostile-snippet`)
  await expect(payButton(page)).toContainText('<img src=x')
  expect(await page.locator('img').count()).toBe(0)
  expect(complaints).toEqual([])
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('the choices of a poster are a form, and its address can be kept', { tag: '@long' }, async ({
    page,
    kassa,
    shop,
  }) => {
    await openPoster(page, kassa, shop)
    await page.getByLabel('A6, for a counter').check()
    await page.getByLabel('Русский').check()
    await page.getByRole('button', { name: 'Show it' }).click()
    await expect(page.getByTestId('paper')).toHaveAttribute('data-size', 'a6')
    await expect(page.getByTestId('paper')).toContainText('Наведите камеру')
    await page.goto(page.url())
    await expect(page.getByLabel('A6, for a counter')).toBeChecked()
    await expect(
      page.locator('[data-save], [data-print], [data-share]').filter({ visible: true }),
    ).toHaveCount(0)
  })
  test('the snippets and the doctor are there', { tag: '@long' }, async ({ page, kassa, shop }) => {
    await openInstall(page, kassa, shop)
    await expect(codeOf(page, 'html')).toContainText('<kassa-pay')
    await page.getByLabel('Text on the button').fill('Take it')
    await page.getByLabel('Page on your site').fill('/order')
    await page.getByRole('button', { name: 'Show it' }).first().click()
    await unfold(page)
    await expect(codeOf(page, 'html')).toContainText('return-url="/order"')
    await page.getByLabel('Address of your site').fill('https://www.shop.example')
    await page.getByLabel('The button’s code from your page').fill(`<kassa-pay public-key="${SECRET}">`)
    await page.getByTestId('check').click()
    await expect(page.getByTestId('result-origin')).toHaveAttribute('data-weight', 'bad')
    await expect(page.getByTestId('result-code')).toContainText('It contains a secret')
    await expect(codeOf(page, 'html')).toContainText('label="Take it"')
    expect(page.url()).not.toContain(SECRET)
    await page.getByRole('button', { name: 'Show it' }).first().click()
    await unfold(page)
    await expect(codeOf(page, 'html')).toContainText('return-url="/order"')
    await expect(page.getByTestId('result-origin')).toHaveAttribute('data-weight', 'bad')
    expect(page.url()).not.toContain(SECRET)
  })
})

test('on the first screen of a phone a seller copies the link or opens the poster', { tag: '@long' }, async ({
  page,
  kassa,
  shop,
}) => {
  const screen = { width: 390, height: 664 }
  await page.setViewportSize(screen)
  for (const locale of ['hy', 'ru', 'en']) {
    await openInstall(page, kassa, shop, `?locale=${locale}`)
    for (const act of [page.locator('.share .copy'), page.getByTestId('poster')]) {
      const box = await act.boundingBox()
      expect((box?.y ?? screen.height) + (box?.height ?? 0)).toBeLessThanOrEqual(screen.height)
    }
  }
})

test('every field has a name, every id is there once, and nothing overflows a phone', {
  tag: '@long',
}, async ({ page, kassa, shop }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  for (const locale of ['hy', 'ru', 'en']) {
    await openInstall(page, kassa, shop, `?locale=${locale}&site=https://www.shop.example&csp=default-src`)
    const faults = await page.evaluate(() => {
      const nameless = [...document.querySelectorAll('input:not([type=hidden]), select, textarea')].filter(
        (field) => !(field as HTMLInputElement).labels?.[0]?.textContent?.trim(),
      )
      const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
      const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
      const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth
      return { nameless: nameless.length, twice, wide, levels: document.querySelectorAll('h1').length }
    })
    expect(faults).toEqual({ nameless: 0, twice: [], wide: 0, levels: 1 })
  }
})

async function openPoster(page: Page, kassa: Kassa, shop: Shop): Promise<string> {
  await openInstall(page, kassa, shop, '?product=tea')
  await page.getByTestId('poster').click()
  await expect(page.getByTestId('poster-page')).toBeVisible()
  return `${kassa.url}/pay/${shop.account.publicKey}/tea`
}

const PAPERS = {
  'A4, for a wall': { size: 'a4', mm: [210, 297] },
  'A6, for a counter': { size: 'a6', mm: [105, 148] },
  'Table tent': { size: 'tent', mm: [210, 297] },
} as const
/** A phone reads modules of this width at arm's length. */
const MODULE_MM = 1.8

test('what is chosen before the script has loaded is on the poster', { tag: '@long' }, async ({
  page,
  kassa,
  shop,
}) => {
  const loads = Promise.withResolvers<void>()
  await page.route('**/poster.js', async (route) => {
    await loads.promise
    await route.continue()
  })
  await openPoster(page, kassa, shop)
  await page.getByLabel('A6, for a counter').check()
  loads.resolve()
  await expect(page.getByTestId('paper')).toHaveAttribute('data-size', 'a6')
  await expect(page).toHaveURL(/size=a6/)
})

test('a poster prints on one sheet of its size, a scanner reads its code, and in the sandbox it says so', {
  tag: '@long',
}, async ({ page, kassa, shop }) => {
  const complaints = await watchComplaints(page)
  const address = await openPoster(page, kassa, shop)
  await page.getByLabel('All three').check()
  for (const [label, { size, mm }] of Object.entries(PAPERS)) {
    const option = page.getByLabel(label)
    await option.press('Space')
    await expect(page.getByTestId('paper')).toHaveAttribute('data-size', size)
    await expect(option).toBeFocused()
    await expect(page).toHaveURL(new RegExp(`size=${size}`))
    expect(pagesOf(await page.pdf({ preferCSSPageSize: true }))).toEqual([mm])
    await page.emulateMedia({ media: 'print' })
    const face = page.locator('.front')
    expect((await readPicture(await face.screenshot())).text).toBe(address)
    const printed = await face.evaluate(measure)
    expect(printed.moduleMm).toBeGreaterThanOrEqual(MODULE_MM)
    expect(printed.isWhole).toBe(true)
    // Printers leave the backgrounds of elements out.
    expect(printed.mark).toEqual({ text: expect.stringContaining('Test mode'), backgrounds: [] })
    expect(printed.languages.sort()).toEqual(['en', 'hy', 'ru'])
    // As in the live world.
    await face.evaluate((each) => each.querySelector('[data-testid="test-mark"]')?.remove())
    expect(await face.evaluate(measure)).toMatchObject({ isWhole: true, mark: {} })
    expect((await readPicture(await face.screenshot())).text).toBe(address)
    await page.emulateMedia({ media: null })
  }
  expect(complaints).toEqual([])
})

/** Runs in the page. `isWhole`: nothing is outside the face or overlaps the parts that follow it. */
function measure(face: Element) {
  const code = face.querySelector<SVGSVGElement>('.qr-code')
  const mark = face.querySelector('[data-testid="test-mark"]')
  const { right, bottom } = face.getBoundingClientRect()
  const boxes = [...face.querySelectorAll('p, img, .qr-code')].map((each) => each.getBoundingClientRect())
  const [words, band] = ['.words', '.band'].map((each) => face.querySelector(each)?.getBoundingClientRect())
  const filled = [...(mark ? [mark, ...mark.querySelectorAll('*')] : [])].filter((each) => {
    const { backgroundImage, backgroundColor } = getComputedStyle(each)
    return backgroundImage !== 'none' || backgroundColor !== 'rgba(0, 0, 0, 0)'
  })
  return {
    moduleMm: ((code?.getBoundingClientRect().width ?? 0) / (code?.viewBox.baseVal.width ?? 1)) * (25.4 / 96),
    isWhole:
      boxes.every((box) => box.right <= right + 1 && box.bottom <= bottom + 1) &&
      (words?.bottom ?? 0) <= (band?.top ?? 0) + 1,
    mark: {
      text: (mark as HTMLElement | null)?.innerText,
      backgrounds: filled.map(({ className }) => String(className)),
    },
    languages: [...new Set([...face.querySelectorAll<HTMLElement>('.act [lang]')].map(({ lang }) => lang))],
  }
}

test('a code that is too long for A6 is told with a script too, and only for A6', { tag: '@long' }, async ({
  page,
  kassa,
  shop,
}) => {
  // Only the server knows how long the code is. Here it says so of every A6 that the script asks for.
  await page.route(/\/poster\?.*size=a6/, async (route) => {
    const answer = await route.fetch()
    const warned = '$1<p class="alert" data-testid="too-long">Too long</p>'
    const body = (await answer.text()).replace(/(<div id="paper-warning"[^>]*>)/, warned)
    await route.fulfill({ response: answer, body })
  })
  await openPoster(page, kassa, shop)
  await expect(page.locator('#poster')).toHaveAttribute('data-ready', 'yes')
  await expect(page.getByTestId('too-long')).toHaveCount(0)
  await page.getByLabel('A6, for a counter').check()
  await expect(page.getByTestId('too-long')).toBeVisible()
  await page.getByLabel('A4, for a wall').check()
  await expect(page.getByTestId('paper')).toHaveAttribute('data-size', 'a4')
  await expect(page.getByTestId('too-long')).toHaveCount(0)
})

test('the poster is saved and shared as a picture, with a code that a scanner reads', {
  tag: '@long',
}, async ({ page, kassa, shop }) => {
  await page.addInitScript(() => {
    navigator.canShare = () => true
    navigator.share = async ({ url, files = [] } = {}) => {
      document.body.dataset.shared = [url, ...files.map(({ type, size }) => `${type} ${size > 1000}`)].join(
        ' ',
      )
    }
  })
  const address = await openPoster(page, kassa, shop)
  await expect(page.locator('#poster')).toHaveAttribute('data-ready', 'yes')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as a picture' }).press('Enter')
  const picture = await readFile(await (await saved).path())
  expect(await readPicture(picture)).toEqual({ text: address, width: 1240, height: 1754 })
  await page.getByRole('button', { name: 'Share the picture' }).click()
  await expect(page.locator('body')).toHaveAttribute('data-shared', `${address} image/png true`)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.locator('body')).toHaveAttribute('data-shared', address)
})
