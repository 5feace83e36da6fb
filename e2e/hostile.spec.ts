import { createHash } from 'node:crypto'
import { arriveAtCheckout, openCheckout, payButton, watchComplaints } from './support/buyer.ts'
import { PRODUCTS } from './support/operator.ts'
import { expect, test } from './support/stage.ts'

test('clobbered names and a polluted Object.prototype change nothing', async ({ page, shop, kassa }) => {
  shop.pages.set(
    '/hostile.html',
    `<!doctype html><html lang="en"><title>Hostile</title><h1>Hostile</h1>
     <img name="currentScript" alt=""><form id="Kassa"></form><form name="readyState"></form><img name="body" alt="">
     <form name="querySelector"></form><a id="PayConfig" href="https://evil.invalid/"></a>
     <script>
       for (const name of ['endpoint', 'publicKey', 'productId', 'returnUrl', 'target', 'base', 'mode', 'cache', 'ar',
         'referrer', 'integrity', 'url', 'onSuccess', 'lang', 'body', 'redirect', 'label', 'locale'])
         Object.prototype[name] = 'https://evil.invalid/'
     </script>
     <script src="__API__/widget/v1/kassa.js" data-public-key="__PUBLIC_KEY__" data-product-id="tea"></script></html>`,
  )
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).origin))
  await openCheckout(page, shop, '/hostile.html')
  expect([...hosts].sort()).toEqual([shop.origin, new URL(kassa.url).origin].sort())
})

test('a name full of markup is shown as it is written, and runs nothing', async ({ page, shop }) => {
  const complaints = await watchComplaints(page)
  await openCheckout(page, shop, '/element.html?product=script')
  await expect(page.getByText(PRODUCTS.script.name, { exact: true })).toBeVisible()
  expect(complaints).toEqual([])
})

/** A page that pins the widget's bytes by their hash. */
function pinnedPage(integrity: string): string {
  return `<!doctype html><html lang="en"><title>Pinned</title><h1>Pinned</h1>
    <script async src="__API__/widget/v1/kassa.js" integrity="${integrity}" crossorigin="anonymous"></script>
    <kassa-pay public-key="__PUBLIC_KEY__" product-id="tea"><a href="__API__/">Pay on our payment page</a></kassa-pay></html>`
}

test('a page that pins the widget by its hash works with the right hash, and is unharmed by a wrong one', async ({
  page,
  shop,
  kassa,
}) => {
  const script = await fetch(`${kassa.url}/widget/v1/kassa.js`)
  const hash = createHash('sha384').update(await script.bytes())
  shop.pages.set('/pinned.html', pinnedPage(`sha384-${hash.digest('base64')}`))
  shop.pages.set('/wrong.html', pinnedPage(`sha384-${createHash('sha384').update('x').digest('base64')}`))
  await page.goto(`${shop.origin}/wrong.html`)
  await expect(page.getByRole('link', { name: 'Pay on our payment page' })).toBeVisible()
  await expect(payButton(page)).toHaveCount(0)
  await page.goto(`${shop.origin}/pinned.html`)
  await payButton(page).click()
  await arriveAtCheckout(page)
})
