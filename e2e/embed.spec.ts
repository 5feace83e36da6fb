import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { ENGLISH, LOCALES, type Messages } from '../widget/messages.ts'
import { arriveAtCheckout, buy, chooseAtBank, payButton, watchComplaints } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

const textsOf = (locale: string): Messages =>
  locale === 'en'
    ? ENGLISH
    : JSON.parse(readFileSync(new URL(`../widget/languages/${locale}.json`, import.meta.url), 'utf8'))

test('one script tag adds a button that leads to the hosted checkout', async ({ page, shop }) => {
  const complaints = await watchComplaints(page)
  await buy(page, shop, { outcome: 'paid', path: '/script-tag.html' })
  expect(complaints).toEqual([])
})

test('the button works under the strictest content policy, up to the thanks page', async ({ page, shop }) => {
  const complaints = await watchComplaints(page)
  await page.goto(`${shop.origin}/strict-csp.html`)
  // The page declares no charset. The text must still be right.
  await expect(payButton(page)).toHaveText('Վճարել')
  const box = await payButton(page).boundingBox()
  expect(box?.height).toBeGreaterThanOrEqual(44)
  await payButton(page).click()
  await arriveAtCheckout(page)
  await chooseAtBank(page, 'paid')
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible()
  expect(complaints).toEqual([])
})

test('two buttons on one page lead to two payments', async ({ page, shop }) => {
  shop.pages.set(
    '/two.html',
    `<!doctype html><html lang="ru"><meta charset="utf-8"><title>Two</title><script async src="__API__/widget/v1/kassa.js"></script>
     <kassa-pay id="tea" public-key="__PUBLIC_KEY__" product-id="tea" price="15 $"></kassa-pay>
     <kassa-pay id="locker" public-key="__PUBLIC_KEY__" product-id="locker" price="1 900 ֏"></kassa-pay></html>`,
  )
  const pay = async (id: string) => {
    await page.goto(`${shop.origin}/two.html`)
    await page.locator(`#${id} button`).click()
    return arriveAtCheckout(page)
  }
  await page.goto(`${shop.origin}/two.html`)
  await expect(page.locator('#locker button')).toHaveText('Оплатить 1 900 ֏')
  const tea = await pay('tea')
  const locker = await pay('locker')
  expect(locker).not.toBe(tea)
  expect(await pay('tea')).toBe(tea)
})

test('a page from right to left has a button from right to left', { tag: '@long' }, async ({
  page,
  shop,
}) => {
  shop.pages.set(
    '/arabic.html',
    `<!doctype html><html lang="ar" dir="rtl"><meta charset="utf-8"><title>شاي</title><h1>شاي</h1>
     <script async src="__API__/widget/v1/kassa.js"></script>
     <kassa-pay public-key="__PUBLIC_KEY__" product-id="tea" price="$15.00"></kassa-pay></html>`,
  )
  await page.goto(`${shop.origin}/arabic.html`)
  await expect(payButton(page)).toHaveText('ادفع $15.00')
  await expect(payButton(page)).toHaveCSS('direction', 'rtl')
  await payButton(page).click()
  await arriveAtCheckout(page)
})

test('without JavaScript the link inside the element is there instead', async ({ browser, shop, kassa }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${shop.origin}/element.html`)
  const link = page.getByRole('link', { name: 'Pay on our payment page' })
  await expect(link).toBeVisible()
  await expect(link).toHaveAttribute('href', `${kassa.url}/`)
  await context.close()
})

test('if the script runs, the link inside the element is not visible and gets no focus', async ({
  page,
  shop,
}) => {
  await page.goto(`${shop.origin}/element.html`)
  await expect(payButton(page)).toBeVisible()
  await expect(page.getByText('Pay on our payment page')).toBeHidden()
  await page.keyboard.press('Tab')
  await expect(payButton(page)).toBeFocused()
})

/** Sets attributes of the element on the page. */
const attributesOf = (page: Page) => (name: string, value: string) =>
  page
    .locator('kassa-pay')
    .evaluate((element, [key, text]) => element.setAttribute(key, text), [name, value] as const)

test('the button is redrawn on every change: an attribute that goes and comes back, and each phase of a click', async ({
  page,
  context,
  shop,
}) => {
  const complaints = await watchComplaints(page)
  await page.goto(`${shop.origin}/element.html`)
  const link = page.getByText('Pay on our payment page')
  await expect(payButton(page)).toHaveText('Pay')
  const set = attributesOf(page)
  await set('product-id', '')
  await expect(payButton(page)).toHaveCount(0)
  await expect(link).toBeVisible()
  expect(complaints.splice(0).join()).toContain('Missing or wrong: product-id.')
  await set('product-id', 'tea')
  await set('price', '$15.00')
  await expect(payButton(page)).toHaveText('Pay $15.00')
  await expect(link).toBeHidden()
  // The request fails first and is held later, so that each phase lasts long enough to be checked.
  await context.setOffline(true)
  await payButton(page).click()
  await expect(page.locator('[data-phase="error"] button')).toHaveText('Try again')
  await expect(link).toBeVisible()
  await context.setOffline(false)
  const held = Promise.withResolvers<void>()
  await page.route('**/api/widget/checkout', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.route('**/checkout/pay_*', (route) => route.fulfill({ status: 204 }))
  complaints.length = 0
  await payButton(page).click()
  await expect(page.locator('[data-phase="loading"] button[aria-busy]')).toHaveText('Opening checkout…')
  await expect(page.getByRole('status')).toHaveText('Opening checkout…')
  held.resolve()
  await expect(page.locator('[data-phase="redirecting"] button[aria-busy]')).toHaveText('Opening checkout…')
  await set('label', 'Buy for %s')
  await set('client-reference', 'order-17')
  await expect(page.locator('[data-phase="idle"] button')).toHaveText('Buy for $15.00')
  await expect(page.getByRole('status')).toBeEmpty()
  await expect(link).toBeHidden()
  expect(complaints).toEqual([])
})

test('after a failure that no further press mends, the button keeps its text in every language', {
  tag: '@long',
}, async ({ page, shop }) => {
  await page.goto(`${shop.origin}/element.html`)
  await expect(payButton(page)).toHaveText('Pay')
  const set = attributesOf(page)
  await set('product-id', 'not-for-sale')
  await set('price', '$15.00')
  await payButton(page).click()
  const failed = page.locator('[data-phase="error"] button')
  for (const locale of LOCALES) {
    const words = textsOf(locale)
    await set('locale', locale)
    await expect(page.getByRole('status')).toHaveText(words.failed)
    await expect(failed).toHaveText(words.pay.replace('%s', '$15.00'))
  }
  await expect(failed).not.toHaveAttribute('aria-disabled')
  await expect(page.getByText('Pay on our payment page')).toBeVisible()
  await set('product-id', 'tea')
  await payButton(page).click()
  await arriveAtCheckout(page)
})

test('a page that cancels the redirect event decides itself where the buyer goes', async ({ page, shop }) => {
  await page.goto(`${shop.origin}/element.html`)
  await expect(payButton(page)).toBeVisible()
  await page.evaluate(() => {
    addEventListener('kassa-pay:redirect', (event) => {
      event.preventDefault()
      document.title = (event as CustomEvent<{ url: string }>).detail.url
    })
  })
  await payButton(page).click()
  await expect(page).toHaveTitle(/\/checkout\/[^/]+$/)
  await expect(payButton(page)).not.toHaveAttribute('aria-disabled')
  expect(page.url()).toBe(`${shop.origin}/element.html`)
})

test('a snippet with its texts asks for nothing but the script, and one without asks for them once', {
  tag: '@long',
}, async ({ page, shop }) => {
  const requests: string[] = []
  page.on('request', (request) => void requests.push(new URL(request.url()).pathname))
  const texts = ['hy', ...Object.values(textsOf('hy'))].join('|')
  const pageWith = (
    attribute: string,
  ) => `<!doctype html><html lang="hy"><meta charset="utf-8"><title>Թեյ</title>
    <script async src="__API__/widget/v1/kassa.js"></script>
    <kassa-pay public-key="__PUBLIC_KEY__" product-id="tea" price="15 $" ${attribute}></kassa-pay>
    <kassa-pay public-key="__PUBLIC_KEY__" product-id="locker" price="15 $" ${attribute}></kassa-pay></html>`
  shop.pages.set('/with.html', pageWith(`texts="${texts}"`))
  shop.pages.set('/without.html', pageWith(''))
  await page.goto(`${shop.origin}/with.html`)
  await expect(payButton(page).first()).toHaveText('Վճարել 15 $')
  expect(requests.filter((path) => path.startsWith('/widget/'))).toEqual(['/widget/v1/kassa.js'])
  requests.length = 0
  await page.goto(`${shop.origin}/without.html`)
  await expect(payButton(page).first()).toHaveText('Վճարել 15 $')
  await expect(payButton(page).last()).toHaveText('Վճարել 15 $')
  expect(requests.filter((path) => path.endsWith('.json'))).toEqual(['/widget/v1/hy.json'])
})

test('if the texts of a language do not come, the button works in English', async ({ page, shop }) => {
  await page.route('**/widget/v1/hy.json', (route) => route.abort())
  shop.pages.set(
    '/offline.html',
    `<!doctype html><html lang="hy"><meta charset="utf-8"><title>Թեյ</title>
     <script async src="__API__/widget/v1/kassa.js"></script>
     <kassa-pay public-key="__PUBLIC_KEY__" product-id="tea" price="15 $"></kassa-pay></html>`,
  )
  await page.goto(`${shop.origin}/offline.html`)
  await expect(payButton(page)).toHaveText('Pay 15 $')
  await expect(page.locator('kassa-pay div')).toHaveAttribute('lang', 'en')
  await payButton(page).click()
  await arriveAtCheckout(page)
})
