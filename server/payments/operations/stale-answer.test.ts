/** A payment that changes while its operation asks the provider: the answer may be older than what is stored. */
import { afterAll, beforeEach, expect, test } from 'vitest'
import { findOperationById } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { openShop, startKassa } from '../../testing/harness.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askAboutPayment } from '../attempts/question.ts'

const kassa = await startKassa()
const shop = await openShop(kassa.ctx)
afterAll(() => kassa.close())
let ledger: Ledger
beforeEach(() => {
  ledger = openLedger(kassa.ctx)
})

let orders = 0
const payment = async (id: string) => (await findPaymentById(kassa.ctx.db, id)) as AttemptedPayment

/** A refund of 500 of 1900. `meanwhile` happens between the provider's answer to the last question and its use. */
async function refundWhile(meanwhile: (paid: AttemptedPayment) => Promise<void>) {
  const key = `stale-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 1900 })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  await lookUp(kassa.url, shop, session.id)
  const paid = await payment(session.id)
  const request = { key, body: { amountMinor: 500, reason: 'r' } }
  const { id } = (await askOperation(kassa.url, shop, session.id, 'refunds', request)).body.operation
  ledger.whileAsked = async () => {
    if (ledger.writes.length === 0) return
    ledger.whileAsked = async () => {}
    await meanwhile(paid)
  }
  await SWEEPS.moneyOperations(kassa.ctx)
  return { operation: await findOperationById(kassa.ctx.db, id), payment: await payment(session.id) }
}

test('an answer that is older than what is stored lowers nothing: the provider is asked again, and a person decides', async () => {
  const { operation, payment: now } = await refundWhile(async (paid) => {
    ledger.move(paid.attempt.reference, { refundedMinor: 800 })
    await askAboutPayment(kassa.ctx, paid)
  })
  expect(now).toMatchObject({ status: 'partially_refunded', refundedMinor: 800 })
  expect(operation?.status).toBe('requires_operator_review')
})

test('a question of somebody else that sees the refund first changes nothing of its outcome', async () => {
  const { operation, payment: now } = await refundWhile(async (paid) => {
    await askAboutPayment(kassa.ctx, paid)
  })
  expect(now).toMatchObject({ status: 'partially_refunded', refundedMinor: 500, refundReservedMinor: 0 })
  expect([operation?.status, ledger.writes.length]).toEqual(['succeeded', 1])
})
