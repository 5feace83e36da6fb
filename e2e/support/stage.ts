/**
 * The fixtures of every test: one Kassa, one operator and two shops per worker. They end with the worker. Firefox is also a
 * fixture here, because tests with other fixtures would get separate workers, each with its own Kassa. Firefox starts when a
 * test uses it.
 */
import { test as base } from '@playwright/test'
import { type Browser, type Firefox, findFirefox, startFirefox } from './firefox.ts'
import { type Gallery, openGallery } from './gallery.ts'
import { type Kassa, startKassa } from './kassa.ts'
import { type Operator, openOperator } from './operator.ts'
import { Shop } from './shop.ts'

type Stage = {
  kassa: Kassa
  operator: Operator
  /** The merchant's shop. Its origin is registered. */
  shop: Shop
  /** Another site with the same pages and the same key. Its origin is not registered. */
  stranger: Shop
  /** Starts when it is used. */
  gallery: Gallery
  browserOfWorker: Browser
}

export const FIREFOX_PATH = findFirefox()

export const test = base.extend<{ firefox: Firefox }, Stage>({
  kassa: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures here
    async ({}, use) => {
      const kassa = await startKassa()
      await use(kassa)
      await kassa.stop()
    },
    { scope: 'worker' },
  ],
  operator: [
    async ({ kassa }, use) => {
      const operator = openOperator(kassa)
      await use(operator)
      await operator.close()
    },
    { scope: 'worker' },
  ],
  shop: [
    async ({ kassa, operator }, use) => {
      const shop = await Shop.open(kassa.url)
      const { origin } = shop
      shop.moveIn(
        await operator.openAccount({
          origin,
          callbackUrl: `${origin}/callback`,
          returnUrl: `${origin}/thanks`,
        }),
      )
      await use(shop)
      await shop.close()
    },
    { scope: 'worker' },
  ],
  stranger: [
    async ({ kassa, shop }, use) => {
      const stranger = await Shop.open(kassa.url)
      stranger.moveIn(shop.account)
      await use(stranger)
      await stranger.close()
    },
    { scope: 'worker' },
  ],
  gallery: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures here
    async ({}, use) => {
      const gallery = await openGallery()
      await use(gallery)
      await gallery.close()
    },
    { scope: 'worker' },
  ],
  browserOfWorker: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures here
    async ({}, use) => {
      const browser = await startFirefox(FIREFOX_PATH ?? '')
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  async firefox({ browserOfWorker }, use) {
    const tab = await browserOfWorker.openTab()
    await use(tab)
    await tab.close()
  },
})

export { expect } from '@playwright/test'
