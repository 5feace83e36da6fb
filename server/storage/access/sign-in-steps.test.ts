/** However many sign-ins begin, their rows stay few, and nobody's rows push out those of somebody else. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { addUser } from '../../access/users.ts'
import { openKassa } from '../../testing/scene.ts'
import { inTransaction } from '../db.ts'
import { claimStep, insertStep } from './sessions.ts'

const kassa = await openKassa()

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
