/** A provider refuses for good to open an order: the payment waits, and its key later leads to another attempt of it. */
import { beforeEach, expect, test } from 'vitest'
import type { Refusal } from '../../providers/driver/refusal.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { listPayments } from '../../storage/search/list.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { type Script, scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { claimKey, type KeyClaim, type Plan } from '../idempotency.ts'

const DAY_MS = 24 * 3_600_000

const { kassa, shop } = await openScene()
let script: Script
let keys = 0
beforeEach(() => {
  script = scriptRoute(kassa.ctx)
})

const create = (key: string, change: object = {}) =>
  createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key, ...change }) })
const paymentsOf = (key: string) =>
  listPayments(kassa.ctx.db, { merchantId: shop.merchantId, merchantOrderId: key, limit: 10 })
const states = async (payment: AttemptedPayment | undefined) =>
  payment && (await listAttempts(kassa.ctx.db, payment)).map(({ state }) => state)
const opened = () => [...script.orders.values()]

/** Creates a payment whose order the provider refuses. Returns its key. */
async function refuse(refusal: Refusal): Promise<string> {
  const key = `refused-${++keys}`
  script.starts = [() => ({ kind: 'refused', refusal, message: 'no' })]
  expect((await create(key)).status).toBe(refusal === 'amount' ? 422 : 503)
  return key
}

test.each(['credentials', 'rights', 'account', 'amount', 'request'] as const)(
  'after a refusal because of %s the payment stays created, and the same key opens another order of it',
  async (refusal) => {
    const key = await refuse(refusal)
    const [payment] = await paymentsOf(key)
    expect([payment?.status, await states(payment)]).toEqual(['created', ['refused']])
    const again = await create(key)
    expect([again.status, again.body.id, again.body.status]).toEqual([201, payment?.id, 'pending_redirect'])
    expect(await states(payment)).toEqual(['refused', 'open'])
    expect((await create(key)).body.providerCheckoutUrl).toBe(again.body.providerCheckoutUrl)
    expect(opened()).toEqual([1])
  },
)

test('retries at once after a refusal open one order', async () => {
  const key = await refuse('credentials')
  const answers = await Promise.all(Array.from({ length: 6 }, () => create(key)))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(opened()).toEqual([1])
})

test('a refused order is not asked about, and expires without the provider', async () => {
  const key = await refuse('credentials')
  const [payment] = await paymentsOf(key)
  kassa.clock.advance(DAY_MS)
  await SWEEPS.statusSync(kassa.ctx)
  expect((await paymentsOf(key)).map(({ status }) => status)).toEqual(['expired'])
  expect(script.calls).not.toContain(`look-up ${payment?.attempt.reference}`)
})

test('once it has expired without an order, its key makes a new payment', async () => {
  const key = await refuse('credentials')
  kassa.clock.advance(DAY_MS)
  await SWEEPS.statusSync(kassa.ctx)
  expect((await create(key)).status).toBe(201)
  expect((await paymentsOf(key)).map(({ status }) => status)).toEqual(['pending_redirect', 'expired'])
})

test('the caller may mend the request that was refused, and send it with the same key', async () => {
  const key = await refuse('amount')
  const mended = await create(key, { amountMinor: 2_000 })
  expect([mended.status, mended.body.amountMinor]).toEqual([201, 2_000])
  expect((await paymentsOf(key)).map(({ status }) => status)).toEqual(['pending_redirect', 'failed'])
  // From now on there is an order, so the key belongs to this content.
  expect((await create(key)).body.error.code).toBe('idempotency_key_reused')
  expect(opened()).toEqual([1])
})

test('two different requests at once after a refusal leave one payable order', async () => {
  const key = await refuse('amount')
  const answers = await Promise.all([create(key), create(key, { amountMinor: 2_000 })])
  const payable = (await paymentsOf(key)).filter(({ status }) => status === 'pending_redirect')
  expect([payable.length, opened()]).toEqual([1, [1]])
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
})

test('the key belongs to its content if one of the orders was not refused', async () => {
  const key = await refuse('amount')
  script.starts = [() => ({ kind: 'refused', refusal: 'amount', message: 'no' })]
  expect((await create(key)).status).toBe(422)
  const [payment] = await paymentsOf(key)
  expect([payment?.status, await states(payment)]).toEqual(['created', ['refused', 'refused']])
  await kassa.ctx.db.query(
    "update sandbox.attempts set state = 'declined' where payment_id = $1 and number = 1",
    [payment?.id],
  )
  expect((await create(key, { amountMinor: 2_000 })).body.error.code).toBe('idempotency_key_reused')
  expect(await paymentsOf(key)).toHaveLength(1)
})

test('a key makes no new payment if its payment gets an order in the same moment', async () => {
  const key = await refuse('amount')
  const [payment] = await paymentsOf(key)
  if (!payment) throw new Error('there is no payment')
  const { rows } = await kassa.ctx.db.query<Pick<KeyClaim, 'merchantId' | 'scope' | 'key'>>(
    'select merchant_id as "merchantId", scope, key from sandbox.idempotency_keys where payment_id = $1',
    [payment.id],
  )
  const [address] = rows
  if (!address) throw new Error('there is no key')
  // The second use of the key is planned after it was seen that the key is free.
  const plan: Plan = async (use) => {
    if (use > 1)
      await kassa.ctx.db.query("update sandbox.attempts set state = 'open' where payment_id = $1", [
        payment.id,
      ])
    return payment
  }
  const claim: KeyClaim = { ...address, fingerprint: 'other', isReleased: () => false }
  await expect(claimKey(kassa.ctx, claim, plan)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  expect(await paymentsOf(key)).toHaveLength(1)
})
