/** The fixtures of the tests in Firefox: one browser per worker, one tab per test. */
import { type Browser, type Firefox, findFirefox, startFirefox } from './firefox.ts'
import { test as base } from './stage.ts'

const path = findFirefox()

export const test = base.extend<{ firefox: Firefox }, { browserOfWorker: Browser }>({
  browserOfWorker: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures here
    async ({}, use) => {
      const browser = await startFirefox(path ?? '')
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

// With the prototype's method, because a page may have a form whose name hides document.querySelector.
export const BUTTON =
  "Document.prototype.querySelector.call(document, 'kassa-pay')?.shadowRoot?.querySelector('button')"
export const REST = `${BUTTON} && !${BUTTON}.ariaBusy && !${BUTTON}.ariaDisabled`

/**
 * Waits for the hosted checkout to be complete, because leaving a page that still loads can block the next one. Returns
 * the payment's id.
 */
export const arrive = (firefox: Firefox) =>
  firefox.until<string>(
    String.raw`document.readyState === 'complete' && /\/checkout\/([^/?#]+)$/.exec(location.pathname)?.[1]`,
  )

export async function pressAndArrive(firefox: Firefox): Promise<string> {
  await firefox.press(BUTTON)
  return arrive(firefox)
}

// Firefox takes some seconds to start, and longer on a busy machine.
export const FIREFOX_WITHIN_MS = 90_000
export const isMissing = !path
export const MISSING = 'no Firefox is installed (Debian: apt-get install firefox-esr)'
export { expect } from './stage.ts'
