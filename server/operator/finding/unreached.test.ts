/** A payment that nobody has begun to pay is found at once by its order or its address, among thousands of newer ones. */
import { expect, test } from 'vitest'
import { openDb } from '../../storage/db.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { findPayments } from './find.ts'
import { lookFor } from './list.ts'

/** More than are compared one by one. */
const NEWER = 1_400
const AT_ONCE = 20

let count = 0
const open = async (changes: object, of = shop): Promise<string> => {
  const body = sessionRequest({ provider: 'manual', merchantOrderId: `web-${++count}`, ...changes })
  return (await createSession(kassa.url, of, { key: `u-${count}`, body })).body.id
}
const { kassa, shop } = await openScene()
const other = await openShop(kassa.ctx)
const customer = { email: 'Gohar.Lost@mail.example' }
const wanted = await open({ merchantOrderId: 'WEB/2026-77 a', customer })
const foreign = await open({ merchantOrderId: 'WEB/2026-77 a' }, other)
const composed = await open({ merchantOrderId: 'İZM-é-ＡＢ', customer: { email: 'İrem.é@mail.example' } })
const short = await open({ merchantOrderId: 'p_o' })
kassa.clock.advance(60_000)
for (let made = 0; made < NEWER; made += AT_ONCE)
  await Promise.all(
    Array.from({ length: AT_ONCE }, () => open({ customer: { email: `gohar.${count}@mail.example` } })),
  )
kassa.clock.advance(9 * 60_000)
await SWEEPS.searchRows(kassa.ctx)

const find = async (text: string, merchantId: string | null = shop.merchantId) =>
  (await findPayments(kassa.ctx, text, { merchantId, zones: ['UTC'], limit: 10 })).found

test.each([
  'WEB/2026-77 a',
  'web/2026-77 A',
  'gohar.lost@mail.example',
  'Gohar.Lost@mail.example 19.00',
  '<gohar.lost@mail.example>,',
])('by %s', async (text) => {
  const [first] = await find(text)
  expect([first?.payment.id, first?.because[0]]).toEqual([wanted, text.includes('@') ? 'e-mail' : 'order'])
})

test.each([
  'İZM-é-ＡＢ',
  'izm-e\u0301-ab',
  'i\u0307zm-É-ab',
  'İREM.e\u0301@mail.example',
  'irem.é@mail.example',
])('however its letters are composed: %s', async (text) =>
  expect((await find(text))[0]?.payment.id).toBe(composed),
)

test.each(['p_o', 'P_O'])('a short order in full, and its signs stand for nothing else: %s', async (text) => {
  expect((await find(text)).map(({ payment }) => payment.id)).toEqual([short])
  expect(await find('p%o')).toEqual([])
})

test('also in a list of the order, and each shop finds its own', async () => {
  const { merchantId } = shop
  const { payments } = await lookFor(kassa.ctx, { merchantId, merchantOrderId: 'WEB/2026-77 a', limit: 5 })
  expect(payments.map(({ id }) => id)).toEqual([wanted])
  expect((await find('WEB/2026-77 a', null)).slice(0, 2).map(({ payment }) => payment.id)).toEqual([
    foreign,
    wanted,
  ])
  expect((await find('WEB/2026-77 a', other.merchantId)).map(({ payment }) => payment.id)).toEqual([foreign])
})

test('what was not compared is not called all', async () => {
  const { merchantId } = shop
  const options = { merchantId, zones: ['UTC'] as const, limit: 10 }
  expect(await findPayments(kassa.ctx, 'Lost', options)).toMatchObject({ found: [], isAll: false })
})

test('without reading the newer ones', async () => {
  const db = openDb(kassa.databaseUrl, { world: 'sandbox', max: 1 })
  const pages = async () => {
    await db.query('select pg_stat_force_next_flush()')
    const { rows } = await db.query<{ pages: number }>(
      `select (sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit))::int as pages from pg_statio_user_tables
       where schemaname = 'sandbox' and relname in ('payments', 'attempts', 'entries', 'payment_changes', 'payment_search')`,
    )
    return rows[0]?.pages ?? 0
  }
  const ctx = { ...kassa.ctx, db }
  const ask = () => findPayments(ctx, 'gohar.lost@mail.example', { zones: ['UTC'], limit: 10 })
  await ask()
  await pages()
  const before = await pages()
  await ask()
  await pages()
  const read = (await pages()) - before
  expect(read).toBeLessThan(500)
  await db.end()
})
