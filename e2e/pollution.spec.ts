import type { Page } from '@playwright/test'
import { arriveAtCheckout, payButton, watchCheckouts, watchComplaints } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

/** Names that something on the way from the tag to the request could read, by who would read them. */
const NAMES = {
  page: [
    'publicKey',
    'productId',
    'returnUrl',
    'clientReference',
    'target',
    'endpoint',
    'base',
    'label',
    'locale',
    'price',
  ],
  browser: [
    'mode',
    'cache',
    'referrer',
    'integrity',
    'method',
    'body',
    'signal',
    'slotAssignment',
    'get',
    'detail',
  ],
  answer: ['checkoutUrl', 'error', 'errors', 'code', 'message', 'retryable', 'url', 'redirect', 'onSuccess'],
  vnode: [
    'type',
    'props',
    'key',
    'ref',
    'children',
    'constructor',
    'is',
    'dangerouslySetInnerHTML',
    'defaultValue',
  ],
  element: [
    'onClick',
    'onclick',
    'onFocus',
    'class',
    'className',
    'style',
    'lang',
    'dir',
    'part',
    'role',
    'hidden',
    'aria-busy',
  ],
  component: [
    'render',
    'shouldComponentUpdate',
    'componentWillUpdate',
    'getChildContext',
    'contextType',
    'state',
    'context',
  ],
  options: ['event', 'vnode', 'diffed', 'unmount', 'name', 'watched', 'unwatched', 'idle', 'ar', 'en'],
  minified: [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((letter) => [
    letter,
    `__${letter}`,
  ]),
}

/** What stands under a name: a text, something that can be called, or a lock that no assignment opens. */
const KINDS = {
  text: "value: 'https://evil.invalid/', writable: true",
  function: 'value() { return evil }, writable: true',
  locked: "value: 'https://evil.invalid/', writable: false",
}

function pollutedPage(names: readonly string[], kind: keyof typeof KINDS): string {
  return `<!doctype html><html lang="en"><title>Polluted</title><h1>Polluted</h1>
    <script>
      const evil = 'https://evil.invalid/'
      for (const name of ${JSON.stringify(names)})
        Object.defineProperty(Object.prototype, name, { __proto__: null, ${KINDS[kind]}, enumerable: true, configurable: true })
    </script>
    <script src="__API__/widget/v1/kassa.js" data-public-key="__PUBLIC_KEY__" data-product-id="tea" data-price="$15.00"></script>
    <kassa-pay public-key="__PUBLIC_KEY__" product-id="locker"></kassa-pay></html>`
}

/** What the browser made of the button. Read from the test's own world, as an `evaluate` would be polluted too. */
const drawn = (page: Page) => page.locator('kassa-pay div').first().innerHTML()

for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[])
  test(`a page that puts names on every object (${kind}) has the same button and sends the same request`, async ({
    page,
    shop,
    kassa,
  }) => {
    shop.pages.set('/clean.html', pollutedPage([], kind))
    await page.goto(`${shop.origin}/clean.html`)
    const clean = await drawn(page)
    expect(clean).toContain('$15.00')
    const complaints = await watchComplaints(page)
    const asked = watchCheckouts(page)
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    for (const [reader, names] of Object.entries(NAMES)) {
      // Where single letters are locked no minified library gets as far as its first method.
      if (reader === 'minified' && kind === 'locked') continue
      shop.pages.set('/polluted.html', pollutedPage(names, kind))
      await page.goto(`${shop.origin}/polluted.html`)
      await expect(payButton(page), `${reader}: ${complaints.join()}`).toHaveCount(2)
      expect([reader, await drawn(page)]).toEqual([reader, clean])
      await payButton(page).first().click()
      await arriveAtCheckout(page)
    }
    expect(complaints).toEqual([])
    expect([...hosts].sort()).toEqual([shop.origin, new URL(kassa.url).origin].sort())
    const { publicKey } = shop.account
    for (const body of asked)
      expect(body).toEqual({
        publicKey,
        productId: 'tea',
        clientReference: expect.stringMatching(/^[a-p]{32}$/),
      })
    expect(new Set(asked.map(({ clientReference }) => clientReference)).size).toBe(1)
  })
