/** What a worker makes of a provider's answers, and of no answers at all. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { listOperationTransitions } from '../../storage/payments/operation-changes.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import { findPaymentById, type PaymentRecord } from '../../storage/payments/payments.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { type Ledger, openLedger } from '../../testing/ledger-bank.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { resolveOperation } from '../decisions/operation.ts'
import { OPERATION_MOVES } from '../operation.ts'

const kassa: Kassa = await startKassa()
const shop: Shop = await openShop(kassa.ctx)
let ledger: Ledger
let order = 0
beforeEach(() => {
  ledger = openLedger(kassa.ctx)
})
afterAll(() => kassa.close())

const MINUTE_MS = 60_000
const turn = () => SWEEPS.moneyOperations(kassa.ctx)

/** A payment of 19.00 that the ledger's buyer has consented to. */
async function pay(): Promise<PaymentRecord> {
  const key = `work-${++order}`
  const { body } = await createSession(kassa.url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key, amountMinor: 1900 }),
  })
  await lookUp(kassa.url, shop, body.id)
  return payment(body.id)
}

async function payment(id: string): Promise<PaymentRecord> {
  return (await findPaymentById(kassa.ctx.db, id)) as PaymentRecord
}

const refund = async (id: string, amountMinor: number, key = `r-${++order}`) =>
  (await askOperation(kassa.url, shop, id, 'refunds', { key, body: { amountMinor, reason: 'r' } })).body
    .operation
const stored = async (id: string) => await findOperationById(kassa.ctx.db, id)

describe('a refund', () => {
  test('is queued, done once, proved by the books, and told by an event of its own', async () => {
    const { id } = await pay()
    const operation = await refund(id, 500)
    expect(operation).toMatchObject({
      status: 'queued',
      type: 'refund',
      amountMinor: 500,
      paymentSessionId: id,
    })
    expect(await payment(id)).toMatchObject({ status: 'paid', refundReservedMinor: 500, refundedMinor: 0 })
    await turn()
    expect(await stored(operation.id)).toMatchObject({ status: 'succeeded', dueAt: null })
    expect(await payment(id)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 500,
      refundReservedMinor: 0,
    })
    await refund(id, 1400)
    await turn()
    expect(await payment(id)).toMatchObject({
      status: 'refunded',
      refundedMinor: 1900,
      refundReservedMinor: 0,
    })
    expect(ledger.writes.map(({ amountMinor }) => amountMinor)).toEqual([500, 1400])
  })

  test('whose answer was lost after it was done is found in the books, and never told twice', async () => {
    const { id } = await pay()
    ledger.bends = ['lose']
    const operation = await refund(id, 500)
    await turn()
    expect((await stored(operation.id))?.status).toBe('succeeded')
    expect((await payment(id)).refundedMinor).toBe(500)
    expect(ledger.writes).toHaveLength(1)
  })

  test('whose answer was lost before it was done is looked for, and then left to a person', async () => {
    const { id } = await pay()
    ledger.bends = ['drop']
    const operation = await refund(id, 500)
    await turn()
    for (let minutes = 0; minutes < 9; minutes++) {
      kassa.clock.advance(MINUTE_MS)
      await turn()
      expect((await stored(operation.id))?.status).toBe('processing')
    }
    kassa.clock.advance(2 * MINUTE_MS)
    await turn()
    expect((await stored(operation.id))?.status).toBe('requires_operator_review')
    expect(ledger.writes).toHaveLength(1)
    expect(await payment(id)).toMatchObject({ status: 'paid', refundReservedMinor: 500 })
    await resolveOperation(kassa.ctx, operation.id, 'failed', {
      actor: 'Ani',
      why: 'the bank said so on the phone',
    })
    expect(await payment(id)).toMatchObject({ status: 'paid', refundReservedMinor: 0 })
  })

  test('to a provider that takes our key is told again under the same key, and done once', async () => {
    ledger = openLedger(kassa.ctx, { keyed: true })
    const { id } = await pay()
    ledger.bends = ['drop']
    const operation = await refund(id, 500)
    await turn()
    kassa.clock.advance(MINUTE_MS)
    await turn()
    expect((await stored(operation.id))?.status).toBe('succeeded')
    expect(new Set(ledger.writes.map(({ key }) => key))).toEqual(new Set([operation.id]))
    expect((await payment(id)).refundedMinor).toBe(500)
  })

  test('that the provider refuses gives its amount back', async () => {
    const { id } = await pay()
    ledger.bends = ['refuse']
    const operation = await refund(id, 1900)
    await turn()
    expect(await stored(operation.id)).toMatchObject({ status: 'failed', statusReason: 'the bank says no' })
    expect(await payment(id)).toMatchObject({ status: 'paid', refundReservedMinor: 0 })
  })

  test('that the provider takes on and gives up later gives its amount back', async () => {
    const { id, providerReference } = await pay()
    ledger.bends = ['take_on']
    const operation = await refund(id, 1900)
    await turn()
    kassa.clock.advance(12 * 60 * MINUTE_MS)
    await turn()
    expect(await stored(operation.id)).toMatchObject({ status: 'processing' })
    const books = ledger.orders.get(providerReference)
    if (books) ledger.orders.set(providerReference, { ...books, refundPendingMinor: 0 })
    kassa.clock.advance(MINUTE_MS)
    await turn()
    expect((await stored(operation.id))?.status).toBe('failed')
    expect(await payment(id)).toMatchObject({ status: 'paid', refundedMinor: 0, refundReservedMinor: 0 })
  })

  test('that the provider claims to have done and did not is not believed', async () => {
    const { id } = await pay()
    ledger.bends = ['lie']
    const operation = await refund(id, 500)
    await turn()
    expect(await payment(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
    kassa.clock.advance(11 * MINUTE_MS)
    await turn()
    expect((await stored(operation.id))?.status).toBe('requires_operator_review')
  })

  test('of another amount than was asked for goes to a person, and the payment keeps its amounts till then', async () => {
    const { id } = await pay()
    ledger.bends = ['wrong']
    const operation = await refund(id, 500)
    await turn()
    expect((await stored(operation.id))?.status).toBe('requires_operator_review')
    expect(await payment(id)).toMatchObject({ status: 'paid', refundedMinor: 0, refundReservedMinor: 500 })
    await resolveOperation(kassa.ctx, operation.id, 'succeeded', {
      actor: 'Ani',
      why: 'corrected by the bank',
    })
    expect(await payment(id)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 500,
      refundReservedMinor: 0,
    })
  })

  test('waits while the provider is away before it is told, and is given up untold after a day', async () => {
    const { id } = await pay()
    ledger.away = true
    const operation = await refund(id, 500)
    await turn()
    expect((await stored(operation.id))?.status).toBe('processing')
    kassa.clock.advance(25 * 60 * MINUTE_MS)
    await turn()
    expect((await stored(operation.id))?.status).toBe('failed')
    expect(ledger.writes).toEqual([])
    expect((await payment(id)).refundReservedMinor).toBe(0)
  })

  test('is not told when the payment was refunded elsewhere in the meantime', async () => {
    const { id, providerReference } = await pay()
    const operation = await refund(id, 500)
    const books = ledger.orders.get(providerReference)
    if (books) ledger.orders.set(providerReference, { ...books, status: 'refunded', refundedMinor: 1900 })
    await turn()
    expect((await stored(operation.id))?.status).toBe('failed')
    expect(ledger.writes).toEqual([])
    expect(await payment(id)).toMatchObject({
      status: 'refunded',
      refundedMinor: 1900,
      refundReservedMinor: 0,
    })
  })

  test('behind an unclear one waits until a person has cleared that', async () => {
    const { id } = await pay()
    ledger.bends = ['wrong']
    const first = await refund(id, 500)
    await turn()
    const second = await refund(id, 100)
    kassa.clock.advance(5 * MINUTE_MS)
    await turn()
    expect((await stored(second.id))?.status).toBe('queued')
    await resolveOperation(kassa.ctx, first.id, 'failed', { actor: 'Ani', why: 'taken back by the bank' })
    expect(ledger.writes).toHaveLength(1)
    await turn()
    expect(ledger.writes).toHaveLength(2)
  })
})

describe('two workers at one operation', () => {
  test('tell the provider once, even if the first is so slow that its lease ends', async () => {
    const { id } = await pay()
    const operation = await refund(id, 500)
    ledger.meanwhile = async () => {
      ledger.meanwhile = async () => {}
      kassa.clock.advance(2 * MINUTE_MS)
      await turn()
    }
    await turn()
    expect(ledger.writes).toHaveLength(1)
    expect((await payment(id)).refundedMinor).toBe(500)
    expect((await stored(operation.id))?.status).toBe('succeeded')
  })

  test('tell it once, even if the lease ends between the question and the telling', async () => {
    const { id } = await pay()
    await refund(id, 500)
    const isTold = Promise.withResolvers<void>()
    const mayAct = Promise.withResolvers<void>()
    let second: Promise<unknown> | undefined
    ledger.whileAsked = async () => {
      ledger.whileAsked = async () => {}
      ledger.meanwhile = async () => {
        isTold.resolve()
        await mayAct.promise
      }
      kassa.clock.advance(2 * MINUTE_MS)
      second = turn()
      await isTold.promise
    }
    const first = turn()
    await isTold.promise
    // The first goes on while the second's telling is still on its way.
    setTimeout(mayAct.resolve, 200)
    await Promise.all([first, second])
    expect(ledger.writes).toHaveLength(1)
    expect(await payment(id)).toMatchObject({ refundedMinor: 500, refundReservedMinor: 0 })
  })
})

describe('a hold', () => {
  beforeEach(() => {
    ledger = openLedger(kassa.ctx, { status: 'authorized' })
  })
  const ask = async (id: string, what: 'capture' | 'void', body: object) =>
    askOperation(kassa.url, shop, id, what, { key: `h-${++order}`, body })

  test('is captured in part once, and the rest is let go of', async () => {
    const { id } = await pay()
    expect((await payment(id)).status).toBe('authorized')
    const { body } = await ask(id, 'capture', { amountMinor: 1000 })
    expect((await ask(id, 'capture', { amountMinor: 900 })).status).toBe(409)
    await turn()
    expect((await stored(body.operation.id))?.status).toBe('succeeded')
    expect(await payment(id)).toMatchObject({ status: 'paid', capturedMinor: 1000, authorizedMinor: 1900 })
    expect((await ask(id, 'capture', { amountMinor: 900 })).body.error.code).toBe('payment_not_eligible')
  })

  test('is captured whole where no amount is given, by a body of nothing', async () => {
    const { id } = await pay()
    const { status, body } = await ask(id, 'capture', undefined as never)
    expect([status, body.operation?.amountMinor]).toEqual([201, 1900])
    await turn()
    expect(await payment(id)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
  })

  test('is voided, and then neither captured nor refunded', async () => {
    const { id } = await pay()
    await ask(id, 'void', { reason: 'changed mind' })
    expect((await ask(id, 'capture', {})).status).toBe(409)
    await turn()
    expect(await payment(id)).toMatchObject({ status: 'reversed', capturedMinor: 0 })
    expect((await ask(id, 'capture', {})).status).toBe(409)
    expect(ledger.writes.map(({ method }) => method)).toEqual(['void'])
  })

  test('of which the capture was lost after it was done is paid, once', async () => {
    const { id } = await pay()
    ledger.bends = ['lose']
    await ask(id, 'capture', {})
    await turn()
    expect(await payment(id)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
    expect(ledger.writes).toHaveLength(1)
  })
})

test('the database knows the same moves of an operation as the table', async () => {
  const table = Object.entries(OPERATION_MOVES).flatMap(([from, targets]) =>
    targets.map((to) => `${from} ${to}`),
  )
  const rows = await listOperationTransitions(kassa.ctx.db)
  expect(rows.map(({ fromStatus, toStatus }) => `${fromStatus} ${toStatus}`).sort()).toEqual(table.sort())
})
