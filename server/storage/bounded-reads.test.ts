/** However many rows there are, few are read, and few of strangers are kept. */

import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { addUser } from '../access/users.ts'
import { openScene } from '../testing/scene.ts'
import { claimStep, insertStep } from './access/sessions.ts'
import { connect, inTransaction, type Queryable } from './db.ts'
import { scanForRows } from './looked.ts'
import { listProductPage } from './merchants/products.ts'
import { measureOpenWork } from './open-work.ts'
import { claimDueAttempts, claimDueSettledAttempts } from './payments/attempts.ts'
import { DUE_QUESTIONS, DUE_SETTLED_QUESTIONS } from './payments/due-accounts.ts'

const { kassa, shop } = await openScene({ isNew: true })

/** Pages of a list most of whose rows are left out. */
describe('a page of a list most of whose rows are left out', () => {
  const REMOVED = 2_300
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
})

/** What a worker reads to find the next questions does not grow with the payments that are asked about later. */
describe('the next questions of a worker', () => {
  const LATER = 40_000
  const DUE = 200

  let accountId: string
  beforeAll(async () => {
    accountId = kassa.ctx.routes.route_a.id
    await insertAttempts('paid', LATER, '1 day')
    await insertAttempts('open', LATER, '1 day')
    await insertAttempts('paid', DUE, '-1 hour')
    await insertAttempts('open', DUE, '-1 hour')
    await insertAttempts('expired', LATER, '1 day')
    await insertAttempts('expired', DUE, '-2 hours', '-30 days')
    await kassa.ctx.db.query('analyze sandbox.attempts')
  }, 60_000)

  async function insertAttempts(state: string, count: number, due: string, end = '0 days'): Promise<void> {
    await kassa.ctx.db.query(
      `insert into sandbox.attempts (merchant_id, payment_id, number, provider, account_id, reference, state, expires_at, created_at,
       question_due_at)
     select 'mer_many', $1 || $2 || n, 1, 'route_a', $3, $1 || $2 || n, $1::sandbox.attempt_state, now() + $5::interval, now(),
       now() + $2::interval + n * interval '1 millisecond'
     from generate_series(1, $4::int) n`,
      [state, due, accountId, count, end],
    )
  }

  type Plan = {
    'Node Type': string
    'Relation Name'?: string
    'Actual Rows': number
    'Rows Removed by Filter'?: number
    Plans?: Plan[]
  }
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

  /** Returns how many rows of the attempts the statement reads. It is run and rolled back. */
  async function countRead(run: (db: Queryable) => Promise<unknown>): Promise<number> {
    const client = await connect(kassa.ctx.db)
    let read = 0
    const explaining = {
      world: kassa.ctx.world,
      named: false,
      async query({ text, values }: { text: string; values: unknown[] }) {
        await client.query('begin')
        const { rows } = await client.query(`explain (analyze, format json) ${text}`, values)
        await client.query('rollback')
        const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter(
          (each) => each['Relation Name'] === 'attempts',
        )
        expect(nodes.filter((each) => each['Node Type'] === 'Seq Scan')).toEqual([])
        const scans = nodes.filter((each) => each['Node Type'].includes('Scan'))
        read += scans.reduce(
          (sum, each) => sum + each['Actual Rows'] + (each['Rows Removed by Filter'] ?? 0),
          0,
        )
        return { rows: [] }
      },
    }
    await run(explaining as unknown as Queryable).catch((error) => {
      if (!String(error).includes('An aggregate has no row')) throw error
    })
    client.release()
    expect(read).toBeGreaterThan(0)
    return read
  }

  const due = () => {
    const now = new Date()
    return { now, leaseUntil: new Date(now.getTime() + 60_000), limit: 10 }
  }
  const STATEMENTS: [name: string, most: number, run: (db: Queryable) => Promise<unknown>][] = [
    ['the accounts with questions about open payments', 5, (db) => DUE_QUESTIONS.list(db, new Date())],
    [
      'the accounts with questions about settled payments',
      5,
      (db) => DUE_SETTLED_QUESTIONS.list(db, new Date()),
    ],
    ['the next question about an open payment', 5, (db) => DUE_QUESTIONS.next(db)],
    ['the next question about a settled payment', 5, (db) => DUE_SETTLED_QUESTIONS.next(db)],
    ['a claim of open payments', 40, (db) => claimDueAttempts(db, accountId, due())],
    [
      'a claim of settled payments',
      40,
      (db) => claimDueSettledAttempts(db, accountId, { ...due(), perHour: 36_000 }),
    ],
    ['the metrics', 3 * DUE + 5, (db) => measureOpenWork(db, new Date())],
  ]

  test.each(STATEMENTS)('%s: at most %i attempts are read', async (_, most, run) => {
    expect(await countRead(run)).toBeLessThanOrEqual(most)
  })
})

/** However many sign-ins begin, their rows stay few, and nobody's rows push out those of somebody else. */
describe('sign-ins that begin', () => {
  const now = new Date('2026-03-01T09:30:00Z')
  const expiresAt = new Date('2026-03-01T09:40:00Z')

  test('20,000 steps of nobody and 50 of each person are kept, the newest, and every claim', async () => {
    const { db } = kassa.ctx
    const [one, other] = await Promise.all(
      ['one', 'other'].map(async (name) => {
        const given = { name, role: 'administrator', email: `${name}@pay.example` } as const
        return (await addUser(kassa.ctx, given)).operator.id
      }),
    )
    const fill = (operatorId: string | null, count: number) =>
      db.query(
        `insert into kassa.sign_in_steps (digest, operator_id, challenge, expires_at)
       select sha256(($1::text || n)::bytea), $2, 'x', $3::timestamptz - n * interval '1 millisecond'
       from generate_series(1, $4::int) n`,
        [String(operatorId), operatorId, expiresAt, count],
      )
    await fill(null, 20_100)
    await fill(one ?? '', 70)
    await fill(other ?? '', 30)
    await inTransaction(db, (tx) => claimStep(tx, randomBytes(32), { now, expiresAt }))
    // A digest that begins with zero is the one in 256 that counts.
    const counting = Buffer.concat([Buffer.alloc(1), randomBytes(31)])
    const newest = { operatorId: null, challenge: 'newest' }
    await inTransaction(db, (tx) => insertStep(tx, counting, newest, { now, expiresAt }))
    const { rows } = await db.query<{ owner: string | null; count: number }>(
      `select coalesce(operator_id, case when challenge is null then 'claim' end) as owner, count(*)::int as count from kassa.sign_in_steps
     group by 1`,
    )
    expect(new Map(rows.map(({ owner, count }) => [owner, count]))).toEqual(
      new Map([
        [null, 20_000],
        [one, 50],
        [other, 30],
        ['claim', 1],
      ]),
    )
    expect((await db.query('select from kassa.sign_in_steps where digest = $1', [counting])).rowCount).toBe(1)
  })
})
