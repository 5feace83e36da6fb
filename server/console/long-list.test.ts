/** Long lists of the console: page by page each row is there once, a part of a name finds it, and each shop sees its own rows alone. */
import { describe, expect, test } from 'vitest'
import { removeUser } from '../access/users.ts'
import { listMerchants } from '../storage/merchants/merchants.ts'
import { lengthenLists } from '../testing/books/long-lists.ts'
import type { TestBrowser } from '../testing/console.ts'
import { makeExamples } from '../testing/console-examples.ts'
import { openShop } from '../testing/harness.ts'
import { openConsole } from '../testing/scene/console.ts'

const PAGE = 25
const COPIES = 60
const WHOLE = { products: COPIES, people: COPIES, merchants: COPIES, accounts: COPIES, names: COPIES }

const { kassa, desk, shop, signIn } = await openConsole()
const other = await openShop(kassa.ctx)
const examples = await makeExamples(kassa, shop, other)
await lengthenLists(kassa, { shop, examples, to: { ...WHOLE, reviews: COPIES } })
const browsers = {
  administrator: await signIn('administrator'),
  shop: await signIn('shop'),
  viewer: await signIn('viewer', { merchantId: shop.merchantId }),
  stranger: await signIn('viewer', { name: 'A stranger', merchantId: other.merchantId }),
}

const plain = (text: string) => text.replaceAll('&amp;', '&')
const ofShop = (end: string) => `/sandbox/shops/${shop.merchantId}${end}`
const column = async (text: string): Promise<string[]> =>
  (await kassa.ctx.db.query<{ it: string }>(`select ${text}`)).rows.map(({ it }) => it)

/** Follows the list page by page. `turns`: the query of the address that leads to the next page. */
async function readAll(
  browser: TestBrowser,
  path: string,
  row: RegExp,
  turns = 'after',
): Promise<string[][]> {
  const pages: string[][] = []
  for (let address: string | undefined = path; address !== undefined; ) {
    const { status, text } = await browser.get(address)
    expect([address, status, pages.length < 20]).toEqual([address, 200, true])
    pages.push([...text.matchAll(row)].map(([, it = '']) => plain(it)))
    const links = [...text.matchAll(/href="([^"]+)">Further ones</g)].map(([, href = '']) => plain(href))
    address = links.find((href) => {
      const query = new URL(href, desk.origin).searchParams
      return (
        query.get(turns) && query.get(turns) !== new URL(address ?? '', desk.origin).searchParams.get(turns)
      )
    })
  }
  return pages
}

type List = {
  path(): string
  row: RegExp
  rows(): Promise<string[]>
  who: keyof typeof browsers
  turns?: string
}
const PRODUCTS: List = {
  path: () => ofShop('/products'),
  row: /href="\/sandbox\/shops\/mer_\w+\/products\/([^"/?]+)" class="row/g,
  rows: () =>
    column(`id as it from sandbox.products where merchant_id = '${shop.merchantId}' and removed_at is null`),
  who: 'shop',
}
const SHOPS: List = {
  path: () => '/sandbox/shops',
  row: /href="\/sandbox\/shops\/(mer_\w+)" class="row"/g,
  rows: () => column('id as it from kassa.merchants'),
  who: 'administrator',
}
const PEOPLE: List = {
  path: () => '/sandbox/users',
  row: /href="\/sandbox\/users\/(usr_\w+)" class="row"/g,
  rows: () => column('id as it from kassa.operators where removed_at is null'),
  who: 'administrator',
}
const ORIGIN = /<a href="(https:[^"]+)" rel="noreferrer nofollow">/g
const NAME = /<strong><bdi>\S*\/p\/test\/([^<]+)<\/bdi>/g
const LISTS: Record<string, List> = {
  shops: SHOPS,
  products: PRODUCTS,
  people: PEOPLE,
  'accounts with statements': {
    path: () => '/sandbox/statements',
    row: /href="\/sandbox\/statements\/(acc_\w+)" class="row"/g,
    rows: () => column('id as it from sandbox.accounts'),
    who: 'administrator',
  },
  'addresses that wait for a review': {
    path: () => '/sandbox/reviews',
    row: ORIGIN,
    rows: () => column('origin as it from kassa.domain_requests'),
    who: 'administrator',
  },
  'short addresses of a product': {
    path: () => ofShop(`/share?product=${examples['products/:product']?.own}`),
    row: NAME,
    rows: () => column(`name as it from sandbox.short_addresses where merchant_id = '${shop.merchantId}'`),
    who: 'shop',
    turns: 'name',
  },
}

test.each(Object.entries(LISTS))(
  '%s: each is on one page, and no page is longer than the others',
  async (_name, list) => {
    const pages = await readAll(browsers[list.who], list.path(), list.row, list.turns)
    expect(pages.flat().sort()).toEqual((await list.rows()).sort())
    expect(pages.length).toBeGreaterThan(2)
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(PAGE)
  },
)

describe('a part of a name', () => {
  const found = async (list: List, part: string) =>
    (await readAll(browsers[list.who], `${list.path()}?${new URLSearchParams({ q: part })}`, list.row)).flat()

  test('finds what has it, whatever its case, and nothing else', async () => {
    const { own = '' } = examples['products/:product'] ?? {}
    expect((await found(PRODUCTS, 'eXample 7')).sort()).toEqual([`${own}-7`])
    expect(await found(PRODUCTS, `${own}-44`)).toEqual([`${own}-44`])
    const named = await column(`id as it from kassa.operators where name like 'An example 5%'`)
    expect((await found(PEOPLE, 'AN EXAMPLE 5')).sort()).toEqual(named.sort())
    expect(named.length).toBeGreaterThan(5)
    expect(await found(PEOPLE, '44example@pay')).toHaveLength(1)
    const [last] = (await listMerchants(kassa.ctx.db)).slice(-1)
    expect(await found(SHOPS, last?.id ?? '')).toEqual([last?.id])
  })

  test('that stands for others elsewhere is only itself here', async () => {
    for (const list of [PRODUCTS, PEOPLE, SHOPS])
      for (const part of ['%', '\\', "'", '.*']) expect([part, await found(list, part)]).toEqual([part, []])
  })

  test('that nothing has is said so, and stays in the field', async () => {
    const { text } = await browsers.shop.get(`${PRODUCTS.path()}?q=zzz%3Cb%3E`)
    expect(text).toContain('Nothing with this name was found.')
    expect(text).toContain('value="zzz&lt;b>"')
  })
})

test('an address that no list has given out begins the list anew, or is its end', async () => {
  const [first] = await readAll(browsers.administrator, SHOPS.path(), SHOPS.row)
  for (const after of ['', '\u0007', 'x'.repeat(900)]) {
    const [page] = await readAll(
      browsers.administrator,
      `/sandbox/shops?${new URLSearchParams({ after })}`,
      SHOPS.row,
    )
    expect(page).toEqual(first)
  }
  for (const path of [
    '/sandbox/shops',
    '/sandbox/users',
    '/sandbox/reviews',
    PRODUCTS.path(),
    ofShop('/share'),
  ])
    for (const query of ['after=zzzz', 'after=%27', 'name=zzzz', 'removed=zzzz', 'after=2026-99-99%20x%20y'])
      expect([path, (await browsers.administrator.get(`${path}?${query}`)).status]).toEqual([path, 200])
})

test('a shop sees what waits of its own alone, on every page', async () => {
  for (const [name, { merchantId }] of [
    ['viewer', shop],
    ['stranger', other],
  ] as const) {
    const own = (table: string, of: string) =>
      column(`${of} as it from ${table} where merchant_id = '${merchantId}'`)
    const origins = (await readAll(browsers[name], '/sandbox/reviews', ORIGIN)).flat()
    expect(origins.sort()).toEqual((await own('kassa.domain_requests', 'origin')).sort())
  }
  // A position that belongs to all shops leads to nobody else's either.
  const first = new URLSearchParams({ after: '2020-01-01T00:00:00.000Z a b' })
  const { text } = await browsers.stranger.get(`/sandbox/reviews?${first}`)
  expect([...text.matchAll(ORIGIN)].map(([, origin]) => origin)).toEqual(
    await column(`origin as it from kassa.domain_requests where merchant_id = '${other.merchantId}'`),
  )
})

test('removed people have pages of their own', async () => {
  const gone = (await column(`id as it from kassa.operators where name like 'An example %'`)).slice(0, 40)
  for (const id of gone) await removeUser(kassa.ctx, id)
  const pages = await readAll(
    browsers.administrator,
    PEOPLE.path(),
    /<dt><bdi>([^<]+)<\/bdi><\/dt>/g,
    'removed',
  )
  expect(pages.map(({ length }) => length)).toEqual([PAGE, 40 - PAGE])
  expect(new Set(pages.flat()).size).toBe(40)
})
