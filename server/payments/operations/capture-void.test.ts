import { beforeEach, describe, expect, test } from 'vitest'
import { askOperation } from '../../testing/calls.ts'
import { interruptedDb } from '../../testing/mortal-db.ts'
import { listTransitions } from '../../testing/payments/status-changes.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { OPERATION_MOVES } from '../operation.ts'
import { requestMoneyOperation } from './money.ts'

const { kassa, shop, askRefund, getPayment, getOperation, pay, runOperations } = await openScene()
let ledger: Ledger
let order = 0
beforeEach(() => {
  ledger = openLedger(kassa.ctx, { status: 'authorized' })
})

const request = (id: string, what: 'capture' | 'void', body?: object) =>
  askOperation(kassa.url, shop, id, what, { key: `h-${++order}`, body })

describe('an authorized payment', () => {
  test('is captured in part only once', async () => {
    const { id } = await pay()
    expect((await getPayment(id)).status).toBe('authorized')
    const { body } = await request(id, 'capture', { amountMinor: 1000 })
    expect((await request(id, 'capture', { amountMinor: 900 })).status).toBe(409)
    await runOperations()
    expect((await getOperation(body.operation.id))?.status).toBe('succeeded')
    expect(await getPayment(id)).toMatchObject({ status: 'paid', capturedMinor: 1000, authorizedMinor: 1900 })
    expect((await request(id, 'capture', { amountMinor: 900 })).body.error.code).toBe('payment_not_eligible')
  })

  test('is captured completely by a request without a body', async () => {
    const { id } = await pay()
    const { status, body } = await request(id, 'capture')
    expect([status, body.operation?.amountMinor]).toEqual([201, 1900])
    await runOperations()
    expect(await getPayment(id)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
  })

  test('is voided, and cannot be captured after that', async () => {
    const { id } = await pay()
    await request(id, 'void', { reason: 'changed mind' })
    expect((await request(id, 'capture', {})).status).toBe(409)
    await runOperations()
    expect(await getPayment(id)).toMatchObject({ status: 'reversed', capturedMinor: 0 })
    expect((await request(id, 'capture', {})).status).toBe(409)
    expect(ledger.writes.map(({ method }) => method)).toEqual(['void'])
  })

  test('whose capture was done but its answer lost is paid, and the capture is not sent again', async () => {
    const { id } = await pay()
    ledger.bends = ['lose']
    await request(id, 'capture', {})
    await runOperations()
    expect(await getPayment(id)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
    expect(ledger.writes).toHaveLength(1)
  })
})

test('a paid payment is not voided while a refund is open, nor refunded while a void is', async () => {
  openLedger(kassa.ctx)
  const [refunded, voided] = [await pay(), await pay()]
  expect((await askRefund(refunded.id, 500)).status).toBe(201)
  expect((await request(refunded.id, 'void', { reason: 'changed mind' })).status).toBe(409)
  expect((await request(voided.id, 'void', { reason: 'changed mind' })).status).toBe(201)
  expect((await askRefund(voided.id, 500)).status).toBe(409)
})

test('an operation that waits for a person blocks a void too', async () => {
  openLedger(kassa.ctx)
  const { id } = await pay()
  const { body } = await askRefund(id, 500)
  for (const status of ['processing', 'requires_operator_review'])
    await kassa.ctx.db.query('update sandbox.operations set status = $2 where id = $1', [
      body.operation.id,
      status,
    ])
  expect((await request(id, 'void', { reason: 'changed mind' })).status).toBe(409)
})

test('a capture without an amount that is requested while the buyer is just approving captures the whole amount, and nothing is proved by zero', async () => {
  ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
  const {
    id,
    attempt: { reference: providerReference },
  } = await pay()
  expect((await getPayment(id)).authorizedMinor).toBe(0)
  const approve = async () => {
    ledger.move(providerReference, { order: 'completed', authorizedMinor: 1900 })
    await askAboutPayment(kassa.ctx, await getPayment(id))
  }
  const db = interruptedDb(kassa.ctx.db, 'lock_payment', approve)
  const given = { merchantId: shop.merchantId, paymentId: id, idempotencyKey: 'just-approved', request: {} }
  const { operation } = await requestMoneyOperation({ ...kassa.ctx, db }, 'capture', given)
  ledger.bends = ['refuse']
  await runOperations()
  expect([
    operation.amountMinor,
    ledger.writes.map(({ amountMinor }) => amountMinor),
    (await getOperation(operation.id))?.status,
  ]).toEqual([1900, [1900], 'failed'])
  expect(await getPayment(id)).toMatchObject({ status: 'authorized', capturedMinor: 0 })
})

test('the database accepts no refund, capture or void without an amount', async () => {
  const { id } = await pay()
  const { body } = await request(id, 'capture', {})
  const insert = `insert into sandbox.operations (merchant_id, id, type, payment_id, provider, account_id, status, currency, scope, key,
      fingerprint, created_at, updated_at)
    select merchant_id, id || 'x', type, payment_id, provider, account_id, status, currency, scope, key || 'x', fingerprint, created_at,
      updated_at from sandbox.operations where id = $1`
  await expect(kassa.ctx.db.query(insert, [body.operation.id])).rejects.toThrow('money_has_an_amount')
})

test('an operation’s status changes are the same in the code and in the database', async () => {
  const table = Object.entries(OPERATION_MOVES).flatMap(([from, targets]) =>
    targets.map((to) => `${from} ${to}`),
  )
  expect(await listTransitions(kassa.ctx.db, 'operation')).toEqual(table.sort())
})
