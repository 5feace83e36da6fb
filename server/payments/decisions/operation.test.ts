/** An operator resolves an operation. The provider is asked first, and its books decide what the operator may say. */
import { beforeEach, expect, test } from 'vitest'
import { findOperationById } from '../../storage/payments/operations.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { interruptedDb } from '../../testing/mortal-db.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { resolveOperation } from './operation.ts'

const { kassa, shop, getPayment } = await openScene()
let ledger: Ledger
beforeEach(() => {
  ledger = openLedger(kassa.ctx)
})

const MINUTE_MS = 60_000
const ANI = { actor: 'Ani', why: 'the bank said so on the phone' }
let orders = 0
const operation = (id: string) => findOperationById(kassa.ctx.db, id)
const resolve = (id: string, as: 'succeeded' | 'failed', ctx = kassa.ctx) =>
  resolveOperation(ctx, id, as, ANI)

/** A refund of 500 of 1900 that the bank did not do in ten minutes: a person has to decide. */
async function openReview(): Promise<{ id: string; paymentId: string; reference: string }> {
  const key = `decision-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 1900 })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  await lookUp(kassa.url, shop, session.id)
  ledger.bends = ['drop']
  const request = { key, body: { amountMinor: 500, reason: 'r' } }
  const answer = await askOperation(kassa.url, shop, session.id, 'refunds', request)
  await SWEEPS.moneyOperations(kassa.ctx)
  kassa.clock.advance(11 * MINUTE_MS)
  await SWEEPS.moneyOperations(kassa.ctx)
  const { id } = answer.body.operation
  expect((await operation(id))?.status).toBe('requires_operator_review')
  return { id, paymentId: session.id, reference: (await getPayment(session.id)).attempt.reference }
}

const refunded = (refundedMinor: number) => ({ refundedMinor })

test('a refund that the bank has done cannot be resolved as failed, and its money is not refunded a second time', async () => {
  const { id, paymentId, reference } = await openReview()
  ledger.move(reference, refunded(500))
  await expect(resolve(id, 'failed')).rejects.toMatchObject({
    code: 'payment_not_eligible',
    message: expect.stringMatching(/500 refunded.*0 refunded before.*succeeded/s),
  })
  expect(await operation(id)).toMatchObject({ status: 'requires_operator_review' })
  expect(await getPayment(paymentId)).toMatchObject({ refundReservedMinor: 500 })
  await resolve(id, 'succeeded')
  expect(await getPayment(paymentId)).toMatchObject({ refundedMinor: 500, refundReservedMinor: 0 })
})

test('a refund that is resolved as succeeded never lowers what is known to be refunded', async () => {
  const { id, paymentId, reference } = await openReview()
  ledger.move(reference, refunded(800))
  await askAboutPayment(kassa.ctx, await getPayment(paymentId))
  expect((await getPayment(paymentId)).refundedMinor).toBe(800)
  await resolve(id, 'succeeded')
  expect(await getPayment(paymentId)).toMatchObject({ refundedMinor: 800, refundReservedMinor: 0 })
})

test('a bank that later says less lowers nothing', async () => {
  const { id, paymentId, reference } = await openReview()
  ledger.move(reference, refunded(800))
  await askAboutPayment(kassa.ctx, await getPayment(paymentId))
  ledger.move(reference, refunded(500))
  await resolve(id, 'succeeded')
  expect(await getPayment(paymentId)).toMatchObject({ refundedMinor: 800, refundReservedMinor: 0 })
})

test('what another refund has moved meanwhile is booked, also when the operation has failed', async () => {
  const { id, paymentId, reference } = await openReview()
  ledger.move(reference, refunded(300))
  await resolve(id, 'failed')
  expect(await operation(id)).toMatchObject({ status: 'failed' })
  expect(await getPayment(paymentId)).toMatchObject({ refundedMinor: 300, refundReservedMinor: 0 })
})

test('a refund of which the bank knows nothing cannot be resolved as succeeded', async () => {
  const { id, paymentId } = await openReview()
  await expect(resolve(id, 'succeeded')).rejects.toMatchObject({
    code: 'payment_not_eligible',
    message: expect.stringMatching(/as before.*failed/s),
  })
  expect(await getPayment(paymentId)).toMatchObject({ status: 'paid', refundedMinor: 0 })
  await resolve(id, 'failed')
  expect(await getPayment(paymentId)).toMatchObject({
    status: 'paid',
    refundedMinor: 0,
    refundReservedMinor: 0,
  })
})

test('nothing is decided about a refund that the bank is still working on', async () => {
  const { id, reference } = await openReview()
  ledger.move(reference, { refundPendingMinor: 500 })
  for (const as of ['failed', 'succeeded'] as const)
    await expect(resolve(id, as)).rejects.toMatchObject({ message: expect.stringContaining('still working') })
  expect((await operation(id))?.status).toBe('requires_operator_review')
})

test('nothing is decided while the bank cannot be asked', async () => {
  const { id } = await openReview()
  ledger.away = true
  for (const as of ['failed', 'succeeded'] as const)
    await expect(resolve(id, as)).rejects.toMatchObject({ code: 'provider_unavailable' })
  expect((await operation(id))?.status).toBe('requires_operator_review')
})

test('a payment that changes while the bank is asked is left to a new decision', async () => {
  const { id, paymentId, reference } = await openReview()
  const db = interruptedDb(kassa.ctx.db, 'lock_payment', async () => {
    ledger.move(reference, refunded(500))
    await askAboutPayment(kassa.ctx, await getPayment(paymentId))
  })
  await expect(resolve(id, 'failed', { ...kassa.ctx, db })).rejects.toMatchObject({
    code: 'payment_not_eligible',
    message: expect.stringContaining('is partially_refunded now'),
  })
  expect(await getPayment(paymentId)).toMatchObject({ refundedMinor: 500, refundReservedMinor: 500 })
})

test('what a buyer won in a dispute is known as that after a decision, so no refund seems to have failed later', async () => {
  const { id, paymentId, reference } = await openReview()
  ledger.move(reference, { disputeLostMinor: 300 })
  await resolve(id, 'failed')
  expect(await getPayment(paymentId)).toMatchObject({ refundedMinor: 300 })
  ledger.move(reference, refunded(200))
  await askAboutPayment(kassa.ctx, await getPayment(paymentId))
  expect(await getPayment(paymentId)).toMatchObject({
    refundedMinor: 500,
    attempt: { disputeLostMinor: 300 },
  })
  expect(await listPaymentWarnings(kassa.ctx.db, shop.merchantId, paymentId)).toEqual([])
})
