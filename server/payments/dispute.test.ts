/** A dispute has an amount: what is disputed cannot be refunded, the rest can, and only what was lost has gone. */
import { beforeEach, describe, expect, test } from 'vitest'
import { referenceOf } from '../id.ts'
import { findBrokenRules } from '../storage/backup/facts.ts'
import { listPaymentEvents } from '../storage/events/events.ts'
import { listMails } from '../storage/mails/mails.ts'
import { findOperationById } from '../storage/payments/operations.ts'
import { listPaymentWarnings } from '../storage/payments/payment-warnings.ts'
import { askOperation, call, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { operateHere } from '../testing/operator.ts'
import { openFiscalShop } from '../testing/payments/fiscal-shop.ts'
import { type Ledger, type OrderChange, openLedger } from '../testing/providers/ledger-bank.ts'
import { openKassa } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { refundableMinor } from './operation.ts'

const kassa = await openKassa({
  settings: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'receipts@pay.example' },
})
const { ctx } = kassa
const { shop, stored, print, printed, newKey } = await openFiscalShop(kassa)
let ledger: Ledger
beforeEach(() => {
  ledger = openLedger(ctx)
})

/** A paid payment of 19.00 USD. Returns its id. */
async function paid(): Promise<string> {
  const key = newKey()
  const { id } = (
    await createSession(kassa.url, shop, {
      key,
      body: sessionRequest({ merchantOrderId: key, customer: { email: 'ani@example.com' } }),
    })
  ).body
  await lookUp(kassa.url, shop, id)
  return id
}

async function callBack(id: string, report: OrderChange): Promise<void> {
  ledger.move(referenceOf(id), report)
  await call(`${kassa.url}/callbacks/${ctx.routes.route_a.id}`, { body: referenceOf(id) })
}

async function refund(id: string, amountMinor: number) {
  const answer = await askOperation(kassa.url, shop, id, 'refunds', {
    key: newKey(),
    body: { amountMinor, reason: 'returned' },
  })
  await SWEEPS.moneyOperations(ctx)
  return answer
}

const dispute = (amountMinor: number) => ({ dispute: { amountMinor } })
/** The dispute is over. `disputeLostMinor`: what the buyer won. */
const decided = (disputeLostMinor: number) =>
  ({ order: 'completed', dispute: undefined, disputeLostMinor }) as const
const events = async (id: string) =>
  (await listPaymentEvents(ctx.db, shop.merchantId, id)).map(({ body }) => {
    const { status, capturedMinor, refundedMinor } = JSON.parse(body).payment
    return [status, capturedMinor, refundedMinor]
  })
const warnings = async (id: string) =>
  (await listPaymentWarnings(ctx.db, shop.merchantId, id)).map(({ detail }) => detail)

describe('a lost dispute', () => {
  test('about 1.00 of 19.00 leaves a payment of which 1.00 went back, and the register prints that', async () => {
    const id = await paid()
    await print()
    await callBack(id, dispute(100))
    await callBack(id, decided(100))
    expect(await stored(id)).toMatchObject({
      status: 'partially_refunded',
      capturedMinor: 1900,
      refundedMinor: 100,
    })
    expect(await events(id)).toEqual([
      ['paid', 1900, 0],
      ['disputed', 1900, 0],
      ['partially_refunded', 1900, 100],
    ])
    await print()
    await print()
    expect((await printed(id)).map(({ amountMinor }) => amountMinor)).toEqual([1900, 100])
  })

  test('about a part leaves the rest to be refunded, and no more', async () => {
    const id = await paid()
    await callBack(id, dispute(100))
    await callBack(id, decided(100))
    const tooMuch = await refund(id, 1801)
    expect([tooMuch.status, tooMuch.body.error?.code]).toEqual([409, 'payment_not_eligible'])
    expect((await refund(id, 1800)).status).toBe(201)
    expect(await stored(id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
    expect((await events(id)).at(-1)).toEqual(['refunded', 1900, 1900])
  })

  test('about everything makes the payment reversed, with everything given back', async () => {
    const id = await paid()
    await callBack(id, dispute(1900))
    await callBack(id, decided(1900))
    expect(await stored(id)).toMatchObject({ status: 'reversed', capturedMinor: 1900, refundedMinor: 1900 })
    await callBack(id, {})
    expect((await events(id)).at(-1)).toEqual(['reversed', 1900, 1900])
    await print()
    await print()
    expect((await printed(id)).map(({ amountMinor }) => amountMinor)).toEqual([1900, 1900])
  })

  test('that a provider reports only as reversed gives back everything too', async () => {
    const id = await paid()
    await callBack(id, dispute(1900))
    await callBack(id, { ...decided(0), order: 'voided' })
    expect(await stored(id)).toMatchObject({ status: 'reversed', capturedMinor: 1900, refundedMinor: 1900 })
  })

  test('that is won after all gives the money back to the shop, and no refund is said to have failed', async () => {
    const id = await paid()
    await refund(id, 500)
    await callBack(id, decided(100))
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 600 })
    await callBack(id, decided(0))
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
    const mails = await listMails(ctx.db, { paymentId: id, limit: 9 })
    expect(mails.map(({ kind }) => kind)).not.toContain('refund_failed')
    expect(await warnings(id)).toEqual([])
    expect(await findBrokenRules(ctx.db, 'sandbox')).toEqual([])
  })
})

describe('while a payment is disputed', () => {
  test('what is disputed cannot be refunded, and the rest can', async () => {
    const id = await paid()
    await callBack(id, dispute(1000))
    const show = ['payment', 'show', '--payment', id]
    expect((await operateHere(async () => ctx, show)).stdout).toMatch(/Disputed +10\.00 USD/)
    const { status, body } = await refund(id, 901)
    expect([status, body.error?.code]).toEqual([409, 'payment_not_eligible'])
    expect(body.error?.message).toContain('Only 900 of 1900')
    expect(body.error?.message).toContain('1000')
    expect((await refund(id, 900)).status).toBe(201)
    expect(await stored(id)).toMatchObject({ status: 'disputed', refundedMinor: 900 })
    await callBack(id, decided(1000))
    expect(await stored(id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
  })

  test('and the provider does not say of how much, nothing can be refunded', async () => {
    const id = await paid()
    await callBack(id, dispute(1900))
    expect((await refund(id, 1)).status).toBe(409)
  })

  test('a refund that was accepted before the dispute is not sent if its money is disputed', async () => {
    const id = await paid()
    const { body } = await askOperation(kassa.url, shop, id, 'refunds', {
      key: newKey(),
      body: { amountMinor: 1000, reason: 'returned' },
    })
    ledger.move(referenceOf(id), dispute(1000))
    await SWEEPS.moneyOperations(ctx)
    expect(ledger.writes).toEqual([])
    const { rows } = await ctx.db.query(
      'select status, status_reason from sandbox.operations where id = $1',
      [body.operation.id],
    )
    expect(rows[0]).toMatchObject({ status: 'failed', status_reason: expect.stringContaining('only 900') })
  })

  test('a refund that completes counts at once, with an event and a receipt', async () => {
    const id = await paid()
    await print()
    ledger.bends = ['take_on']
    await refund(id, 500)
    await callBack(id, dispute(1000))
    ledger.settle(referenceOf(id), true)
    kassa.clock.advance(60_000)
    await SWEEPS.moneyOperations(ctx)
    expect(await stored(id)).toMatchObject({ status: 'disputed', refundedMinor: 500 })
    expect(await events(id)).toEqual([
      ['paid', 1900, 0],
      ['disputed', 1900, 0],
      ['disputed', 1900, 500],
    ])
    await print()
    await print()
    expect((await printed(id)).map(({ amountMinor }) => amountMinor)).toEqual([1900, 500])
    await callBack(id, decided(0))
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
  })

  test('a refund that fails after all counts at once', async () => {
    const id = await paid()
    await refund(id, 500)
    await callBack(id, dispute(1000))
    await callBack(id, { ...dispute(1000), refundedMinor: 0 })
    expect((await events(id)).slice(-2)).toEqual([
      ['disputed', 1900, 500],
      ['disputed', 1900, 0],
    ])
    const { rows } = await ctx.db.query(
      `select status from sandbox.operations where payment_id = $1 and type = 'refund'`,
      [id],
    )
    expect(rows).toEqual([{ status: 'failed' }])
  })
})

test('an inquiry of the buyer’s bank is a case for a person: the payment stays paid and can be refunded', async () => {
  const id = await paid()
  const inquiry = { inquiry: { amountMinor: 1900, reason: 'fraudulent', answerBy: '2026-12-01T00:00:00Z' } }
  await callBack(id, inquiry)
  await callBack(id, {})
  expect(await warnings(id)).toEqual([expect.stringMatching(/1900.*fraudulent.*2026-12-01/)])
  expect((await stored(id)).status).toBe('paid')
  expect((await refund(id, 1900)).status).toBe(201)
  expect((await stored(id)).status).toBe('refunded')
})

test('a refund and a lost dispute that together exceed the payment leave nothing to refund, and no amount below zero', () => {
  const report = {
    order: 'completed',
    amountMinor: 1900,
    authorizedMinor: 1900,
    capturedMinor: 1900,
  } as const
  const snapshot = { ...report, reference: 'r', currency: 'USD', refundedMinor: 500 } as const
  expect(refundableMinor({ ...snapshot, disputeLostMinor: 1900 })).toBe(0)
  expect(refundableMinor({ ...snapshot, dispute: { amountMinor: 1900 } })).toBe(0)
})

test('what the provider is still returning is not left to refund', () => {
  const report = {
    order: 'completed',
    amountMinor: 1900,
    authorizedMinor: 1900,
    capturedMinor: 1900,
  } as const
  const snapshot = { ...report, reference: 'r', currency: 'USD', refundedMinor: 500 } as const
  expect(refundableMinor({ ...snapshot, refundPendingMinor: 600 })).toBe(800)
})

test('a void is not done because a buyer won everything in a dispute meanwhile: a person decides', async () => {
  const id = await paid()
  ledger.bends = ['drop']
  ledger.meanwhile = async () => ledger.move(referenceOf(id), decided(1900))
  const request = { key: newKey(), body: { reason: 'wrong order' } }
  const { body } = await askOperation(kassa.url, shop, id, 'void', request)
  await SWEEPS.moneyOperations(ctx)
  const operation = await findOperationById(ctx.db, body.operation.id)
  expect(operation?.status).toBe('requires_operator_review')
})
