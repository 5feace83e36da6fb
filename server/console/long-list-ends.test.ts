/** Long lists of the console: what a page ends at, and what is typed, may be anything that is stored. */
import { expect, test } from 'vitest'
import { listProductChoice } from '../merchants/product.ts'
import { hiddenIn } from '../testing/console.ts'
import { openShop } from '../testing/harness.ts'
import { openConsole } from '../testing/scene/console.ts'

const { kassa, signIn } = await openConsole({
  settings: { ROUTE_E_DRIVER: 'sandbox', ROUTE_E_SHARED: 'false' },
})
const root = await signIn('administrator')

const column = async (text: string): Promise<string[]> =>
  (await kassa.ctx.db.query<{ it: string }>(`select ${text}`)).rows.map(({ it }) => it)

/** Follows the list, and returns how many rows each page has. Ends where it would go round in a circle. */
async function countPages(path: string, row: RegExp): Promise<number[]> {
  const counts: number[] = []
  for (let address: string | undefined = path; address !== undefined && counts.length < 10; ) {
    const { text } = await root.get(address)
    counts.push([...text.matchAll(row)].length)
    address = /href="([^"]+)">Further ones</.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  return counts
}

test('a page goes on behind a long address of a public page', async () => {
  const { merchantId } = await openShop(kassa.ctx)
  await kassa.ctx.db.query(
    `insert into kassa.domain_requests (merchant_id, origin, asked_at)
     select $1, 'https://pages.example/' || $2 || n, '2026-01-01'::timestamptz + n * interval '1 second' from generate_series(1, 60) n`,
    [merchantId, 'p'.repeat(400)],
  )
  const pages = await countPages('/sandbox/reviews', /rel="noreferrer nofollow">/g)
  expect(pages).toEqual([25, 25, 10])
})

test('a page goes on behind a product whose id has joined signs', async () => {
  const { merchantId } = await openShop(kassa.ctx)
  await kassa.ctx.db.query(
    `insert into sandbox.products (merchant_id, id, name, amount_minor, currency, display, max_quantity, updated_at)
     select $1, '👨‍👧' || lpad(n::text, 3, '0'), 'A family', 100, 'USD', '{}', 1, now() from generate_series(1, 130) n`,
    [merchantId],
  )
  const path = `/sandbox/shops/${merchantId}/products`
  // The shop has two more.
  const pages = await countPages(path, /class="row with-photo">/g)
  expect(pages).toEqual([25, 25, 25, 25, 25, 7])
  const { products } = await listProductChoice(kassa.ctx, merchantId, ['👨‍👧130'])
  expect(products.map(({ id }) => id)).toContain('👨‍👧130')
})

test('an account is shared with a shop that is typed because the list of shops is too long', async () => {
  await kassa.ctx.db.query(
    `insert into kassa.merchants (id, name, created_at) select 'mer_zz' || lpad(n::text, 20, '0'), 'Typed ' || n, now() from generate_series(1, 150) n`,
  )
  const { id: accountId } = kassa.ctx.routes.route_e
  const [last = ''] = await column('id as it from kassa.merchants order by id desc limit 1')
  const at = `/sandbox/accounts/${accountId}/account-allow`
  const { text } = await root.get(at)
  const sure = await root.post(at, { ...hiddenIn(text), merchantId: last })
  expect(sure.text).not.toContain('role="alert"')
  const done = await root.post(at, hiddenIn(sure.text))
  expect(done.location).toContain('done=')
  expect(
    await column(`merchant_id as it from sandbox.account_merchants where account_id = '${accountId}'`),
  ).toContain(last)
})
