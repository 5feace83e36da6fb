/** Pages of a list most of whose rows are left out. */
import { beforeAll, expect, test } from 'vitest'
import { openScene } from '../testing/scene.ts'
import { scanForRows } from './looked.ts'
import { listProductPage } from './merchants/products.ts'

const REMOVED = 2_300

const { kassa, shop } = await openScene()
beforeAll(async () => {
  await kassa.ctx.db.query(
    `insert into sandbox.products (merchant_id, id, name, amount_minor, currency, updated_at, removed_at)
     select $1, 'a-' || lpad(n::text, 6, '0'), 'Sold once ' || n, 100, 'USD', now(), now() from generate_series(1, $2::int) n`,
    [shop.merchantId, REMOVED],
  )
})

test('a page looks at 1,000 rows, and the next one continues there', async () => {
  const pages: { ids: string[]; next: string | null }[] = []
  for (let after: string | null = ''; after !== null; ) {
    const wish = { merchantId: shop.merchantId, part: null, after, limit: 25 }
    const { rows, next } = await listProductPage(kassa.ctx.db, wish)
    pages.push({ ids: rows.map(({ id }) => id), next })
    after = next
  }
  expect(pages).toEqual([
    { ids: [], next: 'a-001000' },
    { ids: [], next: 'a-002000' },
    { ids: ['cup', 'tea'], next: null },
  ])
})

test('a page that is full has a next one only if something follows', async () => {
  const page = (limit: number) =>
    listProductPage(kassa.ctx.db, { merchantId: shop.merchantId, part: null, after: 'b', limit })
  expect((await page(1)).next).toBe('cup')
  expect((await page(2)).next).toBeNull()
})

test('a look goes on among more rows only if too few were found, and says where it stopped', async () => {
  const looks = async (found: Record<number, number>, beyond: Record<number, string>, limit = 2) => {
    const looks: number[] = []
    const looked = await scanForRows([10, 100], limit, {
      page: async (most) => {
        looks.push(most)
        return Array.from({ length: found[most] ?? 0 }, (_, at) => at)
      },
      last: async (most) => (beyond[most] ? [{ position: beyond[most] }] : []),
    })
    return [looks, looked.rows.length, looked.lookedTo]
  }
  expect(await looks({ 10: 2 }, { 10: 'j' })).toEqual([[10], 2, null])
  expect(await looks({ 10: 1 }, {})).toEqual([[10], 1, null])
  expect(await looks({ 10: 1, 100: 2 }, { 10: 'j', 100: 'z' })).toEqual([[10, 100], 2, null])
  expect(await looks({ 10: 1, 100: 1 }, { 10: 'j', 100: 'z' })).toEqual([[10, 100], 1, 'z'])
})
