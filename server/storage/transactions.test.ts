/** What PostgreSQL rolls back because transactions are in each other's way is run again, a few times. */
import { expect, test } from 'vitest'
import { openScene } from '../testing/scene.ts'
import { afterCommit } from './after-commit.ts'
import { inTransaction, type Tx } from './db.ts'

const { kassa, shop } = await openScene()
const { db } = kassa.ctx

const rename = (tx: Tx, id: string, name: string) =>
  tx.query(`update sandbox.products set name = name || $3 where merchant_id = $1 and id = $2`, [
    shop.merchantId,
    id,
    name,
  ])

test('two transactions that lock two rows in opposite orders both commit, each once', async () => {
  const bothHold = Promise.withResolvers<void>()
  let holding = 0
  let runs = 0
  const work = (first: string, second: string, name: string) =>
    inTransaction(db, async (tx) => {
      runs++
      await rename(tx, first, name)
      if (++holding === 2) bothHold.resolve()
      await bothHold.promise
      await rename(tx, second, name)
    })
  await Promise.all([work('tea', 'cup', '1'), work('cup', 'tea', '2')])
  const { rows } = await db.query('select name from sandbox.products where merchant_id = $1', [
    shop.merchantId,
  ])
  expect(runs).toBe(3)
  for (const { name } of rows) expect([name.match(/1/g), name.match(/2/g)]).toEqual([['1'], ['2']])
})

test.each(['40P01', '40001'])(
  'after five runs that end with %s the caller is told to try again',
  async (code) => {
    let runs = 0
    const failing = inTransaction(db, async (tx) => {
      runs++
      await tx.query(`do $$ begin raise exception 'again' using errcode = '${code}'; end $$`)
    })
    await expect(failing).rejects.toMatchObject({ code: 'request_in_progress' })
    expect(runs).toBe(5)
  },
)

test('what waits for the commit is done once after it, and not at all if the transaction is rolled back', async () => {
  const done: number[] = []
  let runs = 0
  const isCommitted = async () => {
    const { rows } = await db.query("select from sandbox.products where id = 'tea' and name like '%seen'")
    return rows.length === 1
  }
  const committed = Promise.withResolvers<boolean>()
  await inTransaction(db, async (tx) => {
    const run = ++runs
    await rename(tx, 'tea', 'seen')
    afterCommit(tx, () => {
      done.push(run)
      committed.resolve(isCommitted())
    })
    if (run === 1) await tx.query("do $$ begin raise exception 'again' using errcode = '40001'; end $$")
  })
  expect([done, await committed.promise]).toEqual([[2], true])
  const failing = inTransaction(db, async (tx) => {
    afterCommit(tx, () => done.push(0))
    await tx.query('select 1 / 0')
  })
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  expect(done).toEqual([2])
})

test('any other error ends the transaction at once, as it is', async () => {
  let runs = 0
  const failing = inTransaction(db, async (tx) => {
    runs++
    await tx.query('select 1 / 0')
  })
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  expect(runs).toBe(1)
})
