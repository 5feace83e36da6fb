/**
 * A refund that says how much was refunded before. A shop that has lost an answer, and its key with it, can ask again under a new key
 * without returning the money twice.
 */
import { expect, test } from 'vitest'
import { findPayment } from '../../storage/payments/payments.ts'
import { call, lookUp } from '../../testing/calls.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askAboutPayment } from '../attempts/question.ts'

const { kassa, shop, pay } = await openScene()

let orders = 0
async function payAtLedger(): Promise<{ id: string; ledger: Ledger; reference: string }> {
  const ledger = openLedger(kassa.ctx)
  const { id, attempt } = await pay()
  return { id, ledger, reference: attempt.reference }
}
async function refund(
  id: string,
  expected: string | null,
  { amountMinor = 500, key = `key-${++orders}` } = {},
) {
  const headers = {
    authorization: `Bearer ${shop.token}`,
    'idempotency-key': key,
    ...(expected !== null && { 'kassa-if-refunded-minor': expected }),
  }
  const body = { amountMinor, reason: 'r' }
  const answer = await call(`${kassa.url}/v1/payments/${id}/refunds`, { headers, body })
  return {
    status: answer.status,
    error: answer.body.error,
    operation: answer.body.operation,
    errors: answer.body.errors,
  }
}
const work = () => SWEEPS.moneyOperations(kassa.ctx)

test('is made if the sum is right, and refused with both sums otherwise', async () => {
  const { id } = await payAtLedger()
  expect((await refund(id, '0')).status).toBe(201)
  // Queued refunds count.
  expect(await refund(id, '0')).toMatchObject({
    status: 409,
    error: { code: 'payment_not_eligible', refundedMinor: 0, pendingRefundMinor: 500 },
  })
  await work()
  expect(await refund(id, '0')).toMatchObject({
    status: 409,
    error: { refundedMinor: 500, pendingRefundMinor: 0 },
  })
  expect((await refund(id, '500')).status).toBe(201)
})

test('a retry under a new key returns nothing twice, however often and at once it comes', async () => {
  const { id, ledger } = await payAtLedger()
  ledger.bends = ['lose']
  const all = await Promise.all(Array.from({ length: 8 }, () => refund(id, '0')))
  expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
  for (let runs = 0; runs < 3; runs++) {
    await work()
    kassa.clock.advance(10 * 60_000)
  }
  expect((await lookUp(kassa.url, shop, id)).body.refundedMinor).toBe(500)
  expect(ledger.writes).toHaveLength(1)
})

test('a refund that waits for a person counts, and one that has failed does not', async () => {
  const { id, ledger } = await payAtLedger()
  ledger.bends = ['refuse', 'wrong']
  await refund(id, '0')
  await work()
  expect((await refund(id, '0')).status).toBe(201)
  await work()
  expect(await refund(id, '0')).toMatchObject({ status: 409, error: { pendingRefundMinor: 500 } })
})

test('what the bank’s own staff has returned counts', async () => {
  const { id, ledger, reference } = await payAtLedger()
  ledger.move(reference, { refundedMinor: 300 })
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  if (payment) await askAboutPayment(kassa.ctx, payment)
  expect(await refund(id, '0')).toMatchObject({ status: 409, error: { refundedMinor: 300 } })
  expect((await refund(id, '300')).status).toBe(201)
})

test('a known key is replayed whatever the header says, and the header is no part of the request', async () => {
  const { id } = await payAtLedger()
  const first = await refund(id, '0', { key: 'same' })
  for (const expected of ['0', '77', null]) {
    const again = await refund(id, expected, { key: 'same' })
    expect([again.status, again.operation.id]).toEqual([200, first.operation.id])
  }
})

test('a refusal leaves the key usable', async () => {
  const { id } = await payAtLedger()
  expect((await refund(id, '77', { key: 'usable' })).status).toBe(409)
  expect((await refund(id, '0', { key: 'usable' })).status).toBe(201)
})

test.each(['', '-1', '1.5', '01', '1e3', ' ', '1000000000001', 'x', '0, 0'])(
  '%j is not accepted',
  async (expected) => {
    const { id } = await payAtLedger()
    expect(await refund(id, expected)).toMatchObject({
      status: 422,
      errors: { 'Kassa-If-Refunded-Minor': expect.stringContaining('from 0 to 1000000000000') },
    })
  },
)
