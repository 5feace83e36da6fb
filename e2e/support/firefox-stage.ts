/** What the tests in Firefox stand on: one browser for each worker, one tab for each test. */
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

// By the prototype's own, as a page may have a form of that name.
export const BUTTON =
  "Document.prototype.querySelector.call(document, 'kassa-pay')?.shadowRoot?.querySelector('button')"
export const REST = `${BUTTON} && !${BUTTON}.ariaBusy && !${BUTTON}.ariaDisabled`

/** On the hosted checkout, which has come to rest: a page that is left before that may hold up the next. Answers the payment's id. */
export const arrive = (firefox: Firefox) =>
  firefox.until<string>(
    String.raw`document.readyState === 'complete' && /\/checkout\/([^/?#]+)$/.exec(location.pathname)?.[1]`,
  )

export async function pressAndArrive(firefox: Firefox): Promise<string> {
  await firefox.press(BUTTON)
  return arrive(firefox)
}

// A Firefox takes some seconds to start, and more where it shares the machine.
export const FIREFOX_WITHIN_MS = 90_000
export const isMissing = !path
export const MISSING = 'no Firefox is installed (Debian: apt-get install firefox-esr)'
export { expect } from './stage.ts'
