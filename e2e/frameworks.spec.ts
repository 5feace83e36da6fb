import type { Page } from '@playwright/test'
import {
  arriveAtCheckout,
  openCheckout,
  payButton,
  watchCheckouts,
  watchComplaints,
} from './support/buyer.ts'
import { bundle, vueScript } from './support/frameworks.ts'
import { expect, test } from './support/stage.ts'

/** The script that a merchant pastes, and the page around it. */
const SCRIPT = '<script async src="__API__/widget/v1/kassa.js"></script>'
const pageWith = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${SCRIPT}</head><body>${body}</body></html>`

/** Checks that there is one button, and that a double click sends one request. */
async function expectOneWorkingButton(page: Page): Promise<void> {
  const requests = watchCheckouts(page)
  await expect(payButton(page)).toHaveCount(1)
  await payButton(page).dblclick({ delay: 20 })
  await arriveAtCheckout(page)
  expect(requests).toHaveLength(1)
}

test('React in StrictMode mounts, changes and unmounts the button', { tag: '@long' }, async ({
  page,
  shop,
}) => {
  const program = await bundle({
    'main.jsx': `import { StrictMode, useEffect, useRef, useState } from 'react'
      import { createRoot } from 'react-dom/client'
      function Shop() {
        const [shown, show] = useState(true), [price, setPrice] = useState('$14.00'), button = useRef(null)
        window.said = []
        useEffect(() => {
          const hear = (event) => said.push(event.type)
          button.current?.addEventListener('kassa-pay:click', hear)
          return () => button.current?.removeEventListener('kassa-pay:click', hear)
        }, [shown])
        return <main>
          <button id="toggle" onClick={() => show(!shown)}>Toggle</button>
          <button id="raise" onClick={() => setPrice('$15.00')}>Raise</button>
          {shown && <kassa-pay ref={button} public-key="__PUBLIC_KEY__" product-id="tea" price={price}>
            <a href="__API__/">By link</a></kassa-pay>}
        </main>
      }
      createRoot(document.getElementById('root')).render(<StrictMode><Shop /></StrictMode>)`,
  })
  shop.pages.set('/react.html', pageWith('React', `<div id="root"></div><script>${program}</script>`))
  const complaints = await watchComplaints(page)
  await page.goto(`${shop.origin}/react.html`)
  await expect(payButton(page)).toHaveText('Pay $14.00')
  for (let round = 0; round < 3; round++) {
    await page.locator('#toggle').click()
    await expect(payButton(page)).toHaveCount(0)
    await page.locator('#toggle').click()
    await expect(payButton(page)).toHaveText('Pay $14.00')
  }
  await page.locator('#raise').click()
  await expect(payButton(page)).toHaveText('Pay $15.00')
  await expectOneWorkingButton(page)
  expect(complaints).toEqual([])
})

test('Vue mounts, changes and unmounts the pasted element', { tag: '@long' }, async ({ page, shop }) => {
  shop.pages.set('/vue.js', vueScript())
  shop.pages.set(
    '/vue.html',
    pageWith(
      'Vue',
      `<div id="app"><button id="toggle" @click="shown = !shown">Toggle</button><button id="raise" @click="price = '$15.00'">Raise</button>
        <kassa-pay v-if="shown" public-key="__PUBLIC_KEY__" product-id="tea" :price="price"><a href="__API__/">By link</a></kassa-pay></div>
      <script src="/vue.js"></script><script>
        const app = Vue.createApp({ data: () => ({ shown: true, price: '$14.00' }) })
        app.config.compilerOptions.isCustomElement = (tag) => tag === 'kassa-pay'
        app.mount('#app')
      </script>`,
    ),
  )
  const complaints = await watchComplaints(page)
  await page.goto(`${shop.origin}/vue.html`)
  await expect(payButton(page)).toHaveText('Pay $14.00')
  await page.locator('#toggle').click()
  await expect(payButton(page)).toHaveCount(0)
  await page.locator('#toggle').click()
  await page.locator('#raise').click()
  await expect(payButton(page)).toHaveText('Pay $15.00')
  await expectOneWorkingButton(page)
  expect(complaints).toEqual([])
})

/**
 * Goes to another page without loading it, as Astro's router does. The body is replaced. A script of it runs only if it has not run
 * before, or if an attribute asks for it.
 */
async function swapTo(page: Page, path: string): Promise<void> {
  await page.evaluate(async (address) => {
    const root = document.documentElement
    const keyOf = (script: HTMLScriptElement) => script.src || script.text
    const known = root.dataset.ran?.split(' ') ?? Array.from(document.scripts, keyOf)
    const next = new DOMParser().parseFromString(await (await fetch(address)).text(), 'text/html')
    const swap = () => {
      document.title = next.title
      document.head.replaceChildren(...next.head.childNodes)
      document.body.replaceWith(document.adoptNode(next.body))
      for (const old of document.scripts) {
        if (known.includes(keyOf(old)) && !old.hasAttribute('data-astro-rerun')) continue
        known.push(keyOf(old))
        const script = document.createElement('script')
        for (const { name, value } of old.attributes) script.setAttribute(name, value)
        old.replaceWith(script)
      }
      root.dataset.ran = known.join(' ')
      history.pushState(null, '', address)
    }
    await document.startViewTransition(swap).finished
  }, path)
}

test('a router that replaces the page’s body gets a working button on every visit', { tag: '@long' }, async ({
  page,
  kassa,
  shop,
}) => {
  await page.goto(`${kassa.url}/install/${shop.account.publicKey}?product=tea`)
  const [element, tag] = await Promise.all(
    ['html', 'script'].map((platform) => page.getByTestId(`snippet-${platform}`).textContent()),
  )
  const bare = (body: string) => `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>${body}`
  shop.pages.set('/start.html', bare(''))
  shop.pages.set('/tea.html', bare(element ?? ''))
  shop.pages.set('/tag.html', bare(tag?.replace('async', 'async data-astro-rerun') ?? ''))
  shop.pages.set('/once.html', bare(tag ?? ''))
  const complaints = await watchComplaints(page)
  const requests = watchCheckouts(page)
  await page.goto(`${shop.origin}/start.html`)
  // The click must not leave the page, so that the test can go on replacing its body.
  await page.evaluate(() =>
    document.addEventListener('kassa-pay:redirect', (event) => event.preventDefault()),
  )
  const ways = ['/tea.html', '/start.html', '/tea.html', '/tag.html', '/start.html', '/tag.html', '/tea.html']
  let clicks = 0
  for (const path of ways) {
    await swapTo(page, path)
    await expect(payButton(page)).toHaveCount(path === '/start.html' ? 0 : 1)
    if (path === '/start.html') continue
    await payButton(page).click()
    await expect.poll(() => requests.length).toBe(++clicks)
    await expect(payButton(page)).toHaveText('Pay $15.00')
  }
  // All clicks are one attempt of one buyer, so they share one reference.
  expect(new Set(requests.map(({ clientReference }) => clientReference)).size).toBe(1)
  // The install page warns about this case: the tag's script has run before, so the router does not run it again.
  await swapTo(page, '/once.html')
  await expect(payButton(page)).toHaveCount(0)
  await swapTo(page, '/tea.html')
  await page.evaluate(() =>
    document.addEventListener('kassa-pay:redirect', (event) => event.stopImmediatePropagation(), true),
  )
  await expectOneWorkingButton(page)
  expect(complaints).toEqual([])
})

test('a block of HTML in a WordPress page is a button in the page’s language', { tag: '@long' }, async ({
  page,
  shop,
}) => {
  const complaints = await watchComplaints(page)
  await page.goto(`${shop.origin}/wordpress-block.html`)
  await expect(payButton(page)).toHaveText('Оплатить 15,00 $')
  await expect(payButton(page)).toHaveCSS('text-transform', 'none')
  await expectOneWorkingButton(page)
  expect(complaints).toEqual([])
})

test('a tag in the head places its button by data-target, and without data-target the console says what to do', {
  tag: '@long',
}, async ({ page, shop }) => {
  const complaints = await watchComplaints(page)
  await openCheckout(page, shop, '/head-target.html')
  expect(complaints).toEqual([])
  shop.pages.set(
    '/lost.html',
    pageWith('Lost', '').replace('src', 'data-public-key="__PUBLIC_KEY__" data-product-id="tea" src'),
  )
  await page.goto(`${shop.origin}/lost.html`)
  await expect.poll(() => complaints.join()).toContain('add data-target="#pay"')
  await expect(payButton(page)).toHaveCount(0)
})

test('a button can be added late, moved, changed and removed', async ({ page, shop }) => {
  const complaints = await watchComplaints(page)
  shop.pages.set('/late.html', pageWith('Late', '<div id="one"></div><div id="two"></div>'))
  await page.goto(`${shop.origin}/late.html`)
  await page.waitForFunction(() => customElements.get('kassa-pay'))
  await page.evaluate((publicKey) => {
    const { Kassa } = window as unknown as { Kassa: { mount(target: string, options: object): HTMLElement } }
    Kassa.mount('#one', { publicKey, productId: 'tea', price: '$15.00' })
  }, shop.account.publicKey)
  await expect(page.locator('#one kassa-pay button')).toHaveText('Pay $15.00')
  await page.evaluate(() =>
    document.querySelector('#two')?.append(document.querySelector('kassa-pay') as Element),
  )
  await expect(page.locator('#two kassa-pay button')).toHaveText('Pay $15.00')
  await page.locator('kassa-pay').evaluate((element) => element.setAttribute('locale', 'hy'))
  await expect(payButton(page)).toHaveText('Վճարել $15.00')
  await page.locator('kassa-pay').evaluate((element) => element.setAttribute('label', 'Gift for %s'))
  await expect(payButton(page)).toHaveText('Gift for $15.00')
  await expectOneWorkingButton(page)
  expect(complaints).toEqual([])
})
