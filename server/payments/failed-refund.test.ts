/** A refund that fails after it succeeded: the money is back, and everybody learns of it. */
import { beforeEach, describe, expect, test } from 'vitest'
import { referenceOf } from '../id.ts'
import type { NamedRefund } from '../providers/driver.ts'
import { findBrokenRules } from '../storage/backup/facts.ts'
import { inTransaction } from '../storage/db.ts'
import { listPaymentEvents } from '../storage/events/events.ts'
import { listEntries } from '../storage/payments/entries.ts'
import { listOperationChanges } from '../storage/payments/operation-changes.ts'
import { findOperationById } from '../storage/payments/operations.ts'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import { askOperation } from '../testing/calls.ts'
import { writeKeyOf } from '../testing/payments/write-key.ts'
import { type Ledger, openLedger } from '../testing/providers/ledger-bank.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { applyOperationIn } from './operation-change.ts'
import { applyStatus } from './transition.ts'

const { kassa, shop, getPayment, pay, listWarnings, askRefund, runOperations, callBack } = await openScene()
const { ctx } = kassa
let ledger: Ledger
let keys = 0
beforeEach(() => {
  ledger = openLedger(ctx)
})

/** A paid payment of 19.00 USD with these refunds, one after the other. Returns its id and the refunds' ids. */
async function refunded(...amounts: number[]): Promise<{ id: string; refunds: string[] }> {
  const { id } = await pay()
  const refunds: string[] = []
  for (const amountMinor of amounts) {
    refunds.push((await askRefund(id, amountMinor, `refund-${++keys}`)).body.operation.id)
    await runOperations()
  }
  return { id, refunds }
}

const operation = (id = '') => findOperationById(ctx.db, id)
const events = async (id: string) =>
  (await listPaymentEvents(ctx.db, shop.merchantId, id)).map(({ body }) => JSON.parse(body).payment)

describe('a refund that fails after it succeeded', () => {
  test('makes a refunded payment paid again, with an event and a line in its timeline', async () => {
    const { id } = await refunded(1900)
    expect((await getPayment(id)).status).toBe('refunded')
    await callBack(ledger, id, { order: 'completed', refundedMinor: 0 })
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundedMinor: 0, capturedMinor: 1900 })
    expect((await events(id)).map(({ status, refundedMinor }) => [status, refundedMinor])).toEqual([
      ['paid', 0],
      ['refunded', 1900],
      ['paid', 0],
    ])
    expect((await listPaymentChanges(ctx.db, shop.merchantId, id)).at(-1)).toMatchObject({
      cause: 'provider',
      detail: expect.stringContaining('refund of 1900 failed after all'),
    })
  })

  test('leaves the other refund: refunded becomes partially_refunded, and that becomes paid when the other fails too', async () => {
    const { id, refunds } = await refunded(1400, 500)
    await callBack(ledger, id, { order: 'completed', refundedMinor: 1400 })
    expect(await getPayment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 1400 })
    expect((await operation(refunds[1]))?.revertedAt).not.toBeNull()
    expect((await operation(refunds[0]))?.revertedAt).toBeNull()
    await callBack(ledger, id, { order: 'completed', refundedMinor: 0 })
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
    expect((await operation(refunds[0]))?.revertedAt).not.toBeNull()
  })

  test('lowers the sum of a payment that stays partially_refunded', async () => {
    const { id } = await refunded(1000, 500)
    await callBack(ledger, id, { order: 'completed', refundedMinor: 500 })
    expect(await getPayment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
    expect((await events(id)).at(-1)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
  })

  test('makes its operation failed, with the reason and a line in its history', async () => {
    const { id, refunds } = await refunded(500)
    await callBack(ledger, id, { order: 'completed', refundedMinor: 0 })
    expect(await operation(refunds[0])).toMatchObject({
      status: 'failed',
      statusReason: expect.stringContaining('failed after all'),
      revertedAt: expect.any(Date),
    })
    const history = await listOperationChanges(ctx.db, shop.merchantId, refunds[0] ?? '')
    expect(history.at(-1)).toMatchObject({
      fromStatus: 'succeeded',
      toStatus: 'failed',
      cause: 'provider',
    })
    const replay = { key: `refund-${keys}`, body: { amountMinor: 500, reason: 'returned' } }
    const { body } = await askOperation(kassa.url, shop, id, 'refunds', replay)
    expect(body.operation).toMatchObject({
      status: 'failed',
      statusReason: expect.stringContaining('failed after all'),
    })
  })

  test('and no other operation that succeeded can become failed, also in the database', async () => {
    const { id, refunds } = await refunded(500)
    const made = (await operation(refunds[0])) as NonNullable<Awaited<ReturnType<typeof operation>>>
    const change = { to: 'failed', cause: 'operator', dueAt: null } as const
    expect(await inTransaction(ctx.db, (tx) => applyOperationIn(ctx, tx, made, change))).toBeNull()
    await expect(
      ctx.db.query(`update sandbox.operations set status = 'failed' where payment_id = $1`, [id]),
    ).rejects.toMatchObject({ constraint: 'operation_transition' })
  })

  test('frees its amount: it can be refunded again with a new key', async () => {
    const { id } = await refunded(1900)
    await callBack(ledger, id, { order: 'completed', refundedMinor: 0 })
    const request = { key: `refund-${++keys}`, body: { amountMinor: 1900, reason: 'once more' } }
    expect((await askOperation(kassa.url, shop, id, 'refunds', request)).status).toBe(201)
    await SWEEPS.moneyOperations(ctx)
    expect(await getPayment(id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
  })

  test('of two refunds of one amount is found by our id where the provider names it, else a person is asked', async () => {
    const named = await refunded(500, 500)
    const [first = '', second = ''] = named.refunds
    const refunds = [
      { key: await writeKeyOf(ctx, first), amountMinor: 500, state: 'done' },
      { key: await writeKeyOf(ctx, second), amountMinor: 500, state: 'failed' },
    ] as const
    await callBack(ledger, named.id, { refundedMinor: 500, refunds: [...refunds] })
    expect([(await operation(first))?.revertedAt, (await operation(second))?.revertedAt]).toEqual([
      null,
      expect.any(Date),
    ])
    expect(await listWarnings(named.id)).toEqual([])
    const unnamed = await refunded(500, 500)
    await callBack(ledger, unnamed.id, { refundedMinor: 500 })
    expect((await getPayment(unnamed.id)).refundedMinor).toBe(500)
    for (const id of unnamed.refunds) expect((await operation(id))?.revertedAt).toBeNull()
    expect(await listWarnings(unnamed.id)).toEqual([expect.stringContaining('which')])
  })
})

describe('a refund that failed after all, and a void of the money that it left, heard of together', () => {
  beforeEach(() => {
    ledger = openLedger(ctx, { named: true })
  })
  /** Each refund of ours at the bank failed. */
  const failed = (id: string) =>
    ledger.orders.get(referenceOf(id))?.refunds?.map((each) => ({ ...each, state: 'failed' as const }))

  test.each([
    ['all', [1900]],
    ['a part', [500]],
    ['both', [1400, 500]],
  ])('are two changes: %s was refunded', async (_, amounts) => {
    const { id, refunds } = await refunded(...amounts)
    await callBack(ledger, id, { order: 'voided', refundedMinor: 0, refunds: failed(id) ?? [] })
    expect(await getPayment(id)).toMatchObject({ status: 'reversed', capturedMinor: 0, refundedMinor: 0 })
    expect((await events(id)).slice(-2).map(({ status }) => status)).toEqual(['paid', 'reversed'])
    for (const refund of refunds) expect(await operation(refund)).toMatchObject({ status: 'failed' })
    const back = (await listEntries(ctx.db, await getPayment(id))).filter(({ kind }) =>
      /back|lost|over/.test(kind),
    )
    expect([back.map(({ kind, amountMinor }) => [kind, amountMinor]), await listWarnings(id)]).toEqual([
      [['taken_back', 1900]],
      [],
    ])
  })

  test('leave what another refund gave back', async () => {
    const { id, refunds } = await refunded(1400, 500)
    const [first, second] = ledger.orders.get(referenceOf(id))?.refunds ?? []
    const list = [
      { ...first, state: 'done' as const },
      { ...second, state: 'failed' as const },
    ] as NamedRefund[]
    await callBack(ledger, id, { order: 'voided', refundedMinor: 1400, refunds: list })
    expect((await getPayment(id)).status).toBe('reversed')
    expect((await events(id)).slice(-2).map((each) => [each.status, each.refundedMinor])).toEqual([
      ['partially_refunded', 1400],
      ['reversed', 1900],
    ])
    expect((await operation(refunds[0]))?.status).toBe('succeeded')
    expect((await operation(refunds[1]))?.status).toBe('failed')
  })
})

describe('money that was taken back', () => {
  test.each([
    ['paid', { refundedMinor: 0 }],
    ['refunded', { refundedMinor: 1900 }],
    ['disputed', { refundedMinor: 0, dispute: { amountMinor: 1900 } }],
  ] as const)('reversed becomes %s by the provider’s word', async (status, money) => {
    const { id } = await refunded()
    await callBack(ledger, id, { order: 'voided' })
    expect((await getPayment(id)).status).toBe('reversed')
    await callBack(ledger, id, { order: 'completed', ...money })
    expect((await getPayment(id)).status).toBe(status)
    expect((await events(id)).at(-1).status).toBe(status)
  })
})

describe('sums fall only by a named path', () => {
  test('an operation, an operator or an expiry never lowers what was refunded', async () => {
    const { id } = await refunded(500)
    const at = await getPayment(id)
    const money = { authorizedMinor: 1900, capturedMinor: 1900, refundedMinor: 0 }
    for (const cause of ['operation', 'operator', 'expiry', 'request'] as const)
      expect((await applyStatus(ctx, at, { to: 'paid', cause, money })).outcome).toBe('refused')
    const less = { ...money, refundedMinor: 400 }
    for (const cause of ['operation', 'operator'] as const)
      expect((await applyStatus(ctx, at, { to: 'partially_refunded', cause, money: less })).outcome).toBe(
        'refused',
      )
  })

  test('a captured or an authorized sum that falls without a reversal changes nothing, with a warning', async () => {
    const { id } = await refunded(500)
    const before = await getPayment(id)
    await callBack(ledger, id, { order: 'completed', capturedMinor: 1000, refundedMinor: 600 })
    expect(await getPayment(id)).toEqual(before)
    expect(await listWarnings(id)).toHaveLength(1)
  })

  test('the database rejects a sum that falls, and a move that only the provider may make', async () => {
    const { id } = await refunded(500)
    const up = 'version = version + 1'
    for (const [set, constraint] of [
      [`captured_minor = 1000, authorized_minor = 1000, ${up}, status = 'disputed'`, 'sums_may_not_fall'],
      [`refunded_minor = 400, ${up}, status = 'reversed'`, 'sums_may_not_fall'],
      [`refunded_minor = 400`, 'sums_may_not_fall'],
    ])
      await expect(
        ctx.db.query(`update sandbox.payments set ${set} where id = $1`, [id]),
      ).rejects.toMatchObject({ constraint })
    const move = `insert into sandbox.payment_changes (merchant_id, payment_id, version, from_status, to_status, cause, created_at)
      values ($1, $2, 99, $3, $4, $5, now())`
    for (const [from, to] of [
      ['refunded', 'paid'],
      ['partially_refunded', 'paid'],
      ['reversed', 'paid'],
    ])
      for (const cause of ['operator', 'operation', 'expiry'])
        await expect(ctx.db.query(move, [shop.merchantId, id, from, to, cause])).rejects.toMatchObject({
          constraint: 'change_needs_provider',
        })
    await expect(
      ctx.db.query(move, [shop.merchantId, id, 'expired', 'paid', 'expiry']),
    ).rejects.toMatchObject({ constraint: 'change_needs_proof' })
  })
})

test('a backup of refunds that failed after all breaks no rule of backups', async () => {
  const before = await findBrokenRules(ctx.db, 'sandbox')
  const one = await refunded(1400, 500)
  await callBack(ledger, one.id, { order: 'completed', refundedMinor: 1400 })
  const untold = await refunded(500, 500, 500)
  await callBack(ledger, untold.id, { order: 'completed', refundedMinor: 1000 })
  expect((await listWarnings(untold.id))[0]).toContain('does not say which ones')
  expect([before, await findBrokenRules(ctx.db, 'sandbox')]).toEqual([[], []])
})
