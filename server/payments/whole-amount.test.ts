/** A payment counts as paid or authorized only if the provider took or holds the whole amount. */
import { beforeEach, expect, test } from 'vitest'
import type { Snapshot } from '../providers/driver.ts'
import { listEntries } from '../storage/payments/entries.ts'
import { listPaymentOperations } from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import { askOperation } from '../testing/calls.ts'
import { placePayment } from '../testing/payments/placed-payment.ts'
import { type Ledger, openLedger } from '../testing/providers/ledger-bank.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { resolvePayment } from './decisions/payment.ts'

const { kassa, shop, getPayment, listWarnings, callBack } = await openScene()
const { ctx } = kassa
let ledger: Ledger
let orders = 0
beforeEach(() => {
  ledger = openLedger(ctx, { status: 'pending_payment' })
})

/** A payment of 19.00 USD in this status, whose provider then calls back with `report`. Returns its id. */
async function hear(report: Partial<Snapshot>, status: AttemptedPayment['status'] = 'pending_payment') {
  const { id } = await placePayment(kassa, shop, { status, order: `whole-${++orders}` })
  await callBack(ledger, id, report)
  return id
}

test.each([
  [
    'took 1 of 1900',
    { order: 'completed', authorizedMinor: 1900, capturedMinor: 1 },
    '1 of 1900',
    [1900, 1, 0],
  ],
  [
    'took 1899 of 1900',
    { order: 'completed', authorizedMinor: 1899, capturedMinor: 1899 },
    '1899 of 1900',
    [1899, 1899, 0],
  ],
  ['holds 700 of 1900', { order: 'completed', authorizedMinor: 700 }, '700 of 1900', [700, 0, 0]],
  [
    'took 700 and gave 100 back',
    { order: 'completed', authorizedMinor: 700, capturedMinor: 700, refundedMinor: 100 },
    '700 of 1900',
    [700, 700, 100],
  ],
  [
    'took 1901',
    { order: 'completed', authorizedMinor: 1901, capturedMinor: 1901 },
    'do not add up',
    [0, 0, 0],
  ],
  ['holds 1901', { order: 'completed', authorizedMinor: 1901 }, 'do not add up', [0, 0, 0]],
] as const)(
  'a provider that %s makes the payment status_unknown, with a warning for an operator',
  async (_, report, why, [authorizedMinor, capturedMinor, refundedMinor]) => {
    const id = await hear(report)
    expect(await getPayment(id)).toMatchObject({
      status: 'status_unknown',
      authorizedMinor,
      capturedMinor,
      refundedMinor,
    })
    expect((await listPaymentChanges(ctx.db, shop.merchantId, id)).at(-1)?.detail).toContain(why)
    expect(await listWarnings(id)).toEqual([expect.stringContaining(why)])
  },
)

test('the rest of the money makes the payment paid', async () => {
  const id = await hear({ order: 'completed', authorizedMinor: 700, capturedMinor: 700 })
  await callBack(ledger, id, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
  expect(await getPayment(id)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
})

test('a hold of which the provider took only a part, without a capture of ours, is status_unknown', async () => {
  const id = await hear({ order: 'completed', authorizedMinor: 1900, capturedMinor: 700 }, 'authorized')
  expect((await getPayment(id)).status).toBe('status_unknown')
  expect(await listWarnings(id)).toEqual([expect.stringContaining('700 of 1900')])
})

test('a part of late money leaves the payment as it ended, with a warning', async () => {
  const id = await hear({ order: 'completed', authorizedMinor: 700, capturedMinor: 700 }, 'expired')
  expect(await getPayment(id)).toMatchObject({ status: 'expired', capturedMinor: 0 })
  expect(await listWarnings(id)).toEqual([expect.stringContaining('700 of 1900')])
})

test('a callback that overtakes our capture of a part makes the payment paid, and so does a refund or a dispute later', async () => {
  const id = await hear({ order: 'completed', authorizedMinor: 1900 })
  expect((await getPayment(id)).status).toBe('authorized')
  await askOperation(kassa.url, shop, id, 'capture', { key: 'part', body: { amountMinor: 700 } })
  ledger.bends = ['lose']
  ledger.duringLookUp = async () => {
    if ((await getPayment(id)).status !== 'authorized' || ledger.writes.length === 0) return
    ledger.duringLookUp = async () => {}
    await callBack(ledger, id, {})
    expect(await getPayment(id)).toMatchObject({ status: 'paid', capturedMinor: 700 })
  }
  await SWEEPS.moneyOperations(ctx)
  expect(await getPayment(id)).toMatchObject({ status: 'paid', capturedMinor: 700 })
  await callBack(ledger, id, { order: 'completed', refundedMinor: 200 })
  expect(await getPayment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 200 })
  await callBack(ledger, id, { dispute: { amountMinor: 700 } })
  expect((await getPayment(id)).status).toBe('disputed')
  expect(await listWarnings(id)).toEqual([])
})

test('a part that was taken although our capture of it has failed is not paid', async () => {
  const id = await hear({ order: 'completed', authorizedMinor: 1900 })
  await askOperation(kassa.url, shop, id, 'capture', { key: 'refused', body: { amountMinor: 700 } })
  ledger.bends = ['refuse']
  await SWEEPS.moneyOperations(ctx)
  const [operation] = await listPaymentOperations(ctx.db, shop.merchantId, id)
  expect(operation).toMatchObject({ status: 'failed', sentAt: expect.any(Date) })
  await callBack(ledger, id, { order: 'completed', authorizedMinor: 1900, capturedMinor: 700 })
  expect((await getPayment(id)).status).toBe('status_unknown')
  expect(await listWarnings(id)).toEqual([expect.stringContaining('700 of 1900')])
})

test('a capture that took another amount than ours is not paid', async () => {
  const id = await hear({ order: 'completed', authorizedMinor: 1900 })
  await askOperation(kassa.url, shop, id, 'capture', { key: 'other', body: { amountMinor: 700 } })
  ledger.bends = ['wrong']
  await SWEEPS.moneyOperations(ctx)
  await callBack(ledger, id, {})
  expect((await getPayment(id)).status).toBe('status_unknown')
  expect(await listWarnings(id)).toEqual([expect.stringContaining('699 of 1900')])
})

test('an operator who decides that an underpaid payment is paid reads what the provider took, and accepts that very sum', async () => {
  const id = await hear({ order: 'completed', authorizedMinor: 700, capturedMinor: 700 })
  const decide = (accepts?: number) =>
    resolvePayment(ctx, id, 'paid', { actor: 'ann', why: null, ...(accepts && { accepts }) })
  for (const accepts of [undefined, 699, 1900])
    await expect(decide(accepts)).rejects.toMatchObject({
      code: 'payment_not_eligible',
      message: expect.stringContaining('only 7.00 of 19.00 USD was taken'),
    })
  expect((await getPayment(id)).status).toBe('status_unknown')
  const resolved = await decide(700)
  expect([resolved.disagrees, resolved.providerAnswer]).toEqual([
    true,
    expect.stringContaining('700 of 1900'),
  ])
  expect(resolved.payment).toMatchObject({ status: 'paid', authorizedMinor: 700, capturedMinor: 700 })
  const entries = await listEntries(ctx.db, resolved.payment)
  expect(entries.map(({ kind, amountMinor }) => [kind, amountMinor])).toEqual([['taken', 700]])
})
