/** The public folder: which files are served in sandbox and in live mode, for any spelling of the address. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../testing/attacks/raw-http.ts'
import { type Kassa, startKassa } from '../testing/harness.ts'
import { LIVE_SETTINGS } from '../testing/scene/live.ts'

/** Spellings of addresses of the demo, of test templates, and of files outside the folder. */
const HIDDEN = [
  '/demo',
  '/demo/',
  '/demo/index.html',
  '/demo/shop.js',
  '/%64emo/',
  '/%64emo/index.html',
  '/%2564emo/',
  '//demo/',
  '//demo/index.html',
  '/./demo/',
  '/x/../demo/',
  '/x/%2e%2e/demo/index.html',
  '/demo%2findex.html',
  '/demo%2Findex.html',
  '/%2fdemo/index.html',
  '/demo%5cindex.html',
  '/DEMO/',
  '/merchant-pages',
  '/merchant-pages/',
  '/merchant-pages/element.html',
  '/%6derchant-pages/element.html',
  '//merchant-pages/element.html',
  '/merchant-pages%2felement.html',
  '/../package.json',
  '/%2e%2e/package.json',
  '/..%2fpackage.json',
  '/..%5cpackage.json',
  '/.gitignore',
  '/pages.css/',
  '/pages.css%00',
  '/%70ages.css%2f',
]

describe('in live mode', () => {
  let kassa: Kassa
  beforeAll(async () => {
    kassa = await startKassa({ settings: LIVE_SETTINGS })
  })
  afterAll(() => kassa.close())

  // Sent as raw bytes, because a client library would normalize the address.
  const ask = (path: string) => sendRaw(kassa.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)

  test.each(HIDDEN)('%s is not served', async (path) => {
    expect((await ask(path)).status).toBe(404)
  })

  test.each(['/pages.css', '/%70ages.css', '/kassa.svg', '/install.js'])('%s is served', async (path) => {
    expect((await ask(path)).status).toBe(200)
  })
})
