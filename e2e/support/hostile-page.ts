/** Pages that disturb a button: careless styles, element names that hide the browser's properties, strict policies. */
import { readFile } from 'node:fs/promises'
import type { Kassa } from './kassa.ts'

const STRICT_NONCE = new URL('../../public/merchant-pages/strict-nonce.html', import.meta.url)

/** A style sheet whose rules match every element. */
export const CARELESS = `
  html { font-size: 62.5% }
  * { all: unset; font: 3px/9 cursive; letter-spacing: 1em; color: red; text-transform: uppercase; direction: rtl }
  *, ::before, ::after { visibility: hidden; text-indent: 9em; --bg: red; --ink: red; --radius: 0 }
  button, p, div, i, span { display: none !important; opacity: 0 !important; pointer-events: none !important }
  kassa-pay { display: inline-block }`

/** A page whose element names hide properties of document and window. */
export const CLOBBERED = `<!doctype html><html lang="en"><title>Clobbered</title><h1>Clobbered</h1>
  <img name="currentScript" alt=""><form id="Kassa"></form><form name="readyState"></form><img name="body" alt="">
  <form name="querySelector"></form><a id="PayConfig" href="https://evil.invalid/"></a><form name="forms"></form>
  <img name="cookie" alt=""><form id="navigator"></form><form id="location"></form><form name="createElement"></form>
  <script src="__API__/widget/v1/kassa.js" data-public-key="__PUBLIC_KEY__" data-product-id="tea"></script></html>`

/** The strictest page, with the widget pinned to a version. */
export async function pinnedPage(kassa: Kassa, { nonce = 'r4nd0m', integrity = '' }): Promise<string> {
  const list = await fetch(`${kassa.url}/widget/versions.json`)
  const { current, versions } = (await list.json()) as {
    current: string
    versions: { version: string; path: string; integrity: string }[]
  }
  const pinned = versions.find(({ version }) => version === current)
  if (!pinned) throw new Error('The current version is not in the list.')
  return (await readFile(STRICT_NONCE, 'utf8'))
    .replace('__NONCE__', nonce)
    .replace('__SCRIPT__', kassa.url + pinned.path)
    .replace('__INTEGRITY__', integrity || pinned.integrity)
}
