/** A payment that changes while its operation asks the provider: the answer may be older than what is stored. */
import { beforeEach, expect, test } from 'vitest'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { askAboutPayment } from '../attempts/question.ts'

const { kassa, getPayment, getOperation, pay, askRefund, runOperations } = await openScene()
let ledger: Ledger
beforeEach(() => {
  ledger = openLedger(kassa.ctx)
})

/** A refund of 500 of 1900. `meanwhile` happens between the provider's answer to the last question and its use. */
async function refundWhile(meanwhile: (paid: AttemptedPayment) => Promise<void>) {
  const paid = await pay()
  const { id } = (await askRefund(paid.id, 500)).body.operation
  ledger.duringLookUp = async () => {
    if (ledger.writes.length === 0) return
    ledger.duringLookUp = async () => {}
    await meanwhile(paid)
  }
  await runOperations()
  return { operation: await getOperation(id), payment: await getPayment(paid.id) }
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
