/** What a worker reads to find the next questions does not grow with the payments that are asked about later. */
import { beforeAll, expect, test } from 'vitest'
import { openKassa } from '../../testing/scene.ts'
import { connect, type Queryable } from '../db.ts'
import { measureOpenWork } from '../open-work.ts'
import { claimDueAttempts, claimDueSettledAttempts } from './attempts.ts'
import { DUE_QUESTIONS, DUE_SETTLED_QUESTIONS } from './due-accounts.ts'

const LATER = 40_000
const DUE = 200

let accountId: string
const kassa = await openKassa()
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
