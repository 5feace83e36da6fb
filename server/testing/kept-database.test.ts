/** Kept databases: what a test has stored or changed, and the state of its sessions, is gone for the next one. */
import { expect, test } from 'vitest'
import { type Kassa, openShop, startKassa } from './harness.ts'

/** The rows of every table, those of the migrations included. */
async function countRows({ ctx: { db } }: Kassa): Promise<Record<string, number>> {
  const { rows: tables } = await db.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and oid >= 16384 and relname not like 'pg_%' order by 1`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await db.query<{ count: number }>(`select count(*) from ${name}`)
    counts[name] = rows[0]?.count ?? 0
  }
  return counts
}

/** Returns the address of the next database, and what `look` finds in it. */
async function next<Found>(look: (kassa: Kassa) => Promise<Found>): Promise<{ url: string; found: Found }> {
  const kassa = await startKassa()
  const found = await look(kassa)
  await kassa.close()
  return { url: kassa.databaseUrl, found }
}

test('the next test gets the same database, with what the migrations have written', async () => {
  const first = await next(async (kassa) => {
    const counts = await countRows(kassa)
    await openShop(kassa.ctx)
    await kassa.ctx.db.query(`update kassa.migrations set digest = 'other'`)
    return counts
  })
  const second = await next(async (kassa) => ({
    counts: await countRows(kassa),
    others: (await kassa.ctx.db.query(`select from kassa.migrations where digest = 'other'`)).rowCount,
  }))
  expect(second).toEqual({ url: first.url, found: { counts: first.found, others: 0 } })
})

test('the next test gets the same sessions, without their state', async () => {
  const pids = 'select pid from pg_stat_activity where datname = current_database() order by pid'
  const first = await next(async ({ ctx: { db } }) => {
    await db.query(`set work_mem = '1MB'; listen news; select pg_advisory_lock(1)`)
    return (await db.query(pids)).rows
  })
  const second = await next(async ({ ctx: { db } }) => {
    const left = await db.query(
      `select 'a lock' as what from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
       union all select 'a channel' from pg_listening_channels()
       union all select 'a setting' where current_setting('work_mem') = '1MB'`,
    )
    return { sessions: (await db.query(pids)).rows, left: left.rows }
  })
  expect(second).toEqual({ url: first.url, found: { sessions: first.found, left: [] } })
})

test('a database whose tables or functions were changed is not used again', async () => {
  for (const change of [
    'alter table sandbox.products add column note text',
    'alter table sandbox.products disable trigger user',
    'drop trigger products_audited on sandbox.products',
    'create table public.note ()',
    'analyze sandbox.products',
  ]) {
    const changed = await next(async ({ ctx }) => {
      await openShop(ctx)
      await ctx.db.query(change)
    })
    const { url } = await next(async () => {})
    expect(url, change).not.toBe(changed.url)
  }
})
