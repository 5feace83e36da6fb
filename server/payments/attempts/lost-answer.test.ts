/** The answer to the opening of an order is lost, and the bank is away for a while: its order can still be paid, and stays the only one. */
import { beforeEach, expect, test } from 'vitest'
import type { LookUpResult } from '../../providers/driver.ts'
import { beginPlannedAttempt, takeAttemptLease } from '../../storage/payments/attempt-orders.ts'
import { withAttempt } from '../../storage/payments/payment.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { type Script, scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { release } from './lease.ts'

const { kassa, shop, getPayment } = await openScene()
let script: Script
let orders = 0
beforeEach(() => {
  script = scriptRoute(kassa.ctx)
})

const create = (key: string) =>
  createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })
const away = (): LookUpResult => ({ kind: 'unavailable', message: 'the bank is away' })
const asPending = (truth: LookUpResult): LookUpResult =>
  truth.kind === 'found' ? { ...truth, snapshot: { ...truth.snapshot, order: 'reached' } } : truth

/** Opens an order whose answer is lost, at a bank that is then away for 90 seconds. Returns the key and the payment's id. */
async function loseAnswer(): Promise<{ key: string; id: string }> {
  const key = `lost-answer-${++orders}`
  script.lookUp = away
  script.starts = [
    (open) => {
      open()
      return { kind: 'unknown', message: 'the answer was lost' }
    },
  ]
  expect((await create(key)).status).toBe(503)
  kassa.clock.advance(90_000)
  const { rows } = await kassa.ctx.db.query(
    'select payment_id from sandbox.idempotency_keys where key = $1',
    [key],
  )
  script.lookUp = asPending
  return { key, id: rows[0].payment_id }
}
async function click(id: string): Promise<string | null> {
  const answer = await fetch(`${kassa.url}/checkout/${id}/continue`, { method: 'POST', redirect: 'manual' })
  await answer.text()
  return answer.headers.get('location')
}
const opened = () => [...script.orders.values()]

test('a retry with the key gets the address of the order that the bank has', async () => {
  const { key, id } = await loseAnswer()
  expect(await getPayment(id)).toMatchObject({ status: 'created', attempt: { state: 'opening' } })
  const retry = await create(key)
  expect([retry.status, retry.body.id, retry.body.providerCheckoutUrl]).toEqual([
    expect.toBeOneOf([200, 201]),
    id,
    expect.stringContaining('https://bank.example/pay/'),
  ])
  expect(opened()).toEqual([1])
})

test('the worker finds the address if nobody retries, and a later retry is a replay with it', async () => {
  const { key, id } = await loseAnswer()
  await SWEEPS.statusSync(kassa.ctx)
  expect(await getPayment(id)).toMatchObject({ status: 'pending_redirect', attempt: { state: 'open' } })
  const retry = await create(key)
  expect([retry.status, retry.body.providerCheckoutUrl]).toEqual([
    200,
    expect.stringContaining('bank.example'),
  ])
  expect(opened()).toEqual([1])
})

test('a click opens it, and clicks at once open one order', async () => {
  const { id } = await loseAnswer()
  const places = await Promise.all([click(id), click(id), click(id)])
  expect(new Set(places)).toEqual(new Set([expect.stringContaining('https://bank.example/pay/')]))
  expect(opened()).toEqual([1])
})

test('an opening is taken over when its lease ends, and not before; a planned one begins once', async () => {
  const { id } = await loseAnswer()
  const now = kassa.ctx.clock.now()
  const end = new Date(now.getTime() + 60_000)
  const { attempt } = await getPayment(id)
  const takeAt = (at: number) => takeAttemptLease(kassa.ctx.db, attempt, { now: new Date(at), until: end })
  expect(await takeAt(now.getTime())).toBe(true)
  expect([await takeAt(end.getTime() - 1), await takeAt(end.getTime())]).toEqual([false, true])
  const again = { ...attempt, leaseUntil: end, questionDueAt: null }
  expect(await beginPlannedAttempt(kassa.ctx.db, attempt, again, now)).toBe(false)
})

test('a process whose lease has ended does not end the lease of the process that opens the order now', async () => {
  const { id } = await loseAnswer()
  const now = kassa.ctx.clock.now()
  const [ended, current] = [new Date(now.getTime() - 1), new Date(now.getTime() + 60_000)]
  const payment = await getPayment(id)
  expect(await takeAttemptLease(kassa.ctx.db, payment.attempt, { now, until: current })).toBe(true)
  await release(kassa.ctx, withAttempt(payment, { leaseUntil: ended }), { isRefused: true })
  expect((await getPayment(id)).attempt).toMatchObject({ state: 'opening', leaseUntil: current })
})

test('while the bank is away again, a retry and a click say so, and the order is found later', async () => {
  const { key, id } = await loseAnswer()
  script.lookUp = away
  await SWEEPS.statusSync(kassa.ctx)
  expect((await create(key)).status).toBe(503)
  expect(await click(id)).toContain(`/checkout/${id}`)
  script.lookUp = asPending
  expect(await click(id)).toContain('https://bank.example/pay/')
  expect((await create(key)).body.providerCheckoutUrl).toContain('https://bank.example/pay/')
  expect(opened()).toEqual([1])
})

test('a click on a payment whose creation is not finished is answered, and opens nothing', async () => {
  const { id } = await loseAnswer()
  script.lookUp = away
  expect(await getPayment(id)).toMatchObject({ status: 'created' })
  expect(await click(id)).toContain(`/checkout/${id}`)
  expect(opened()).toEqual([1])
})
