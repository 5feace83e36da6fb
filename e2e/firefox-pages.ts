/** Hostile pages, strict policies and odd places, in Firefox. firefox.spec.ts runs these tests. */
import { BUTTON, expect, pressAndArrive, REST, test } from './support/firefox-stage.ts'
import { CARELESS, CLOBBERED, pinnedPage } from './support/hostile-page.ts'
import { KINDS, type Kind, NAMES, pageAfter, putNames, STUBBORN } from './support/polluted-page.ts'

// :focus never matches in a headless window, so the test asks for the active element.
const FOCUSED = `${BUTTON}.getRootNode().activeElement === ${BUTTON}`
const TAB = 'Tab'

test('the strictest page without a charset has a button that Tab reaches and that sells', async ({
  firefox,
  shop,
}) => {
  await firefox.open(`${shop.origin}/strict-csp.html`)
  expect(await firefox.until(`${BUTTON}?.textContent`)).toBe('Վճարել')
  // The first Tab may only move the focus from the browser into the page.
  for (let tabs = 0; tabs < 3 && !(await firefox.evaluate(FOCUSED)); tabs++) await firefox.type(TAB)
  expect(await firefox.evaluate(FOCUSED)).toBe(true)
  await pressAndArrive(firefox)
  // Firefox also complains about the page itself: the missing charset, and its own request for an icon.
  expect(firefox.complaints.filter((text) => !/character encoding|favicon\.ico/i.test(text))).toEqual([])
})

test('the listed hash works under the strictest policy with nothing reported, and another hash stops only the widget', async ({
  firefox,
  shop,
  kassa,
}) => {
  const foreign = (text: string) => !/favicon\.ico/i.test(text)
  shop.pages.set('/pinned.html', await pinnedPage(kassa, {}))
  await firefox.open(`${shop.origin}/pinned.html`)
  await pressAndArrive(firefox)
  expect(firefox.complaints.filter(foreign)).toEqual([])
  shop.pages.set('/wrong.html', await pinnedPage(kassa, { integrity: `sha384-${'A'.repeat(64)}` }))
  await firefox.open(`${shop.origin}/wrong.html`)
  expect(await firefox.evaluate("document.documentElement.dataset.own === 'ran'")).toBe(true)
  expect(await firefox.evaluate("customElements.get('kassa-pay') === undefined")).toBe(true)
  expect(await firefox.evaluate("document.querySelector('kassa-pay a').checkVisibility()")).toBe(true)
  expect(firefox.complaints.filter(foreign).join()).toMatch(/^[^,]*integrity[^,]*$/)
})

/** The computed styles of the button and of everything in it. */
const LOOKS = `[${BUTTON}, ...${BUTTON}.querySelectorAll('*')].map((element) => {
  const style = getComputedStyle(element)
  return Array.from(style, (name) => name + ': ' + style.getPropertyValue(name)).filter(
    (line) => !/^(perspective-origin|transform-origin|(inline|block)-size|width|height|-?-?kassa)/.test(line)).sort()
})`

test('a style sheet that hits every element of the page does not reach the button', async ({
  firefox,
  shop,
}) => {
  await firefox.open(`${shop.origin}/element.html`)
  const usual = await firefox.until(`${BUTTON} && ${LOOKS}`)
  await firefox.evaluate(
    `void document.head.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(CARELESS)} }))`,
  )
  expect(await firefox.evaluate('getComputedStyle(document.body).visibility')).toBe('hidden')
  expect(await firefox.evaluate(LOOKS)).toEqual(usual)
  await pressAndArrive(firefox)
})

test('elements whose names hide the browser’s own properties change nothing', async ({ firefox, shop }) => {
  shop.pages.set('/clobbered.html', CLOBBERED)
  await firefox.open(`${shop.origin}/clobbered.html`)
  await pressAndArrive(firefox)
})

const DRAWN = "document.querySelector('kassa-pay').shadowRoot.querySelector('div').innerHTML"

test('a page that puts names on every object has the same button, which leads to the same payment', async ({
  firefox,
  shop,
}) => {
  shop.pages.set('/clean.html', pageAfter(''))
  await firefox.open(`${shop.origin}/clean.html`)
  const clean = await firefox.until(`${BUTTON} && ${DRAWN}`)
  const kinds = Object.keys(KINDS) as Kind[]
  const pages = {
    ...STUBBORN,
    ...Object.fromEntries(kinds.map((kind) => [kind, putNames(Object.values(NAMES).flat(), kind)])),
  }
  const made = new Set<string>()
  for (const [what, script] of Object.entries(pages)) {
    shop.pages.set('/polluted.html', pageAfter(script))
    await firefox.open(`${shop.origin}/polluted.html`)
    expect([what, await firefox.until(`${BUTTON} && ${DRAWN}`)]).toEqual([what, clean])
    made.add(await pressAndArrive(firefox))
  }
  expect(made.size).toBe(1)
})

test('one script tag adds a button, and on a rejected origin the button can be pressed again', async ({
  firefox,
  shop,
  stranger,
}) => {
  await firefox.open(`${shop.origin}/script-tag.html`)
  await pressAndArrive(firefox)
  await firefox.open(`${stranger.origin}/script-tag.html`)
  await firefox.press(BUTTON)
  await firefox.until(`${BUTTON}?.textContent === 'Try again' && ${REST}`)
  expect(firefox.complaints.join()).toContain(`the origin ${stranger.origin} is not registered`)
})

test('a button in a link leads to the checkout, and one in a frame that may not navigate the tab says so', async ({
  firefox,
  shop,
}) => {
  const element = '<kassa-pay public-key="__PUBLIC_KEY__" product-id="tea"></kassa-pay>'
  const widget = '<script src="__API__/widget/v1/kassa.js"></script>'
  const page = (body: string) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tea</title>${body}</html>`
  shop.pages.set('/linked.html', page(`<a href="/thanks">${element}</a>${widget}`))
  await firefox.open(`${shop.origin}/linked.html`)
  await pressAndArrive(firefox)
  shop.pages.set('/inner.html', page(element + widget))
  shop.pages.set(
    '/outer.html',
    page('<iframe sandbox="allow-scripts allow-same-origin" src="/inner.html"></iframe>'),
  )
  await firefox.open(`${shop.origin}/outer.html`)
  const inside = BUTTON.replace('(document', "(document.querySelector('iframe').contentDocument")
  await firefox.until(inside)
  await firefox.evaluate(`${inside}.click()`)
  await firefox.until(`${inside}?.textContent === 'Try again'`)
})
