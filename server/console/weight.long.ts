/** What a phone loads for the first visit of each screen, with lists as long as they get: the page, its styles and its script. */
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, test } from 'vitest'
import { lengthenLists } from '../testing/books/long-lists.ts'
import { openBrowser } from '../testing/console.ts'
import { addressOf, makeExamples } from '../testing/console-examples.ts'
import { openShop } from '../testing/harness.ts'
import { openConsole } from '../testing/scene/console.ts'
import { CONSOLE_PAGES } from './pages.ts'

const PAGE_BYTES_MAX = 60 * 1024
const SCRIPT_BYTES_MAX = 30 * 1024

/** As little as the server compresses, so nothing is lighter on the line than here. */
const compressed = (text: string) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length

const files = new Map<string, Promise<number>>()
const { kassa, desk, signIn } = await openConsole()
const [shop, other] = [await openShop(kassa.ctx), await openShop(kassa.ctx)]
const examples = await makeExamples(kassa, shop, other)
const paged = { events: 60, subscriptions: 60, audit: 60, cases: 60, approvals: 60 }
const whole = { products: 100, people: 100, merchants: 100, accounts: 60, reviews: 19, names: 60 }
await lengthenLists(kassa, { shop, examples, to: { orders: 400, ...paged, ...whole } })
const browser = await signIn('administrator')

/** The compressed bytes of a file, as the console sends it. */
function weightOf(path: string): Promise<number> {
  const found =
    files.get(path) ??
    browser.get(path).then(({ status, text }) => {
      if (status !== 200) throw new Error(`${path}: ${status}`)
      return compressed(text)
    })
  files.set(path, found)
  return found
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

/** `page`: with its styles. */
type Weight = { page: number; script: number; rows: number }

/** All that the page makes a browser load before it is complete, except pictures. */
async function weigh(address: string): Promise<Weight | null> {
  const { status, text, whole } = await browser.get(address)
  // The start only leads on.
  if (status === 303) return null
  expect([address, status]).toEqual([address, 200])
  expect(text).not.toContain('rel="stylesheet"')
  const scripts = [...text.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path = '']) => path)
  return {
    page: compressed(whole),
    script: sum(await Promise.all(scripts.map(weightOf))),
    rows: text.split(/<li[ >]|class="parcel"/).length - 1,
  }
}

test('every screen is light with all that it loads, however long its list is', async () => {
  const rows: Record<string, number> = {}
  const heavy: string[] = []
  for (const page of CONSOLE_PAGES.filter(({ method, needs }) => method === 'get' && needs !== 'nobody')) {
    // A file is no screen.
    if (page.path.endsWith('.csv')) continue
    const weight = await weigh(addressOf(page, examples))
    if (!weight) continue
    rows[page.path] = weight.rows
    const total = weight.page + weight.script
    if (process.env.WEIGHTS) console.info(`${page.path}: ${JSON.stringify({ ...weight, total })}`)
    if (total > PAGE_BYTES_MAX || weight.script > SCRIPT_BYTES_MAX)
      heavy.push(`${page.path}: ${JSON.stringify({ ...weight, total })}`)
  }
  expect(heavy).toEqual([])
  // The lists were long.
  expect(rows['/:world/shops/:merchant/orders']).toBeGreaterThan(190)
  expect(rows['/:world/shops/:merchant/orders-print']).toBeGreaterThan(190)
  for (const list of ['approvals', 'audit', 'users', 'shops', 'desk', 'reviews'])
    expect([list, (rows[`/:world/${list}`] ?? 0) >= 25]).toEqual([list, true])
})

test('the pages before the sign-in are as light', async () => {
  for (const path of ['/sign-in', '/link/none']) {
    const { whole } = await openBrowser(desk).get(path)
    expect(compressed(whole) + (await weightOf('/desk.js'))).toBeLessThan(PAGE_BYTES_MAX)
  }
})
