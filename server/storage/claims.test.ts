/** Transactions at once: workers that claim rows do not wait for each other, and what PostgreSQL rolls back is run again. */
import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { askOperation, createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openScene } from '../testing/scene.ts'
import { withBudget } from './accounts/question-budget.ts'
import { afterCommit } from './after-commit.ts'
import { type Db, inTransaction, type Tx } from './db.ts'
import { claimDueEvents } from './events/due-events.ts'
import { claimDueAttempts } from './payments/attempts.ts'
import { claimDueOperations } from './payments/due-accounts.ts'

const { kassa, shop } = await openScene({}, { callbackUrl: 'https://shop.example/events' })

/** Two workers claim at once: the second takes what the first has not taken, and waits for nothing. */
describe('two workers that claim at once', () => {
  const FAR = new Date('2100-01-01T00:00:00Z')
  let accountId: string
  beforeAll(async () => {
    accountId = kassa.ctx.routes.route_a.id
    for (const key of ['one', 'two']) {
      const body = sessionRequest({ merchantOrderId: key, amountMinor: 1900 })
      const { body: session } = await createSession(kassa.url, shop, { key, body })
      await createSession(kassa.url, shop, {
        key: `${key}-open`,
        body: sessionRequest({ merchantOrderId: `${key}-open` }),
      })
      await payAtBank(session.providerCheckoutUrl, 'paid')
      await askOperation(kassa.url, shop, session.id, 'refunds', {
        key,
        body: { amountMinor: 500, reason: 'r' },
      })
    }
    await kassa.ctx.db.query(`update sandbox.attempts set question_due_at = created_at where state <> 'paid'`)
    await kassa.ctx.db.query('update sandbox.events set due_at = created_at, lease_until = null')
  })

  const now = () => kassa.clock.now()
  /** Each claims at most one row. */
  const CLAIMS: Record<string, (db: Db | Tx) => Promise<unknown[]>> = {
    operations: (db) =>
      claimDueOperations(db, accountId, { now: now(), leaseUntil: FAR, limit: 1, types: ['refund'] }),
    attempts: (db) => claimDueAttempts(db, accountId, { now: now(), leaseUntil: FAR, limit: 1 }),
    events: (db) => claimDueEvents(db, [{ merchantId: shop.merchantId, room: 1 }], now(), FAR),
  }

  test.each(Object.entries(CLAIMS))('%s', async (_, claim) => {
    const [isClaimed, mayEnd] = [Promise.withResolvers<unknown[]>(), Promise.withResolvers<void>()]
    const first = inTransaction(kassa.ctx.db, async (tx) => {
      isClaimed.resolve(await claim(tx))
      await mayEnd.promise
    })
    first.catch(isClaimed.reject)
    try {
      const one = await isClaimed.promise
      // A statement that waits for the row of the first worker fails at once.
      const two = await inTransaction(kassa.ctx.db, async (tx) => {
        await tx.query("set local lock_timeout = '1ms'")
        return claim(tx)
      })
      expect([one.length, two.length]).toEqual([1, 1])
      expect(two).not.toEqual(one)
    } finally {
      mayEnd.resolve()
      await first
    }
  })

  test('a question is due at its time, and not before', async () => {
    const at = new Date('2099-01-01T00:00:00Z')
    await kassa.ctx.db.query(`update sandbox.attempts set question_due_at = $1 where state <> 'paid'`, [at])
    const claimAt = (ms: number) =>
      claimDueAttempts(kassa.ctx.db, accountId, { now: new Date(ms), leaseUntil: FAR, limit: 1 })
    expect(await claimAt(at.getTime() - 1)).toHaveLength(0)
    expect(await claimAt(at.getTime())).toHaveLength(1)
  })

  test('every claim of what is due skips the rows of other workers', () => {
    const folder = new URL('.', import.meta.url)
    const claims = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.test)\.ts$/.test(file))
      .flatMap((file) => [
        ...readFileSync(new URL(file, folder), 'utf8').matchAll(
          /'(claim_(?:due_|sandbox_callbacks|restore_checks)\w*)',\s+`([^`]*)`/g,
        ),
      ])
      .map(([, name = '', text = '']) => ({ name, text }))
    expect(claims.length).toBeGreaterThan(9)
    const isSkipping = (text: string) => text.includes('skip locked')
    // A claim within a budget begins with the same words.
    expect(isSkipping(withBudget(''))).toBe(true)
    const waiting = claims.filter(({ text }) => !isSkipping(text) && !text.startsWith('${withBudget('))
    expect(waiting.map(({ name }) => name)).toEqual([])
  })
})

/** What PostgreSQL rolls back because transactions are in each other's way is run again, a few times. */
describe('transactions that are in each other’s way', () => {
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
})
