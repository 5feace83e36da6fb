/** Shows many pages of one site, one after the other. */
import type { Page } from '@playwright/test'

const HAS_SCRIPT = /<script\b/i

/**
 * Shows the page at this address. If the tab already shows a page of the same site, and both have no script, the new page is
 * written into the loaded document. This takes a sixth of the CPU time of a page load. The document keeps the headers of the
 * page that was loaded, so use it only for pages with the same content policy.
 */
export async function showPage(page: Page, address: string): Promise<void> {
  const isSameSite = new URL(address).origin === new URL(page.url(), 'null:').origin
  if (!isSameSite || !(await writeInto(page, address))) await page.goto(address)
}

/** Returns false if the new page or the loaded document has a script. */
async function writeInto(page: Page, address: string): Promise<boolean> {
  const html = await (await fetch(address)).text()
  return !HAS_SCRIPT.test(html) && page.evaluate(write, [address, html] as const)
}

/** Runs in the page. Returns false if the document has a script, because its listeners would stay. */
async function write([address, html]: readonly [string, string]): Promise<boolean> {
  if (document.scripts.length > 0) return false
  // Relative addresses depend on the document's address.
  history.replaceState(null, '', address)
  document.open()
  document.write(html)
  document.close()
  if (document.readyState !== 'complete')
    await new Promise((resolve) => window.addEventListener('load', resolve, { once: true }))
  return true
}

/** A module runs once for each address in a document. So each screen gets the script under an address of its own. */
let screens = 0

/**
 * Shows a screen of the console and returns its status and its language. The styles, the script and the content policy are the same
 * on every screen. So the new screen is written into the loaded document, and its script runs anew. What the page was given before,
 * such as axe, stays compiled: this takes a third of the time of a page load and of the first run of axe in it.
 */
export async function showScreen(page: Page, address: string): Promise<{ status: number; locale: string }> {
  const isLoaded = new URL(address).origin === new URL(page.url(), 'null:').origin
  if (isLoaded) return page.evaluate(writeScreen, [address, ++screens] as const)
  const status = (await page.goto(address))?.status() ?? 0
  return { status, locale: await page.evaluate(() => document.documentElement.lang) }
}

/** Runs in the page. */
async function writeScreen([address, count]: readonly [string, number]) {
  const answer = await fetch(address)
  const html = await answer.text()
  if (!html.includes('src="/desk.js"')) throw new Error(`${address} has no script of the console.`)
  // The screen before may be one that waits for something, and would ask for itself once more.
  for (let id = Number(setTimeout(() => {})); id > 0; id--) clearTimeout(id)
  history.replaceState(null, '', answer.url)
  document.open()
  document.write(html.replace('src="/desk.js"', `src="/desk.js?${count}"`))
  document.close()
  if (document.readyState !== 'complete')
    await new Promise((resolve) => window.addEventListener('load', resolve, { once: true }))
  return { status: answer.status, locale: document.documentElement.lang }
}
