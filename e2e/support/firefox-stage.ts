/** Shared parts of the tests in Firefox. Firefox itself is a fixture of the stage. */
import type { Firefox } from './firefox.ts'
import { FIREFOX_PATH } from './stage.ts'

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

export const isMissing = !FIREFOX_PATH
export const MISSING = 'no Firefox is installed (Debian: apt-get install firefox-esr)'
export { expect, test } from './stage.ts'
