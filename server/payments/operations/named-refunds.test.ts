/** What a bank reports about a refund when it is late, when it repeats itself, and when it says nothing any more. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { NamedRefund, Snapshot } from '../../providers/driver.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { writeKeyOf } from '../../testing/payments/write-key.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askAboutPayment } from '../attempts/question.ts'

const { kassa, getPayment, getOperation, payOrder, listWarnings, askRefund } = await openScene()
const { ctx } = kassa
let ledger: Ledger
beforeEach(() => {
  ledger = openLedger(ctx)
})

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

async function later(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await SWEEPS.moneyOperations(ctx)
}

type Named = Omit<NamedRefund, 'key'> & { key?: 'ours' }

/** A refund, of which the bank then says this. Returns the operation's id. */
async function refund(
  { id, reference }: { id: string; reference: string },
  amountMinor: number,
  report: (Omit<Partial<Snapshot>, 'refunds'> & { refunds: Named[] }) | null,
): Promise<string> {
  // The ledger itself books nothing: the bank's records are those of the test.
  ledger.bends = [report ? 'drop' : 'take_on']
  ledger.meanwhile = async () => {
    const own = ledger.writes.at(-1)?.key ?? ''
    const refunds = report?.refunds.map(({ key, ...each }) => ({ ...each, ...(key && { key: own }) }))
    if (report) ledger.move(reference, { ...report, ...(refunds && { refunds }) })
  }
  const { body } = await askRefund(id, amountMinor)
  await SWEEPS.moneyOperations(ctx)
  return body.operation.id
}

describe('a refund that the bank names as done before its sum shows it', () => {
  test('counts at once, and its amount cannot be refunded a second time', async () => {
    const at = await payOrder()
    const done = { key: 'ours', amountMinor: 1900, state: 'done' } as const
    const operation = await refund(at, 1900, { refundedMinor: 0, order: 'completed', refunds: [done] })
    expect((await getOperation(operation))?.status).toBe('succeeded')
    expect(await getPayment(at.id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
    const second = await askRefund(at.id, 1900)
    expect([second.status, second.body.error?.code]).toEqual([409, 'payment_not_eligible'])
    expect(ledger.writes).toHaveLength(1)
  })
})

test('a refund that the bank lists without our key is known by the id that the bank gave it', async () => {
  const { id, reference } = await payOrder()
  ledger.meanwhile = async () => {
    const refunds = [{ id: `bank-${ledger.writes.at(-1)?.key}`, amountMinor: 500, state: 'done' } as const]
    ledger.move(reference, { refunds })
  }
  const { body } = await askRefund(id, 500)
  await SWEEPS.moneyOperations(ctx)
  expect((await getOperation(body.operation.id))?.status).toBe('succeeded')
  expect(await getPayment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
})

test('a refund that the bank has under our key before we send it is not sent, as after a restore of an older backup', async () => {
  const { id, reference } = await payOrder()
  const { body } = await askRefund(id, 500)
  const key = await writeKeyOf(ctx, body.operation.id)
  const done = { key, id: 'bank-1', amountMinor: 500, state: 'done' } as const
  ledger.move(reference, { refundedMinor: 500, refunds: [done] })
  await SWEEPS.moneyOperations(ctx)
  expect((await getOperation(body.operation.id))?.status).toBe('succeeded')
  expect(await getPayment(id)).toMatchObject({ refundedMinor: 500, refundReservedMinor: 0 })
  expect(ledger.writes).toEqual([])
})

describe('a refund that the bank names twice', () => {
  const done = { key: 'ours', amountMinor: 500, state: 'done' } as const
  const twice = [
    { ...done, id: 'bank-1' },
    { ...done, id: 'bank-2' },
  ]

  test('counts once as an operation and with all its money for the payment, and a person is warned', async () => {
    const at = await payOrder()
    const operation = await refund(at, 500, {
      refundedMinor: 1000,
      order: 'completed',
      refunds: twice,
    })
    expect((await getOperation(operation))?.status).toBe('succeeded')
    expect(await getPayment(at.id)).toMatchObject({ refundedMinor: 1000, refundReservedMinor: 0 })
    expect(await listWarnings(at.id)).toEqual([
      expect.stringMatching(/lists one refund of ours 2 times \(bank-1, bank-2\), 1000 in all/),
    ])
    expect((await askRefund(at.id, 901)).status).toBe(409)
  })

  test('and that exceeds the payment is booked as far as the payment goes, and a person is warned', async () => {
    const at = await payOrder()
    const refunds = twice.map((each) => ({ ...each, amountMinor: 1900 }))
    const operation = await refund(at, 1900, { refundedMinor: 3800, order: 'completed', refunds })
    expect((await getOperation(operation))?.status).toBe('succeeded')
    expect(await getPayment(at.id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
    expect(await listWarnings(at.id)).toEqual([expect.stringContaining('3800 in all')])
  })

  test('counts once when the bank’s sum counts it once', async () => {
    const at = await payOrder()
    await refund(at, 500, { refundedMinor: 500, order: 'completed', refunds: [done, done] })
    expect(await getPayment(at.id)).toMatchObject({ refundedMinor: 500 })
    expect(await listWarnings(at.id)).toHaveLength(1)
  })

  test('once as failed and then as done has succeeded, without a warning', async () => {
    const at = await payOrder()
    const refunds = [{ ...done, state: 'failed' as const }, done]
    const operation = await refund(at, 500, { refundedMinor: 500, order: 'completed', refunds })
    expect((await getOperation(operation))?.status).toBe('succeeded')
    expect(await listWarnings(at.id)).toEqual([])
  })
})

test('a refund that is done while an earlier one of the same sum fails is entered, and so is the failure', async () => {
  const at = await payOrder()
  const done = { key: 'ours', amountMinor: 500, state: 'done' } as const
  const first = await refund(at, 500, { refundedMinor: 500, order: 'completed', refunds: [done] })
  const failed = { key: ledger.writes[0]?.key as 'ours', amountMinor: 500, state: 'failed' } as const
  ledger.meanwhile = async () => {
    const own = ledger.writes.at(-1)?.key
    ledger.move(at.reference, {
      refundedMinor: 500,
      refunds: [failed, { ...done, ...(own !== undefined && { key: own }) }],
    })
  }
  ledger.bends = ['drop']
  const { body } = await askRefund(at.id, 500)
  await SWEEPS.moneyOperations(ctx)
  expect((await getOperation(body.operation.id))?.status).toBe('succeeded')
  expect((await getOperation(first))?.status).toBe('failed')
  const entries = await listEntries(ctx.db, await getPayment(at.id))
  expect(entries.map(({ kind, amountMinor }) => `${kind} ${amountMinor}`)).toEqual([
    'taken 1900',
    'refunded 500',
    'refunded 500',
    'refund_failed 500',
  ])
  expect(await getPayment(at.id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
})

test('a refund that was done keeps its sum if the bank’s list forgets it without saying that it failed', async () => {
  ledger = openLedger(ctx, { named: true })
  const at = await payOrder()
  const failed = await refund(at, 1900, null)
  ledger.settle(at.reference, false)
  await later(MINUTE_MS)
  expect((await getOperation(failed))?.status).toBe('failed')
  const before = ledger.orders.get(at.reference) as Snapshot
  ledger.bends = []
  const { body } = await askRefund(at.id, 1900)
  await later(0)
  expect((await getPayment(at.id)).status).toBe('refunded')
  // An answer from before the second refund. The failed refund in it is another one.
  ledger.move(at.reference, before)
  await askAboutPayment(ctx, await getPayment(at.id))
  expect(await getPayment(at.id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
  expect((await askRefund(at.id, 1900)).status).toBe(409)
  expect(await listWarnings(at.id)).toEqual([expect.stringContaining(body.operation.id)])
})

test('a refund that was done keeps its sum if the bank’s list calls it pending again, until it says that it failed', async () => {
  ledger = openLedger(ctx, { named: true })
  const at = await payOrder()
  const operation = await refund(at, 500, null)
  const before = ledger.orders.get(at.reference) as Snapshot
  expect(before.refunds).toMatchObject([{ state: 'pending' }])
  ledger.settle(at.reference, true)
  await later(MINUTE_MS)
  expect((await getOperation(operation))?.status).toBe('succeeded')
  const done = ledger.orders.get(at.reference) as Snapshot
  ledger.move(at.reference, before)
  await askAboutPayment(ctx, await getPayment(at.id))
  expect(await getPayment(at.id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
  expect(await listWarnings(at.id)).toEqual([expect.stringContaining(operation)])
  ledger.move(at.reference, done)
  ledger.undo(at.reference)
  await askAboutPayment(ctx, await getPayment(at.id))
  expect(await getPayment(at.id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
  expect((await getOperation(operation))?.status).toBe('failed')
})

describe.each([
  ['names refunds', true],
  ['tells only sums', false],
])('a pending refund at a bank that %s', (_, named) => {
  beforeEach(() => {
    ledger = openLedger(ctx, { named })
  })
  const forget = (reference: string) =>
    ledger.move(reference, { refundPendingMinor: 0, ...(named && { refunds: [] }) })

  test('does not fail because one look shows nothing of it', async () => {
    const at = await payOrder()
    const operation = await refund(at, 1900, null)
    await later(12 * HOUR_MS)
    const seen = ledger.orders.get(at.reference) as Snapshot
    forget(at.reference)
    await later(MINUTE_MS)
    expect(await getOperation(operation)).toMatchObject({ status: 'processing' })
    expect((await askRefund(at.id, 1900)).status).toBe(409)
    ledger.move(at.reference, seen)
    ledger.settle(at.reference, true)
    await later(20 * MINUTE_MS)
    expect((await getOperation(operation))?.status).toBe('succeeded')
    expect(await getPayment(at.id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
  })

  test('is decided by a person if the bank shows nothing of it again and again', async () => {
    const at = await payOrder()
    const operation = await refund(at, 1900, null)
    await later(12 * HOUR_MS)
    forget(at.reference)
    let looks = 0
    ledger.duringLookUp = async () => void looks++
    for (let minutes = 0; minutes < 12; minutes++) await later(MINUTE_MS)
    expect(await getOperation(operation)).toMatchObject({
      status: 'requires_operator_review',
      statusReason: expect.stringContaining('was working on it'),
    })
    expect(looks).toBeGreaterThan(5)
    expect(await getPayment(at.id)).toMatchObject({ status: 'paid', refundReservedMinor: 1900 })
  })
})
