/**
 * A request that prefers to wait gets the result of its operation. Waiting holds nothing, has limits, and ends with the process.
 */
import { expect, test } from 'vitest'
import { preferredWait } from '../../http/prefer.ts'
import { call, createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { countWaits, endWaits, WAITERS_MAX } from './look-up.ts'

// Two connections: a waiter that held one would stop everybody else.
const start = () => startKassa({ settings: { POOL_MAX: '2', RATE_LIMITS: 'off' } })
const kassa = closeAfter(await start())
const shop = await openShop(kassa.ctx)

let orders = 0
async function pay(
  status: 'paid' | 'authorized' = 'paid',
  { on = kassa, whose = shop } = {},
): Promise<{ id: string; ledger: Ledger }> {
  const ledger = openLedger(on.ctx, { status })
  const key = `waits-${++orders}`
  const body = sessionRequest({ merchantOrderId: key })
  const { body: session } = await createSession(on.url, whose, { key, body })
  await lookUp(on.url, whose, session.id)
  return { id: session.id, ledger }
}
type Request = {
  what?: string
  key?: string
  prefer?: string
  body?: object
  whose?: Shop
  on?: Kassa
}
async function ask(id: string, request: Request = {}) {
  const { what = 'refunds', key = `key-${++orders}`, prefer = 'wait=10', whose = shop, on = kassa } = request
  const { body = what === 'refunds' ? { amountMinor: 500, reason: 'r' } : { reason: 'r' } } = request
  const headers = { authorization: `Bearer ${whose.token}`, 'idempotency-key': key, prefer }
  const answer = await call(`${on.url}/v1/payments/${id}/${what}`, { headers, body })
  const applied = answer.headers.get('preference-applied')
  return { status: answer.status, applied, body: answer.body }
}
const waiting = (count: number, { ctx } = kassa) => expect.poll(() => countWaits(ctx)).toBe(count)
const work = () => SWEEPS.moneyOperations(kassa.ctx)

test.each([
  ['refunds', 'paid', 'succeeded', 'partially_refunded'],
  ['capture', 'authorized', 'succeeded', 'paid'],
  ['void', 'authorized', 'succeeded', 'reversed'],
] as const)(
  '%s waits for its result, and shows the payment after it',
  async (what, status, result, after) => {
    const { id } = await pay(status)
    const request = ask(id, { what })
    await waiting(1)
    await work()
    expect(await request).toMatchObject({
      status: 201,
      applied: 'wait=10',
      body: { created: true, operation: { status: result }, payment: { status: after } },
    })
  },
)

test('a refund that fails or goes to a person ends the wait too', async () => {
  const failing = await pay()
  failing.ledger.bends = ['refuse']
  const failed = ask(failing.id)
  await waiting(1)
  await work()
  expect((await failed).body.operation.status).toBe('failed')
  const doubtful = await pay()
  doubtful.ledger.bends = ['wrong']
  const reviewed = ask(doubtful.id)
  await waiting(1)
  await work()
  expect((await reviewed).body.operation.status).toBe('requires_operator_review')
})

test('without the header, with one that is ignored and with wait=0 the response comes at once', async () => {
  const { id } = await pay()
  for (const [prefer, applied] of [
    ['', null],
    ['respond-async', null],
    ['wait=11', null],
    ['wait=-1', null],
    ['wait=1.5', null],
    ['wait', null],
    ['wait=x', null],
    ['wait=0', 'wait=0'],
  ] as const) {
    const answer = await ask(id, { prefer, body: { amountMinor: 1, reason: 'r' } })
    expect([prefer, answer.applied, answer.body.operation.status]).toEqual([prefer, applied, 'queued'])
  }
})

test('the header is read as its standard says', () => {
  for (const [header, seconds] of [
    ['wait=3', 3],
    ['Wait = 3', 3],
    ['wait="3"', 3],
    ['respond-async, wait=3; foo=bar', 3],
    ['wait=3, wait=5', 3],
    ['wait=99, wait=5', null],
    ['waiting=3', null],
    ['', null],
    [undefined, null],
  ] as const)
    expect([header, preferredWait(header)]).toEqual([header, seconds])
})

test('a wait that is over before the result shows the state as it is then', async () => {
  const { id } = await pay()
  const answer = await ask(id, { prefer: 'wait=1' })
  expect([answer.applied, answer.body.operation.status]).toEqual(['wait=1', 'queued'])
})

test('a replay waits too, and an ended operation has nothing to wait for', async () => {
  const { id } = await pay()
  await ask(id, { key: 'replayed', prefer: '' })
  const replay = ask(id, { key: 'replayed' })
  await waiting(1)
  await work()
  expect(await replay).toMatchObject({ status: 200, body: { operation: { status: 'succeeded' } } })
  expect(await ask(id, { key: 'replayed' })).toMatchObject({ status: 200, applied: 'wait=10' })
})

test('what another process has done is seen as well', async () => {
  const { id } = await pay()
  const request = ask(id)
  await waiting(1)
  // Only the database shows this.
  await work()
  expect((await request).body.operation.status).toBe('succeeded')
})

test('waiters hold no connection, are bounded for each merchant, and the next are answered at once', async () => {
  const { id } = await pay()
  const part = { amountMinor: 1, reason: 'r' }
  const request = Array.from({ length: WAITERS_MAX }, () => ask(id, { body: part }))
  await waiting(WAITERS_MAX)
  const over = await ask(id, { body: part })
  expect([over.applied, over.body.operation.status]).toEqual([null, 'queued'])
  // Others are served meanwhile, and another merchant waits as well.
  expect((await lookUp(kassa.url, shop, id)).status).toBe(200)
  const other = await openShop(kassa.ctx)
  const key = `waits-${++orders}`
  const theirs = await createSession(kassa.url, other, {
    key,
    body: sessionRequest({ merchantOrderId: key }),
  })
  await lookUp(kassa.url, other, theirs.body.id)
  const beside = ask(theirs.body.id, { whose: other })
  await waiting(WAITERS_MAX + 1)
  // Each ends by its result, or by its own time.
  await work()
  for (const each of await Promise.all([...request, beside]))
    expect([each.status, each.applied]).toEqual([201, 'wait=10'])
  await waiting(0)
})

test('a client that has gone is not waited for', async () => {
  const { id } = await pay()
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${shop.token}`, 'idempotency-key': 'gone', prefer: 'wait=10' }
  const body = JSON.stringify({ amountMinor: 500, reason: 'r' })
  const gone = fetch(`${kassa.url}/v1/payments/${id}/refunds`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    signal: leaving.signal,
  }).catch(() => null)
  await waiting(1)
  leaving.abort()
  await gone
  await waiting(0)
})

test('the end of the process ends all waits, and nobody waits afterwards', async () => {
  const on = await start()
  const whose = await openShop(on.ctx)
  const { id } = await pay('paid', { on, whose })
  const request = ask(id, { on, whose })
  await waiting(1, on)
  endWaits(on.ctx)
  expect(await request).toMatchObject({
    status: 201,
    applied: null,
    body: { operation: { status: 'queued' } },
  })
  const after = await ask(id, { on, whose, body: { amountMinor: 1, reason: 'r' } })
  expect(after.applied).toBeNull()
  await on.close()
})
