/** Places and situations in which other pay buttons have failed. */
import { arriveAtCheckout, payButton, watchCheckouts, watchComplaints } from './support/buyer.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

const WIDGET = '<script src="__API__/widget/v1/kassa.js"></script>'
const BUTTON = '<kassa-pay public-key="__PUBLIC_KEY__" product-id="tea"></kassa-pay>'

/** Adds a page to the shop. Returns its address. */
function pageWith(shop: Shop, name: string, body: string): string {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tea</title><h1>Tea</h1>${body}</html>`
  shop.pages.set(`/${name}.html`, html)
  return `${shop.origin}/${name}.html`
}

const PLACES = {
  'a link to somewhere else': `<a href="/thanks">${BUTTON}</a>`,
  'a form': `<form action="/thanks">${BUTTON}<button>Go</button></form>`,
  'the summary of a section': `<details><summary>${BUTTON}</summary></details>`,
  'a label': `<label for="other">${BUTTON}</label><input id="other" type="checkbox">`,
  'a drawing': `<svg width="400" height="100"><foreignObject width="400" height="100">${BUTTON}</foreignObject></svg>`,
}

test('a button in a link, a form, a summary, a label or a drawing leads to the checkout', {
  tag: '@long',
}, async ({ page, shop }) => {
  const requests = watchCheckouts(page)
  for (const [place, body] of Object.entries(PLACES))
    await test.step(`a button in ${place}`, async () => {
      requests.length = 0
      await page.goto(pageWith(shop, 'place', body + WIDGET))
      // Each place is the first visit of a buyer, with a payment of its own.
      await page.evaluate(() => sessionStorage.clear())
      await payButton(page).click()
      await arriveAtCheckout(page)
      expect(requests).toHaveLength(1)
    })
})

test('a button in a frame sends the whole tab to the checkout', async ({ page, shop, stranger }) => {
  const inner = pageWith(shop, 'inner', BUTTON + WIDGET)
  await page.goto(pageWith(stranger, 'outer', `<iframe src="${inner}"></iframe>`))
  await page.frameLocator('iframe').locator('kassa-pay button').click()
  await arriveAtCheckout(page)
})

test('a button in a frame that may not navigate the tab becomes a link, which opens a new tab', async ({
  page,
  shop,
  stranger,
}) => {
  const complaints = await watchComplaints(page)
  const inner = pageWith(shop, 'inner', BUTTON + WIDGET)
  const sandbox = 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms'
  await page.goto(pageWith(stranger, 'outer', `<iframe sandbox="${sandbox}" src="${inner}"></iframe>`))
  const frame = page.frameLocator('iframe')
  await frame.locator('kassa-pay button').click()
  const link = frame.locator('kassa-pay a[part="button"]')
  await expect(link).toHaveText('Open the payment page in a new tab')
  expect(complaints.join()).toContain('[kassa-pay] redirect_refused')
  const opened = page.waitForEvent('popup')
  await link.click()
  await arriveAtCheckout(await opened)
  // The page of the frame has stayed, and the link with it.
  await expect(link).toBeVisible()
})

test('a button that is moved into a frame of the page works there without an error', {
  tag: '@long',
}, async ({ page, shop }) => {
  const complaints = await watchComplaints(page)
  pageWith(shop, 'frame', '')
  await page.goto(pageWith(shop, 'moving', `<iframe src="/frame.html"></iframe>${BUTTON}${WIDGET}`))
  await expect(payButton(page)).toBeVisible()
  await page.evaluate(() => {
    const inside = document.querySelector('iframe')?.contentDocument?.body
    inside?.append(document.querySelector('kassa-pay') ?? '')
  })
  await page.frameLocator('iframe').locator('kassa-pay button').click()
  await arriveAtCheckout(page)
  expect(complaints).toEqual([])
})

test('a product that a click listener sets is the product that is paid', async ({ page, shop }) => {
  await page.goto(pageWith(shop, 'late', BUTTON + WIDGET))
  await expect(payButton(page)).toBeVisible()
  await page.evaluate(() => {
    addEventListener('kassa-pay:click', ({ target }) => {
      ;(target as Element).setAttribute('product-id', 'locker')
    })
  })
  const requests = watchCheckouts(page)
  await payButton(page).click()
  await arriveAtCheckout(page)
  expect(requests.map(({ productId }) => productId)).toEqual(['locker'])
})

test('an old library that replaces Array.from does not turn one attempt into two payments', async ({
  page,
  shop,
}) => {
  const library = '<script>Array.from = (given) => [].slice.call(given)</script>'
  const address = pageWith(shop, 'library', library + BUTTON + WIDGET)
  const press = async () => {
    await page.goto(address)
    await payButton(page).click()
    return arriveAtCheckout(page)
  }
  const first = await press()
  expect(await press()).toBe(first)
})

test('two buttons for one product, pressed at the same time, make one payment', async ({
  page,
  shop,
  operator,
}) => {
  const before = await operator.listPayments(shop.account.merchantId)
  await page.goto(pageWith(shop, 'twins', `${BUTTON}${BUTTON}${WIDGET}`))
  await page.evaluate(() => sessionStorage.clear())
  await expect(payButton(page)).toHaveCount(2)
  await page.evaluate(() => {
    for (const each of document.querySelectorAll('kassa-pay'))
      each.shadowRoot?.querySelector('button')?.click()
  })
  await arriveAtCheckout(page)
  expect(await operator.listPayments(shop.account.merchantId)).toHaveLength(before.length + 1)
})

test('a page that a router restores as a copy, with its scripts run again, still has one button', {
  tag: '@long',
}, async ({ page, shop }) => {
  await page.goto(`${shop.origin}/script-tag.html`)
  await expect(payButton(page)).toHaveCount(1)
  // Some routers do this: they insert a copy of the body and run each of its scripts again.
  await page.evaluate(async () => {
    const copy = document.body.cloneNode(true) as HTMLElement
    document.body.replaceWith(copy)
    for (const old of copy.querySelectorAll('script')) {
      const script = document.createElement('script')
      for (const { name, value } of old.attributes) script.setAttribute(name, value)
      const ran = new Promise((resolve) => script.addEventListener('load', resolve))
      old.replaceWith(script)
      await ran
    }
  })
  await expect(payButton(page)).toHaveCount(1)
  await payButton(page).click()
  await arriveAtCheckout(page)
})
