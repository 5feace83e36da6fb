/** What a provider reports later: only the whole amount counts as paid, and what happens anew is a case of the desk anew. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listDesk, settleWarnings } from '../operator/desk/desk.ts'
import type { Snapshot } from '../providers/driver.ts'
import { inTransaction } from '../storage/db.ts'
import { listEntries } from '../storage/payments/entries.ts'
import { listPaymentOperations } from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import {
  insertNewWarning,
  insertPaymentWarning,
  listPaymentWarnings,
} from '../storage/payments/payment-warnings.ts'
import { askOperation, createSession, sessionRequest } from '../testing/calls.ts'
import { placePayment } from '../testing/payments/placed-payment.ts'
import { type Ledger, openLedger } from '../testing/providers/ledger-bank.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { resolvePayment } from './decisions/payment.ts'

const { kassa, shop, getPayment, listWarnings, callBack } = await openScene()
let ledger: Ledger
let orders = 0

/** A payment counts as paid or authorized only if the provider took or holds the whole amount. */
describe('an amount that is not whole', () => {
  const { ctx } = kassa
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
})

/** What happens to a payment anew is a case of the desk anew, and what each look-up says again is settled once for all. */
describe('a warning that comes anew', () => {
  beforeAll(async () => {
    ledger = openLedger(kassa.ctx, { named: true, status: 'pending_payment' })
  })

  async function paid(): Promise<string> {
    const merchantOrderId = `anew-${++orders}`
    const { body } = await createSession(kassa.url, shop, {
      key: merchantOrderId,
      body: sessionRequest({ merchantOrderId }),
    })
    await callBack(ledger, body.id, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
    return body.id
  }
  const warnings = async (id: string) =>
    (await listPaymentWarnings(kassa.ctx.db, shop.merchantId, id)).map(({ detail, settledBy }) => [
      detail,
      settledBy,
    ])
  const settle = (id: string, by: string) => settleWarnings(kassa.ctx, id, { by, why: 'asked' })
  const onDesk = async (id: string) =>
    (await listDesk(kassa.ctx, { merchantId: shop.merchantId, limit: 100 })).cases.filter(
      ({ kind, paymentId }) => kind === 'warning' && paymentId === id,
    )

  /** The buyer wins 4.00, and then the shop gets them back while 4.00 more were refunded. */
  async function lose(id: string, refundedMinor: number): Promise<void> {
    await callBack(ledger, id, { disputeLostMinor: 400, refundedMinor })
    for (const _ of [1, 2])
      await callBack(ledger, id, { disputeLostMinor: 0, refundedMinor: refundedMinor + 400 })
  }

  test('the same thing that happens once more is told once more, and once', async () => {
    const id = await paid()
    await lose(id, 0)
    const detail = expect.stringMatching(/^400 minor units of USD that were lost in a dispute/)
    const [[first = '']] = (await warnings(id)) as [[string]]
    expect(await warnings(id)).toEqual([[detail, null]])
    await settle(id, 'Davit')
    expect(await onDesk(id)).toEqual([])
    await lose(id, 400)
    expect(await warnings(id)).toEqual([
      [first, 'Davit'],
      [`${first} (again: 2)`, null],
    ])
    expect(await onDesk(id)).toHaveLength(1)
    await settle(id, 'Mane')
    await lose(id, 800)
    await lose(id, 1_200)
    // Nobody has settled the third one when it happens for the fourth time.
    expect(await warnings(id)).toEqual([
      [first, 'Davit'],
      [`${first} (again: 2)`, 'Mane'],
      [`${first} (again: 3)`, null],
    ])
  })

  test('what the provider says with each look-up stays settled', async () => {
    const id = await paid()
    const inquiry = { inquiry: { amountMinor: 1900, reason: 'fraudulent', answerBy: '2026-12-01T00:00:00Z' } }
    await callBack(ledger, id, inquiry as Partial<Snapshot>)
    expect(await onDesk(id)).toHaveLength(1)
    await settle(id, 'Davit')
    for (const _ of [1, 2, 3]) await callBack(ledger, id, {})
    expect(await warnings(id)).toEqual([[expect.stringContaining('fraudulent'), 'Davit']])
    expect(await onDesk(id)).toEqual([])
  })

  test('two processes that tell the same at once tell it once, and another warning that begins alike is another', async () => {
    const paymentId = await paid()
    const warning = { merchantId: shop.merchantId, paymentId, createdAt: kassa.ctx.clock.now() }
    const tell = (detail: string) =>
      inTransaction(kassa.ctx.db, (tx) => insertNewWarning(tx, { ...warning, detail }))
    for (const by of ['Davit', 'Mane']) {
      await Promise.all(Array.from({ length: 8 }, () => tell('50% of it came')))
      await tell('50% of it came and went')
      await settle(paymentId, by)
    }
    expect(new Map((await warnings(paymentId)) as [string, string][])).toEqual(
      new Map([
        ['50% of it came', 'Davit'],
        ['50% of it came (again: 2)', 'Mane'],
        ['50% of it came and went', 'Davit'],
        ['50% of it came and went (again: 2)', 'Mane'],
      ]),
    )
    // The desk puts all of them in order by the payment's amount.
    const { rows: amounts } = await kassa.ctx.db.query(
      'select distinct amount_minor::int as amount from sandbox.payment_warnings where payment_id = $1',
      [paymentId],
    )
    expect(amounts).toEqual([{ amount: 1900 }])
    // What an earlier version has stored once stays so for what look-ups repeat.
    expect(await insertPaymentWarning(kassa.ctx.db, { ...warning, detail: '50% of it came' })).toBe(false)
  })
})
