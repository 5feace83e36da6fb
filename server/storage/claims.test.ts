/** Two workers claim at once: the second takes what the first has not taken, and waits for nothing. */
import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { askOperation, createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openScene } from '../testing/scene.ts'
import { withBudget } from './accounts/question-budget.ts'
import { type Db, inTransaction, type Tx } from './db.ts'
import { claimDueEvents } from './events/due-events.ts'
import { claimDueAttempts } from './payments/attempts.ts'
import { claimDueOperations } from './payments/due-accounts.ts'

const FAR = new Date('2100-01-01T00:00:00Z')

const { kassa, shop } = await openScene({}, { callbackUrl: 'https://shop.example/events' })
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
