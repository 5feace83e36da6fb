/** Interruptions by the buyer and the network, in Firefox. Each attempt makes one payment, and the button can be used again. */
import './firefox-pages.ts'
import type { Firefox } from './support/firefox.ts'
import {
  arrive,
  BUTTON,
  expect,
  isMissing,
  MISSING,
  pressAndArrive,
  REST,
  test,
} from './support/firefox-stage.ts'
import type { Operator } from './support/operator.ts'
import type { Shop } from './support/shop.ts'

// One worker runs this file and the tests of firefox-pages.ts, so Firefox starts once.
test.describe.configure({ mode: 'default' })
test.skip(isMissing, MISSING)

const ENTER = 'Enter'

/** Goes back from the checkout. Returns whether the page came from the browser's page cache. */
async function goBack(firefox: Firefox): Promise<boolean> {
  await firefox.back()
  await firefox.until(`location.pathname === '/element.html' && ${REST}`)
  return firefox.evaluate<boolean>("'wasHere' in window")
}

/** Returns a function that lists the payments made since now. */
async function counting(operator: Operator, shop: Shop): Promise<() => Promise<string[]>> {
  const ids = async () => (await operator.listPayments(shop.account.merchantId)).map(({ id }) => id)
  const before = new Set(await ids())
  return async () => (await ids()).filter((id) => !before.has(id))
}

const IMPATIENCE: Record<string, (firefox: Firefox) => Promise<unknown>> = {
  'a double click': (firefox) => firefox.press(BUTTON, { times: 2 }),
  'ten clicks': (firefox) => firefox.evaluate(`(() => { for (let i = 0; i < 10; i++) ${BUTTON}.click() })()`),
  async 'Enter with a click'(firefox) {
    await firefox.evaluate(`${BUTTON}.focus()`)
    await firefox.press(BUTTON, { first: ENTER })
  },
}

for (const [what, press] of Object.entries(IMPATIENCE))
  test(`${what} is one payment, and Back from the page cache shows a button that leads to the same payment`, async ({
    firefox,
    shop,
    operator,
  }) => {
    const made = await counting(operator, shop)
    await firefox.open(`${shop.origin}/element.html`)
    await firefox.until(REST)
    await firefox.evaluate('void Object.assign(window, { wasHere: true })')
    await press(firefox)
    const first = await arrive(firefox)
    expect(await goBack(firefox)).toBe(true)
    expect(await pressAndArrive(firefox)).toBe(first)
    expect(await made()).toEqual([first])
    expect(firefox.complaints).toEqual([])
  })

test('Back without the page cache finds a button that leads to the same payment', async ({
  firefox,
  shop,
}) => {
  await firefox.open(`${shop.origin}/element.html`)
  // The browser does not keep a page with these listeners in its page cache.
  await firefox.evaluate("void addEventListener('beforeunload', () => {})")
  await firefox.evaluate("void addEventListener('unload', () => {})")
  await firefox.evaluate('void Object.assign(window, { wasHere: true })')
  const first = await pressAndArrive(firefox)
  expect(await goBack(firefox)).toBe(false)
  expect(await pressAndArrive(firefox)).toBe(first)
})

test('a reload before the response arrives does not make a second payment', async ({
  firefox,
  shop,
  kassa,
  operator,
}) => {
  const made = await counting(operator, shop)
  await firefox.open(`${shop.origin}/element.html`)
  const { happened, mend } = await firefox.cut(`${kassa.url}/api/widget/checkout`, 'answer')
  await firefox.press(BUTTON)
  await happened
  await firefox.reload()
  await mend()
  const paymentId = await pressAndArrive(firefox)
  expect(await made()).toEqual([paymentId])
})

test('if the service is unreachable the button says so, and the retry makes one payment', async ({
  firefox,
  shop,
  kassa,
  operator,
}) => {
  const made = await counting(operator, shop)
  await firefox.open(`${shop.origin}/element.html`)
  const { mend } = await firefox.cut(`${kassa.url}/api/widget/checkout`, 'request')
  await firefox.press(BUTTON)
  await firefox.until(`${BUTTON}?.textContent === 'Try again' && ${REST}`)
  await mend()
  const paymentId = await pressAndArrive(firefox)
  expect(await made()).toEqual([paymentId])
})

test('a duplicated tab leads to the same payment', async ({ firefox, shop }) => {
  await firefox.open(`${shop.origin}/element.html`)
  const first = await pressAndArrive(firefox)
  await goBack(firefox)
  const twin = await firefox.duplicate()
  expect(await pressAndArrive(twin)).toBe(first)
  await twin.close()
})

test('a page with storage disabled can sell, once for any number of clicks', async ({
  firefox,
  shop,
  operator,
}) => {
  const made = await counting(operator, shop)
  shop.pages.set(
    '/stored-nowhere.html',
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tea</title><h1>Tea</h1>
     <script>Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError') } })</script>
     <script src="__API__/widget/v1/kassa.js" data-public-key="__PUBLIC_KEY__" data-product-id="tea"></script></html>`,
  )
  await firefox.open(`${shop.origin}/stored-nowhere.html`)
  await firefox.press(BUTTON, { times: 2 })
  expect(await made()).toEqual([await arrive(firefox)])
})
