/** Limits that processes share in the database, and what holds without it. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  addToBuckets,
  deleteFullBuckets,
  readBuckets,
  takeFromBucket,
} from '../storage/access/shared-buckets.ts'
import { countStatements } from '../testing/attacks/cost-meter.ts'
import { createSession } from '../testing/calls.ts'
import { freePort, openShop } from '../testing/harness.ts'
import { untilLockIsWaitedFor } from '../testing/lock-waits.ts'
import { openKassa } from '../testing/scene.ts'
import { serveHere } from '../testing/serve-here.ts'
import type { BucketStore } from './exchange.ts'
import { createSharedBuckets } from './shared-buckets.ts'

const kassa = await openKassa()

const SLOW = { perSecond: 1e-4, burst: 5 }
const failures: unknown[] = []
const { db } = kassa.ctx
const store: BucketStore = {
  take: (...given) => takeFromBucket(db, ...given),
  add: (rows) => addToBuckets(db, rows),
  read: (digests) => readBuckets(db, digests),
}
let scopes = 0
/** Makes any number of processes, with buckets that no other test uses. */
function open(count: number, from: BucketStore = store) {
  const scope = `test${++scopes} `
  return Array.from({ length: count }, () =>
    createSharedBuckets(from, { scope, onFailure: (error) => failures.push(error) }),
  )
}
type Opened = ReturnType<typeof open>
async function passing(processes: Opened, key: string, count: number): Promise<number> {
  let passed = 0
  for (let index = 0; index < count; index++) {
    const taken = await processes[index % processes.length]?.take(key, SLOW)
    if (taken?.waitMs === 0) passed++
  }
  return passed
}
const rowsLeft = async () =>
  Number((await kassa.ctx.db.query('select count(*) from kassa.shared_buckets')).rows[0].count)

describe('a limit that is counted first', () => {
  test('lets through what one process would, one after the other and at once', async () => {
    const three = open(3)
    expect(await passing(three, 'sign_in 192.0.2.1', 30)).toBe(5)
    const at = (index: number) => three[index % 3]?.take('sign_in 192.0.2.2', SLOW)
    const all = await Promise.all(Array.from({ length: 30 }, (_, index) => at(index)))
    expect(all.filter((taken) => taken?.waitMs === 0)).toHaveLength(5)
    // Another caller, and the other world, have buckets of their own.
    expect(await passing(three, 'sign_in 192.0.2.3', 5)).toBe(5)
    expect(await passing(open(1), 'sign_in 192.0.2.1', 30)).toBe(5)
  })

  test('counts what others take while a caller waits for the first row of a bucket', async () => {
    const [own] = open(1)
    const first = await db.connect()
    await first.query('begin')
    const emptied = createHash('sha256').update(`test${scopes} sign_in first`).digest()
    await first.query(`insert into kassa.shared_buckets values ($1, now() + interval '1 day')`, [emptied])
    const waiting = own?.take('sign_in first', SLOW)
    await untilLockIsWaitedFor(db)
    await first.query('commit')
    first.release()
    expect((await waiting)?.waitMs).toBeGreaterThan(0)
  })

  test('gives back a permit in its time, in every process', async () => {
    const [one, other] = open(2)
    const quick = { perSecond: 20, burst: 1 }
    expect(await one?.take('sign_in a', quick)).toMatchObject({ waitMs: 0, remaining: 0 })
    expect((await other?.take('sign_in a', quick))?.waitMs).toBeGreaterThan(0)
    await expect.poll(async () => (await other?.take('sign_in a', quick))?.waitMs).toBe(0)
  })

  test('asks the database no more once it is used up', async () => {
    const [one] = open(1)
    await passing(open(0).concat(one ?? []), 'sign_in x', 6)
    const statements = countStatements()
    try {
      expect(
        await passing(
          [one].filter((each) => each !== undefined),
          'sign_in x',
          50,
        ),
      ).toBe(0)
      expect(statements.take()).toEqual([])
    } finally {
      statements.stop()
    }
  })
})

describe('a limit of which processes tell each other', () => {
  test('holds in the others after one exchange, with one row for many tries', async () => {
    const [one, two] = open(2)
    expect(
      await passing(
        [one].flatMap((each) => each ?? []),
        'failed_token 192.0.2.1',
        5,
      ),
    ).toBe(5)
    const before = await rowsLeft()
    const statements = countStatements()
    await one?.exchange()
    expect([statements.take(), (await rowsLeft()) - before]).toEqual([['sandbox.add_to_shared_buckets'], 1])
    statements.stop()
    // A process that only reads the bucket learns of this at the next exchange.
    expect(await two?.take('failed_token 192.0.2.1', SLOW, 0)).toMatchObject({ remaining: 5 })
    await two?.exchange()
    expect(await two?.take('failed_token 192.0.2.1', SLOW, 0)).toMatchObject({ remaining: 0 })
    expect((await two?.take('failed_token 192.0.2.1', SLOW))?.waitMs).toBeGreaterThan(0)
  })

  test('what both gave out in the same second is never counted as more than the bucket has', async () => {
    const both = open(2)
    expect(await passing(both, 'declines_shop mer_1', 30)).toBe(10)
    for (const each of [...both, ...both]) await each.exchange()
    const taken = await both[0]?.take('declines_shop mer_1', SLOW)
    expect(taken?.waitMs).toBeGreaterThan(0)
    expect(taken?.waitMs).toBeLessThanOrEqual(1_000 / SLOW.perSecond)
  })

  test('exchanges by itself', async () => {
    const [one, two] = open(2)
    await passing(
      [one].flatMap((each) => each ?? []),
      'failed_token y',
      5,
    )
    await two?.take('failed_token y', SLOW)
    await expect.poll(async () => (await two?.take('failed_token y', SLOW, 0))?.remaining).toBe(0)
    for (const each of [one, two]) each?.close()
  })
})

test('any other limit is the process’s own, and sends no statement', async () => {
  const three = open(3)
  const statements = countStatements()
  expect(await passing(three, 'write tok_1', 30)).toBe(15)
  for (const each of three) await each.exchange()
  expect(statements.take()).toEqual([])
  statements.stop()
})

test('while the database is away each process counts for itself, and tells what it has counted afterwards', async () => {
  let isAway = true
  const away = new Error('the database is away')
  const unless =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    (...args: Args) =>
      isAway ? Promise.reject(away) : work(...args)
  const [one, two] = open(2, { take: unless(store.take), add: unless(store.add), read: unless(store.read) })
  const only = [one].flatMap((each) => each ?? [])
  failures.length = 0
  expect(await passing(only, 'sign_in z', 30)).toBe(5)
  expect(await passing(only, 'failed_token z', 30)).toBe(5)
  await one?.exchange()
  expect(new Set(failures)).toEqual(new Set([away]))
  isAway = false
  await one?.exchange()
  await two?.take('failed_token z', SLOW, 0)
  await two?.exchange()
  expect(await two?.take('failed_token z', SLOW, 0)).toMatchObject({ remaining: 0 })
})

test('rows of full buckets are deleted, and above the bound those that would be full soonest', async () => {
  await kassa.ctx.db.query('delete from kassa.shared_buckets')
  const insert = (name: string, seconds: number) =>
    kassa.ctx.db.query(
      `insert into kassa.shared_buckets values (sha256($1), now() + $2 * interval '1 second')`,
      [name, seconds],
    )
  for (let each = 0; each < 4; each++) await insert(`full ${each}`, -1 - each)
  for (let each = 0; each < 4; each++) await insert(`taken ${each}`, 1_000 + each)
  expect([await deleteFullBuckets(kassa.ctx.db, 3), await deleteFullBuckets(kassa.ctx.db, 3)]).toEqual([3, 1])
  expect([await deleteFullBuckets(kassa.ctx.db, 10), await rowsLeft()]).toEqual([0, 4])
  expect([await deleteFullBuckets(kassa.ctx.db, 10, 3), await rowsLeft()]).toEqual([1, 3])
  const { rows } = await kassa.ctx.db.query(
    `select 1 from kassa.shared_buckets where digest = sha256('taken 0')`,
  )
  expect(rows).toEqual([])
})

test('three services share sign-ins and wrong tokens, and allow writes three times', {
  tags: ['long'],
}, async () => {
  const settings = {
    DATABASE_URL: kassa.databaseUrl,
    PROCESS: 'web',
    RATE_LIMITS: 'write=0.0001:5,failed_token=0.0001:6,sign_in=0.0001:7',
  }
  const start = async () => {
    const CONSOLE_PORT = String(await freePort())
    return {
      ...(await serveHere({ ...settings, CONSOLE_PORT })),
      console: `http://localhost:${CONSOLE_PORT}`,
    }
  }
  const three = await Promise.all([start(), start(), start()])
  const each = async (
    count: number,
    call: (service: (typeof three)[number], at: number) => Promise<number>,
  ) => {
    const statuses: number[] = []
    for (let at = 0; at < count; at++) statuses.push(await call(three[at % 3] as (typeof three)[number], at))
    return statuses.filter((status) => status !== 429).length
  }
  try {
    const shop = await openShop(kassa.ctx)
    expect(await each(30, async ({ url }) => (await createSession(url, shop, { key: 'same' })).status)).toBe(
      15,
    )
    const signIn = async (origin: string, at: number) => {
      const body = new URLSearchParams({ email: `x${at}@shop.example`, password: 'x' })
      return (await fetch(`${origin}/sign-in`, { method: 'POST', body, headers: { origin } })).status
    }
    expect(await each(21, ({ console }, at) => signIn(console, at))).toBe(7)
    const guess = async (url: string) =>
      (await fetch(`${url}/v1/payments`, { headers: { authorization: 'Bearer x' } })).status
    const [first, second] = three
    for (let at = 0; at < 6; at++) expect(await guess(first?.url ?? '')).toBe(401)
    expect(await guess(second?.url ?? '')).toBe(401)
    await expect.poll(() => guess(second?.url ?? ''), { interval: 1_500 }).toBe(429)
  } finally {
    await Promise.all(three.map(({ stop }) => stop()))
  }
})
