import { beforeEach, describe, expect, test } from 'vitest'
import { askOperation } from '../../testing/calls.ts'
import { writeKeyOf } from '../../testing/payments/write-key.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { resolveOperation } from '../decisions/operation.ts'

const { kassa, shop, getPayment, getOperation, pay, runOperations } = await openScene()
let ledger: Ledger
let order = 0
beforeEach(() => {
  ledger = openLedger(kassa.ctx)
})

const MINUTE_MS = 60_000

const refund = async (id: string, amountMinor: number, key = `r-${++order}`) =>
  (await askOperation(kassa.url, shop, id, 'refunds', { key, body: { amountMinor, reason: 'r' } })).body
    .operation

test('a queued operation does not start while a later one of its payment runs, and looks again', async () => {
  const { id } = await pay()
  const [waiting, running] = [await refund(id, 500), await refund(id, 400)]
  const dueAt = new Date(kassa.clock.now().getTime() + 60 * MINUTE_MS)
  // As if the first one had been committed only after the second one was started.
  await kassa.ctx.db.query(
    `update sandbox.operations set status = 'processing', due_at = $2, updated_at = $3 where id = $1`,
    [running.id, dueAt, kassa.clock.now()],
  )
  const failures: unknown[] = []
  const log = { ...kassa.ctx.log, error: (about: unknown) => void failures.push(about) }
  await SWEEPS.moneyOperations({ ...kassa.ctx, log })
  expect(failures).toEqual([])
  const later = (await getOperation(waiting.id))?.dueAt?.getTime() ?? 0
  expect(await getOperation(waiting.id)).toMatchObject({ status: 'queued', sentAt: null })
  // It looks again a minute later, which is sooner than the lease of a worker that died.
  expect(later).toBeLessThanOrEqual(kassa.clock.now().getTime() + MINUTE_MS)
  expect(ledger.writes).toEqual([])
})

test('a later operation does not start before the oldest one of its payment that is queued', async () => {
  const { id } = await pay()
  const [first, second] = [await refund(id, 500), await refund(id, 400)]
  // As if the first one had been put off, and only the second one were due.
  const later = new Date(kassa.clock.now().getTime() + 60 * MINUTE_MS)
  const setDue = (operation: { id: string }, at: Date) =>
    kassa.ctx.db.query('update sandbox.operations set due_at = $2 where id = $1', [operation.id, at])
  await setDue(first, later)
  await setDue(second, kassa.clock.now())
  await runOperations()
  kassa.clock.advance(MINUTE_MS)
  await runOperations()
  expect(ledger.writes.map(({ amountMinor }) => amountMinor)).toEqual([500, 400])
})

test('a refund is not sent for more than is left at the provider, where somebody has refunded meanwhile', async () => {
  const { id, attempt } = await pay()
  const operation = await refund(id, 1500)
  ledger.move(attempt.reference, { refundedMinor: 1000 })
  await runOperations()
  expect(await getOperation(operation.id)).toMatchObject({
    status: 'failed',
    statusReason: expect.stringContaining('only 900 minor units are left'),
  })
  expect(ledger.writes).toEqual([])
  expect(await getPayment(id)).toMatchObject({ refundedMinor: 1000, refundReservedMinor: 0 })
})

test('a refund is not sent while the provider answers about other money', async () => {
  const { id, attempt } = await pay()
  const operation = await refund(id, 500)
  ledger.move(attempt.reference, { currency: 'EUR' })
  await runOperations()
  expect((await getOperation(operation.id))?.status).not.toBe('succeeded')
  expect(ledger.writes).toEqual([])
})

describe('a refund', () => {
  test('is queued, reserves its amount, and is carried out once', async () => {
    const { id } = await pay()
    const operation = await refund(id, 500)
    expect(operation).toMatchObject({
      status: 'queued',
      type: 'refund',
      amountMinor: 500,
      paymentSessionId: id,
    })
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundReservedMinor: 500, refundedMinor: 0 })
    await runOperations()
    expect(await getOperation(operation.id)).toMatchObject({ status: 'succeeded', dueAt: null })
    expect(await getPayment(id)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 500,
      refundReservedMinor: 0,
    })
    await refund(id, 1400)
    await runOperations()
    expect(await getPayment(id)).toMatchObject({
      status: 'refunded',
      refundedMinor: 1900,
      refundReservedMinor: 0,
    })
    expect(ledger.writes.map(({ amountMinor }) => amountMinor)).toEqual([500, 1400])
  })

  test('whose answer was lost after it was done succeeds by the provider’s amounts, and is not sent again', async () => {
    const { id } = await pay()
    ledger.bends = ['lose']
    const operation = await refund(id, 500)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('succeeded')
    expect((await getPayment(id)).refundedMinor).toBe(500)
    expect(ledger.writes).toHaveLength(1)
  })

  test('whose answer was lost before it was done is asked about for ten minutes, and then an operator decides', async () => {
    const { id } = await pay()
    ledger.bends = ['drop']
    const operation = await refund(id, 500)
    await runOperations()
    for (let minutes = 0; minutes < 9; minutes++) {
      kassa.clock.advance(MINUTE_MS)
      await runOperations()
      expect((await getOperation(operation.id))?.status).toBe('processing')
    }
    kassa.clock.advance(2 * MINUTE_MS)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('requires_operator_review')
    expect(ledger.writes).toHaveLength(1)
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundReservedMinor: 500 })
    await resolveOperation(kassa.ctx, operation.id, 'failed', {
      actor: 'Ani',
      why: 'the bank said so on the phone',
    })
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundReservedMinor: 0 })
  })

  test('is sent again under the same key to a provider that accepts our key, and is done once', async () => {
    ledger = openLedger(kassa.ctx, { keyed: true })
    const { id } = await pay()
    ledger.bends = ['drop']
    const operation = await refund(id, 500)
    await runOperations()
    kassa.clock.advance(MINUTE_MS)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('succeeded')
    expect(new Set(ledger.writes.map(({ key }) => key))).toEqual(
      new Set([await writeKeyOf(kassa.ctx, operation.id)]),
    )
    expect((await getPayment(id)).refundedMinor).toBe(500)
  })

  test('that the provider refuses fails and releases its amount', async () => {
    const { id } = await pay()
    ledger.bends = ['refuse']
    const operation = await refund(id, 1900)
    await runOperations()
    expect(await getOperation(operation.id)).toMatchObject({
      status: 'failed',
      statusReason: 'the bank says no',
    })
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundReservedMinor: 0 })
  })

  test('that the provider refuses although its amounts show it goes to an operator: somebody else may have refunded', async () => {
    const {
      id,
      attempt: { reference: providerReference },
    } = await pay()
    ledger.bends = ['refuse']
    ledger.meanwhile = async () => ledger.move(providerReference, { order: 'completed', refundedMinor: 1000 })
    const operation = await refund(id, 1000)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('requires_operator_review')
  })

  test.each([
    ['done', 'succeeded'],
    ['failed', 'failed'],
  ] as const)('that the provider names as %s by our key %s, whatever the amounts', async (state, status) => {
    const {
      id,
      attempt: { reference: providerReference },
    } = await pay()
    ledger.bends = ['lose']
    ledger.meanwhile = async () => {
      const [{ key = '', amountMinor = 0 } = {}] = ledger.writes.slice(-1)
      ledger.move(providerReference, { refunds: [{ key, amountMinor, state }], refundedMinor: 0 })
    }
    const operation = await refund(id, 500)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe(status)
  })

  test('that the provider starts and later reports as failed fails and releases its amount', async () => {
    ledger = openLedger(kassa.ctx, { named: true })
    const {
      id,
      attempt: { reference: providerReference },
    } = await pay()
    ledger.bends = ['take_on']
    const operation = await refund(id, 1900)
    await runOperations()
    kassa.clock.advance(12 * 60 * MINUTE_MS)
    await runOperations()
    expect(await getOperation(operation.id)).toMatchObject({ status: 'processing' })
    ledger.settle(providerReference, false)
    kassa.clock.advance(MINUTE_MS)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('failed')
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundedMinor: 0, refundReservedMinor: 0 })
  })

  test('that the provider reports as done but did not do does not change the payment', async () => {
    const { id } = await pay()
    ledger.bends = ['lie']
    const operation = await refund(id, 500)
    await runOperations()
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
    kassa.clock.advance(11 * MINUTE_MS)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('requires_operator_review')
  })

  test('that the provider did with another amount needs an operator, and the payment keeps its amounts until then', async () => {
    const {
      id,
      attempt: { reference: providerReference },
    } = await pay()
    ledger.bends = ['wrong']
    const operation = await refund(id, 500)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('requires_operator_review')
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundedMinor: 0, refundReservedMinor: 500 })
    ledger.move(providerReference, { refundedMinor: 500 })
    await resolveOperation(kassa.ctx, operation.id, 'succeeded', {
      actor: 'Ani',
      why: 'corrected by the bank',
    })
    expect(await getPayment(id)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 500,
      refundReservedMinor: 0,
    })
  })

  test('that cannot be sent because the provider is away waits for a day and then fails', async () => {
    const { id } = await pay()
    ledger.away = true
    const operation = await refund(id, 500)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('processing')
    kassa.clock.advance(25 * 60 * MINUTE_MS)
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('failed')
    expect(ledger.writes).toEqual([])
    expect((await getPayment(id)).refundReservedMinor).toBe(0)
  })

  test('is not sent if the payment was refunded at the provider meanwhile', async () => {
    const {
      id,
      attempt: { reference: providerReference },
    } = await pay()
    const operation = await refund(id, 500)
    ledger.move(providerReference, { order: 'completed', refundedMinor: 1900 })
    await runOperations()
    expect((await getOperation(operation.id))?.status).toBe('failed')
    expect(ledger.writes).toEqual([])
    expect(await getPayment(id)).toMatchObject({
      status: 'refunded',
      refundedMinor: 1900,
      refundReservedMinor: 0,
    })
  })

  test('waits behind an unclear refund until an operator has decided about that one', async () => {
    const { id } = await pay()
    ledger.bends = ['wrong']
    const first = await refund(id, 500)
    await runOperations()
    const second = await refund(id, 100)
    kassa.clock.advance(5 * MINUTE_MS)
    await runOperations()
    expect((await getOperation(second.id))?.status).toBe('queued')
    await resolveOperation(kassa.ctx, first.id, 'failed', { actor: 'Ani', why: 'taken back by the bank' })
    expect(ledger.writes).toHaveLength(1)
    await runOperations()
    expect(ledger.writes).toHaveLength(2)
  })
})

describe('two workers at one operation', () => {
  test('send the write once, even if the first worker is so slow that its lease ends', async () => {
    const { id } = await pay()
    const operation = await refund(id, 500)
    ledger.meanwhile = async () => {
      ledger.meanwhile = async () => {}
      kassa.clock.advance(2 * MINUTE_MS)
      await runOperations()
    }
    await runOperations()
    expect(ledger.writes).toHaveLength(1)
    expect((await getPayment(id)).refundedMinor).toBe(500)
    expect((await getOperation(operation.id))?.status).toBe('succeeded')
  })

  test('send the write once, even if the lease ends between the question and the write', async () => {
    const { id } = await pay()
    await refund(id, 500)
    const isSent = Promise.withResolvers<void>()
    const mayAct = Promise.withResolvers<void>()
    let sent = 0
    let second: Promise<unknown> | undefined
    ledger.duringLookUp = async () => {
      ledger.duringLookUp = async () => {}
      ledger.meanwhile = async () => {
        // A second write would not wait for the first one.
        if (++sent > 1) return
        isSent.resolve()
        await mayAct.promise
      }
      kassa.clock.advance(2 * MINUTE_MS)
      second = runOperations()
      await isSent.promise
    }
    const first = runOperations()
    await isSent.promise
    // The first worker ends while the second worker's write is still running.
    await first
    mayAct.resolve()
    await second
    expect(ledger.writes).toHaveLength(1)
    expect(await getPayment(id)).toMatchObject({ refundedMinor: 500, refundReservedMinor: 0 })
  })
})
