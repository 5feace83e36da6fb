import { type Firefox, findFirefox, startFirefox } from './support/firefox.ts'
import { test as base, expect } from './support/stage.ts'

const path = findFirefox()
// A Firefox takes some seconds to start, and more where it shares the machine.
base.setTimeout(90_000)
base.skip(!path, 'no Firefox is installed (Debian: apt-get install firefox-esr)')

const test = base.extend<{ firefox: Firefox }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures here
  async firefox({}, use) {
    const firefox = await startFirefox(path ?? '')
    await use(firefox)
    await firefox.close()
  },
})

const BUTTON = "document.querySelector('kassa-pay')?.shadowRoot?.querySelector('button')"
// Not by :focus, which a window without a screen never has.
const FOCUSED = `${BUTTON}.getRootNode().activeElement === ${BUTTON}`
const TAB = '\uE004'

/** On the hosted checkout, which has come to rest: a page that is left before that may hold up the next. Answers the payment's id. */
const arrive = (firefox: Firefox) =>
  firefox.until<string>(
    String.raw`document.readyState === 'complete' && /\/checkout\/([^/?#]+)$/.exec(location.pathname)?.[1]`,
  )

test('a double click leads to one payment, and Back to a usable button that leads to the same one', async ({
  firefox,
  shop,
  operator,
}) => {
  const before = await operator.listPayments(shop.account.merchantId)
  await firefox.open(`${shop.origin}/element.html`)
  await firefox.press(BUTTON, 2)
  const first = await arrive(firefox)
  await firefox.back()
  await firefox.until(`location.pathname === '/element.html' && ${BUTTON}?.ariaBusy === 'false'`)
  await firefox.press(BUTTON)
  expect(await arrive(firefox)).toBe(first)
  expect(await operator.listPayments(shop.account.merchantId)).toHaveLength(before.length + 1)
  expect(firefox.complaints).toEqual([])
})

test('the strictest page without a charset has a button that Tab reaches and that sells', async ({
  firefox,
  shop,
}) => {
  await firefox.open(`${shop.origin}/strict-csp.html`)
  expect(await firefox.until(`${BUTTON}?.textContent`)).toBe('Վճարել')
  // The first may only bring the focus into the page.
  for (let tabs = 0; tabs < 3 && !(await firefox.evaluate(FOCUSED)); tabs++) await firefox.type(TAB)
  expect(await firefox.evaluate(FOCUSED)).toBe(true)
  await firefox.press(BUTTON)
  await arrive(firefox)
  // What Firefox says of the page itself: its charset, and the icon that it looks for and the policy refuses.
  expect(firefox.complaints.filter((text) => !/character encoding|favicon\.ico/i.test(text))).toEqual([])
})

test('one line of script is a button, and a refused origin gets one that can be pressed again', async ({
  firefox,
  shop,
  stranger,
}) => {
  await firefox.open(`${shop.origin}/script-tag.html`)
  await firefox.press(BUTTON)
  await arrive(firefox)
  await firefox.open(`${stranger.origin}/script-tag.html`)
  await firefox.press(BUTTON)
  await firefox.until(`${BUTTON}?.textContent === 'Try again'`)
  expect(await firefox.evaluate(`${BUTTON}.ariaDisabled`)).toBe('false')
  expect(firefox.complaints.join()).toContain(`--origin ${stranger.origin}`)
})
