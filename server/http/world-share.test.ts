/** Requests to the sandbox while the live world of the same service is busy. */
import { expect, test, vi } from 'vitest'
import { createWorldShares } from '../limits/world-share.ts'
import { followSandboxClock } from '../sandbox/clock.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { expectWithin } from '../testing/expect-within.ts'
import type { Shop } from '../testing/harness.ts'
import { openTwoWorlds } from '../testing/scene/live.ts'
import { workThrough } from '../worker/lanes.ts'

const both = await openTwoWorlds({ RATE_LIMITS: 'write=1000:1000' })

/** Does live work again and again until it is disposed. */
async function keepLiveBusy(): Promise<Disposable> {
  const { share } = both.kassa.live
  const work = () => share.run(async () => {})
  await work()
  const timer = setInterval(work, 20)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Requests of other callers, so that the next one waits for some seconds. */
function fillQueue(): void {
  const { share } = both.kassa.ctx
  for (let count = 0; count < 10; count++) void share.enter(`filler ${count}`, () => false)
}
const countWaiting = async () => both.kassa.ctx.share.countWaiting()
const create = (key: string) =>
  createSession(both.kassa.url, both.sandboxShop, { key, body: sessionRequest({ merchantOrderId: key }) })

test('beyond the queue a request gets 429 with Retry-After, and the same key works later', async () => {
  const keys = Array.from({ length: 60 }, (_, index) => `crowd-${index}`)
  const busy = await keepLiveBusy()
  fillQueue()
  const created = keys.map(async (key) => ({ key, ...(await create(key)) }))
  // The refused requests are the first that get a response.
  await Promise.race(created)
  busy[Symbol.dispose]()
  const answers = await Promise.all(created)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(answers.filter(({ status }) => ![201, 429].includes(status))).toEqual([])
  for (const { headers, body } of refused)
    expect([headers.get('retry-after'), body.error]).toMatchObject([
      '3',
      { code: 'rate_limited', retryable: true, message: 'The sandbox is busy: too many requests wait.' },
    ])
  const again = await create(refused[0]?.key ?? '')
  expect([again.status, again.headers.get('x-idempotent-replay')]).toEqual([201, null])
})

test('a live request does not wait while the queue of the sandbox is full', async () => {
  using busy = await keepLiveBusy()
  fillQueue()
  const waiting = create('behind')
  await expectWithin(5_000, async () => (await countWaiting()) > 0, true)
  const { status } = await createSession(both.kassa.url, both.liveShop, { key: 'live-first' })
  expect([status, (await countWaiting()) > 0]).toEqual([201, true])
  busy[Symbol.dispose]()
  expect((await waiting).status).toBe(201)
})

test('pages of the sandbox wait in the queue too, and pages of the live world do not', async () => {
  using _busy = await keepLiveBusy()
  for (let count = 0; count < 40; count++) void both.kassa.ctx.share.enter('page', () => false)
  const visit = async ({ publicKey }: Shop) => {
    const { status, headers } = await fetch(`${both.kassa.url}/install/${publicKey}`, {
      headers: { 'x-forwarded-proto': 'https' },
    })
    return [status, headers.get('retry-after')]
  }
  expect([await visit(both.liveShop), await visit(both.sandboxShop)]).toEqual([
    [200, null],
    [429, '3'],
  ])
})

test('a request whose client has gone while it waited is not carried out', async () => {
  const busy = await keepLiveBusy()
  fillQueue()
  const before = await countWaiting()
  const client = new AbortController()
  const request = fetch(`${both.kassa.url}/v1/payment-sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${both.sandboxShop.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(sessionRequest({ merchantOrderId: 'gone' })),
    signal: client.signal,
  }).catch(() => 'gone')
  // On a machine too slow for this, the client goes before its request has waited.
  // Real time: too slow a machine tries less, and fails nothing.
  await vi.waitUntil(async () => (await countWaiting()) > before, { timeout: 400 }).catch(() => {})
  client.abort()
  expect(await request).toBe('gone')
  busy[Symbol.dispose]()
  await expectWithin(10_000, countWaiting, 0)
  await create('after')
  const { rows } = await both.kassa.ctx.db.query(
    "select merchant_order_id from sandbox.payments where merchant_order_id in ('gone', 'after')",
  )
  expect(rows).toEqual([{ merchant_order_id: 'after' }])
})

test('a worker of the sandbox claims one row at a time, and claims nothing more once it stops', async () => {
  using busy = await keepLiveBusy()
  const stopping = new AbortController()
  const limits: number[] = []
  const claim = async (limit: number) => {
    limits.push(limit)
    return [{ merchantId: both.sandboxShop.merchantId }]
  }
  let underWay = 0
  let most = 0
  let worked = 0
  const work = async () => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay--
    if (++worked === 3) stopping.abort()
  }
  expect(await workThrough(both.kassa.ctx, claim, work, { stop: stopping.signal })).toBe(3)
  expect([limits, most]).toEqual([[1, 1, 1], 1])
  busy[Symbol.dispose]()
})

test('the processes of a deployment tell each other that the live world is busy', async () => {
  const { ctx } = both.kassa
  const [serving, moving] = [createWorldShares(), createWorldShares()]
  const following = await Promise.all(
    [serving, moving].map((each) => followSandboxClock(ctx.db, ctx.log, each)),
  )
  expect(moving.sandbox.isScarce()).toBe(false)
  await serving.live.run(async () => {})
  await expectWithin(2_000, async () => moving.sandbox.isScarce(), true)
  expect(moving.isLiveBusy()).toBe(false)
  await expectWithin(6_000, async () => moving.sandbox.isScarce(), false)
  for (const { stop } of following) stop()
})
