/**
 * A shop follows an operation: it looks it up by its id, and the event of its result names it, no matter which process learns of the
 * result first. The event of another cause names no operation.
 */
import { expect, test } from 'vitest'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { askOperation, lookUpOperation } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askAboutPayment } from '../attempts/question.ts'

const { kassa, shop, payOrder } = await openScene()

let orders = 0
async function ask(id: string, what: 'refunds' | 'capture' | 'void', body: object): Promise<string> {
  const key = `${what}-${++orders}`
  return (await askOperation(kassa.url, shop, id, what, { key, body })).body.operation.id
}
const refund = (id: string, amountMinor: number) => ask(id, 'refunds', { amountMinor, reason: 'r' })
async function question(id: string): Promise<void> {
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  if (payment) await askAboutPayment(kassa.ctx, payment)
}
/** Returns what the events of a payment say. */
async function events(id: string): Promise<[string, string | undefined][]> {
  const all = await listPaymentEvents(kassa.ctx.db, shop.merchantId, id)
  return all.map(({ body }) => {
    const { data } = JSON.parse(body)
    return [data.payment.status, data.operationId]
  })
}
const statusOf = async (id: string) => (await lookUpOperation(kassa.url, shop, id)).body.status

test('an operation is looked up from its request to its end, and the event names it', async () => {
  openLedger(kassa.ctx)
  const { id } = await payOrder()
  const operation = await refund(id, 500)
  expect(await lookUpOperation(kassa.url, shop, operation)).toMatchObject({
    status: 200,
    body: { id: operation, type: 'refund', status: 'queued', paymentSessionId: id, amountMinor: 500 },
  })
  await SWEEPS.moneyOperations(kassa.ctx)
  expect(await statusOf(operation)).toBe('succeeded')
  expect(await events(id)).toEqual([
    ['paid', undefined],
    ['partially_refunded', operation],
  ])
})

test.each(['capture', 'void'] as const)('so does the event of a %s', async (what) => {
  openLedger(kassa.ctx, { status: 'authorized' })
  const { id } = await payOrder()
  const operation = await ask(id, what, { reason: 'r' })
  await SWEEPS.moneyOperations(kassa.ctx)
  expect((await events(id)).at(-1)).toEqual([what === 'capture' ? 'paid' : 'reversed', operation])
})

/** The bank acts and its answer is lost, and a question comes before the worker looks. */
test.each([
  ['named refunds', true],
  ['sums alone', false],
])('a question that sees the refund before its worker names it too (%s)', async (_, named) => {
  const ledger = openLedger(kassa.ctx, { named })
  const { id } = await payOrder()
  const operation = await refund(id, 500)
  ledger.bends = ['lose']
  // The worker dies right after it has sent the refund.
  ledger.meanwhile = async () => {
    ledger.duringLookUp = () => Promise.reject(new Error('the process is killed'))
  }
  await SWEEPS.moneyOperations(kassa.ctx)
  ledger.duringLookUp = async () => {}
  expect(await statusOf(operation)).toBe('processing')
  await question(id)
  expect((await events(id)).at(-1)).toEqual(['partially_refunded', operation])
  kassa.clock.advance(10 * 60_000)
  await SWEEPS.moneyOperations(kassa.ctx)
  expect([await statusOf(operation), (await events(id)).length]).toEqual(['succeeded', 2])
})

test('what the bank’s own staff has returned names no operation', async () => {
  const ledger = openLedger(kassa.ctx)
  const { id, reference } = await payOrder()
  ledger.move(reference, { refundedMinor: 500 })
  await question(id)
  expect((await events(id)).at(-1)).toEqual(['partially_refunded', undefined])
})

test('a refund that failed after all is named by the event that takes it back', async () => {
  const ledger: Ledger = openLedger(kassa.ctx, { named: true })
  const { id, reference } = await payOrder()
  const operation = await refund(id, 500)
  await SWEEPS.moneyOperations(kassa.ctx)
  ledger.undo(reference)
  await question(id)
  expect((await events(id)).at(-1)).toEqual(['paid', operation])
  expect(await statusOf(operation)).toBe('failed')
})

test('an unknown operation and one of another shop answer alike', async () => {
  openLedger(kassa.ctx)
  const { id } = await payOrder()
  const operation = await refund(id, 500)
  const other = await openShop(kassa.ctx)
  for (const [whose, wanted] of [
    [other, operation],
    [shop, `${operation.slice(0, -3)}zzz`],
    [shop, id],
  ] as const) {
    const { status, body } = await lookUpOperation(kassa.url, whose, wanted)
    expect([status, body.error.code, body.error.message]).toEqual([
      404,
      'operation_not_found',
      'There is no such operation.',
    ])
  }
})
