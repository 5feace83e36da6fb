/** What happens to a payment anew is a case of the desk anew, and what each look-up says again is settled once for all. */
import { beforeAll, expect, test } from 'vitest'
import { listDesk, settleWarnings } from '../operator/desk/desk.ts'
import type { Snapshot } from '../providers/driver.ts'
import { inTransaction } from '../storage/db.ts'
import {
  insertNewWarning,
  insertPaymentWarning,
  listPaymentWarnings,
} from '../storage/payments/payment-warnings.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { type Ledger, openLedger } from '../testing/providers/ledger-bank.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop, callBack } = await openScene()
let ledger: Ledger
let orders = 0
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
