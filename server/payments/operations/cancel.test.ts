/**
 * A merchant cancels a payment that nobody has paid. Nothing is captured afterwards. Money that still arrives is never the payment's. It
 * goes back by itself, or a person reads how much has to be returned.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import { listReceipts } from '../../storage/payments/receipts.ts'
import { askOperation, cancelPayment, createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { interruptedDb } from '../../testing/mortal-db.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { confirmPayment } from '../decisions/payment.ts'
import { noteReturn } from '../decisions/returned.ts'
import { cancelPayment as cancelHere } from './cancel.ts'

const { kassa, shop, getPayment, listWarnings } = await openScene()
const { ctx } = kassa
const bank = ctx.routes.route_a
beforeEach(() => {
  ctx.routes.route_a = bank
})

let orders = 0
async function open(
  changes: object = {},
): Promise<{ id: string; reference: string; checkoutUrl: string; bankUrl: string }> {
  const key = `cancel-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, ...changes })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  const { attempt } = await getPayment(session.id)
  return {
    id: session.id,
    reference: attempt.reference,
    checkoutUrl: session.checkoutUrl,
    bankUrl: session.providerCheckoutUrl,
  }
}
/** An order at a bank whose buyer has reached it and has not paid. */
async function openAtLedger(): Promise<{ id: string; reference: string; ledger: Ledger }> {
  const ledger = openLedger(ctx, { status: 'pending_payment' })
  return { ...(await open()), ledger }
}
const cancel = (id: string, key = `key-${++orders}`, body?: object) =>
  cancelPayment(kassa.url, shop, id, { key, ...(body && { body }) })
const question = async (id: string) => askAboutPayment(ctx, await getPayment(id))
const statuses = async (id: string) =>
  (await listPaymentEvents(ctx.db, shop.merchantId, id)).map(({ status }) => status)
const entries = async (id: string) =>
  (await listEntries(ctx.db, await getPayment(id))).map(({ kind, amountMinor }) => `${kind} ${amountMinor}`)
const returns = async (id: string) =>
  (await listPaymentOperations(ctx.db, shop.merchantId, id)).map(({ type, status, cause }) => [
    type,
    status,
    cause,
  ])
async function later(minutes: number): Promise<void> {
  kassa.clock.advance(minutes * 60_000)
  await SWEEPS.statusSync(ctx)
  await SWEEPS.settledSync(ctx)
  await SWEEPS.moneyOperations(ctx)
}
/** Cancelled, without sums, receipts or an event beside that of the cancel. */
async function expectUntouched(id: string): Promise<void> {
  expect(await getPayment(id)).toMatchObject({
    status: 'cancelled',
    capturedMinor: 0,
    refundedMinor: 0,
    authorizedMinor: 0,
  })
  expect((await statuses(id)).filter((status) => status === 'paid' || status === 'authorized')).toEqual([])
  expect((await statuses(id)).at(-1)).toBe('cancelled')
  expect(await listReceipts(ctx.db, shop.merchantId, id)).toEqual([])
}

describe('a cancel', () => {
  test('ends an open payment, withdraws its order, and is replayed', async () => {
    const { id, bankUrl } = await open()
    const first = await cancel(id, 'first')
    expect([first.status, first.body]).toEqual([
      201,
      { ok: true, created: true, payment: expect.objectContaining({ id, status: 'cancelled' }) },
    ])
    expect(first.body.payment.providerCheckoutUrl).toBeUndefined()
    const again = await cancel(id, 'first')
    expect([again.status, again.headers.get('x-idempotent-replay'), again.body.created]).toEqual([
      200,
      'true',
      false,
    ])
    expect(await cancel(id, 'another')).toMatchObject({ status: 200, body: { created: false } })
    expect((await cancel(id, 'first', { reason: 'other' })).body.error.code).toBe('idempotency_key_reused')
    await payAtBank(bankUrl, 'paid').catch(() => null)
    await later(1)
    await expectUntouched(id)
    expect(await statuses(id)).toEqual(['cancelled'])
  })

  test('says on the page that the order has changed', async () => {
    const { id } = await open()
    await cancel(id)
    for (const [locale, words] of [
      ['en', 'changed'],
      ['ru', 'измен'],
      ['hy', 'փոխ'],
    ]) {
      const html = await (await fetch(`${kassa.url}/checkout/${id}?locale=${locale}`)).text()
      expect(html).toContain(words)
      expect(html).not.toContain('data-testid="pay"')
    }
  })

  test.each(['paid', 'cancelled', 'declined'])(
    'of a payment that is over at the bank as %s counts what the bank says',
    async (outcome) => {
      const { id, bankUrl } = await open()
      await payAtBank(bankUrl, outcome)
      const answer = await cancel(id)
      const { status } = await getPayment(id)
      // After a decline the buyer could try again, so the payment is still open.
      if (outcome === 'declined') expect([answer.status, status]).toEqual([201, 'cancelled'])
      else expect([answer.status, answer.body.error.code]).toEqual([409, 'payment_not_eligible'])
      expect((await getPayment(id)).merchantCancelledAt === null).toBe(outcome !== 'declined')
    },
  )

  test('the bank is asked first: a payment that was paid unnoticed is paid, and not cancelled', async () => {
    const { id, reference, ledger } = await openAtLedger()
    ledger.move(reference, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
    expect((await cancel(id)).status).toBe(409)
    expect((await getPayment(id)).status).toBe('paid')
  })

  test('without a definite answer nothing changes, and the key stays usable', async () => {
    const { id, ledger } = await openAtLedger()
    ledger.away = true
    const before = await getPayment(id)
    const refused = await cancel(id, 'patient')
    expect([refused.status, refused.body.error.code, refused.headers.has('retry-after')]).toEqual([
      503,
      'provider_unavailable',
      true,
    ])
    expect((await getPayment(id)).version).toBe(before.version)
    ledger.away = false
    expect((await cancel(id, 'patient')).status).toBe(201)
  })

  test('is refused while the provider works on the payment, for an unknown outcome, and for what is no payment of this shop', async () => {
    const { id, reference, ledger } = await openAtLedger()
    ledger.move(reference, { order: 'reached', isUnderWay: true })
    expect(await cancel(id)).toMatchObject({ status: 409, body: { error: { code: 'payment_not_eligible' } } })
    ledger.move(reference, { order: 'unclear', isUnderWay: false } as never)
    await question(id)
    expect((await getPayment(id)).status).toBe('status_unknown')
    expect((await cancel(id)).status).toBe(409)
    const other = await openShop(ctx)
    expect((await cancelPayment(kassa.url, other, id, { key: 'theirs' })).status).toBe(404)
  })

  test('of many at once cancels once, and each learns of it', async () => {
    const { id } = await open()
    const all = await Promise.all(Array.from({ length: 6 }, (_, index) => cancel(id, `twin-${index % 3}`)))
    expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
    expect(await statuses(id)).toEqual(['cancelled'])
  })

  test('that meets the payment at the same moment has one of two ends', async () => {
    for (let times = 0; times < 6; times++) {
      const { id, reference, ledger } = await openAtLedger()
      const pay = () => {
        ledger.move(reference, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
        return question(id)
      }
      const [answer] = await Promise.all([cancel(id), pay()])
      for (let runs = 0; runs < 3; runs++) await later(1)
      const { status, capturedMinor } = await getPayment(id)
      if (answer.status === 201) await expectUntouched(id)
      else expect([status, capturedMinor]).toEqual(['paid', 1900])
      const left = ledger.orders.get(reference)
      expect((left?.capturedMinor ?? 0) - (left?.refundedMinor ?? 0)).toBe(capturedMinor)
    }
  })
})

describe('a cancel that meets something else at the same moment', () => {
  /** What the bank still has of the order is what the payment says that it took. */
  async function expectNothingLost(id: string, reference: string, ledger: Ledger): Promise<void> {
    for (let runs = 0; runs < 3; runs++) await later(1)
    const { capturedMinor, refundedMinor } = await getPayment(id)
    const left = ledger.orders.get(reference)
    expect((left?.capturedMinor ?? 0) - (left?.refundedMinor ?? 0)).toBe(capturedMinor - refundedMinor)
  }
  const TIMES = 6

  test('a callback: the payment is cancelled and its money goes back, or it is paid', async () => {
    for (let times = 0; times < TIMES; times++) {
      const { id, reference, ledger } = await openAtLedger()
      const callBack = async () => {
        ledger.move(reference, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
        await fetch(`${kassa.url}/callbacks/${ctx.routes.route_a.id}`, { method: 'POST', body: reference })
      }
      const [answer] = await Promise.all([cancel(id), callBack()])
      await expectNothingLost(id, reference, ledger)
      if (answer.status === 201) await expectUntouched(id)
      else expect((await getPayment(id)).status).toBe('paid')
    }
  })

  test('a capture of a hold: the hold is released, or taken for a payment that is not cancelled', async () => {
    for (let times = 0; times < TIMES; times++) {
      const { id, reference, ledger } = await openAtLedger()
      const capture = async () => {
        ledger.move(reference, { order: 'completed', authorizedMinor: 1900 })
        await question(id)
        return askOperation(kassa.url, shop, id, 'capture', { key: `capture-${id}`, body: {} })
      }
      const [cancelled, captured] = await Promise.all([cancel(id), capture()])
      await expectNothingLost(id, reference, ledger)
      expect(['201 409', '409 201', '503 201']).toContain(`${cancelled.status} ${captured.status}`)
      if (cancelled.status === 201) {
        await expectUntouched(id)
        expect(ledger.orders.get(reference)?.capturedMinor).toBe(0)
      } else expect((await getPayment(id)).status).toBe('paid')
    }
  })
})

describe('a process that dies during a cancel', () => {
  test.each([
    'find_cancellation',
    'forbid_finalizing',
    'insert_cancellation',
    'update_payment_status',
    'insert_payment_change',
  ])('at %s loses nothing: the same key cancels once', async (at) => {
    const { id } = await open()
    const die = () => Promise.reject(new Error('the process is killed'))
    const dying = { ...ctx, db: interruptedDb(ctx.db, at, die) }
    const request = {
      merchantId: shop.merchantId,
      idempotencyKey: 'dying',
      paymentId: id,
      request: { reason: 'r' },
    }
    await expect(cancelHere(dying, request)).rejects.toThrow('killed')
    expect(await getPayment(id)).toMatchObject({ status: 'pending_redirect', merchantCancelledAt: null })
    expect((await cancelHere(ctx, request)).created).toBe(true)
    expect(await statuses(id)).toEqual(['cancelled'])
  })

  test('after it is stored leaves the order to the schedule', async () => {
    const { id, bankUrl } = await open()
    // The bank knows an order once its buyer has come.
    await fetch(bankUrl)
    const die = () => Promise.reject(new Error('the process is killed'))
    const dying = { ...ctx, db: interruptedDb(ctx.db, 'record_attempt', die) }
    await cancelHere(dying, {
      merchantId: shop.merchantId,
      idempotencyKey: 'dying',
      paymentId: id,
      request: { reason: 'r' },
    }).catch(() => null)
    expect((await getPayment(id)).status).toBe('cancelled')
    await later(2)
    // Withdrawn by the call that died, or by the schedule.
    expect((await getPayment(id)).attempt.state).toMatch(/withdrawn|expired/)
  })
})

describe('late money', () => {
  test('that was taken is surplus, and goes back by itself, once', async () => {
    const { id, reference, ledger } = await openAtLedger()
    await cancel(id)
    ledger.move(reference, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
    await Promise.all([question(id), question(id), question(id)])
    expect(await entries(id)).toEqual(['unmatched 1900'])
    for (let runs = 0; runs < 3; runs++) await later(1)
    expect(await returns(id)).toEqual([['refund', 'succeeded', 'service']])
    expect(await entries(id)).toEqual(['unmatched 1900', 'over_returned 1900'])
    expect(ledger.orders.get(reference)).toMatchObject({ refundedMinor: 1900 })
    expect(await listWarnings(id)).toEqual([])
    await expectUntouched(id)
  })

  test('that is held is released, never captured, and no surplus', async () => {
    const { id, reference, ledger } = await openAtLedger()
    await cancel(id)
    ledger.move(reference, { order: 'completed', authorizedMinor: 1900 })
    for (let runs = 0; runs < 3; runs++) await later(1)
    expect(await returns(id)).toEqual([['void', 'succeeded', 'service']])
    expect((await askOperation(kassa.url, shop, id, 'capture', { key: `c-${id}` })).status).toBe(409)
    expect(ledger.writes.map(({ method }) => method)).toEqual(['void'])
    expect([await entries(id), await listWarnings(id)]).toEqual([[], []])
    await expectUntouched(id)
  })

  test('whose return fails is a case with its amount, and so is one that nobody may return', async () => {
    const failing = await openAtLedger()
    await cancel(failing.id)
    failing.ledger.bends = ['refuse']
    failing.ledger.move(failing.reference, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
    for (let runs = 0; runs < 4; runs++) await later(2)
    expect((await returns(failing.id))[0]).toEqual(['refund', 'failed', 'service'])
    expect((await listWarnings(failing.id)).join('\n')).toContain('19.00 USD')
    await expectUntouched(failing.id)

    const { id, reference, ledger } = await openAtLedger()
    const { route_a: route } = ctx.routes
    ctx.routes.route_a = { ...route, settings: { ...route.settings, OPERATIONS: 'disabled' } }
    await cancel(id)
    ledger.move(reference, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
    await later(1)
    expect([await returns(id), (await listWarnings(id)).join('\n')]).toEqual([
      [],
      expect.stringContaining('give 19.00 USD'),
    ])
    await expectUntouched(id)
  })

  test('that is disputed, and lost, is a case, and nothing is returned twice', async () => {
    const { id, reference, ledger } = await openAtLedger()
    await cancel(id)
    ledger.move(reference, {
      order: 'completed',
      authorizedMinor: 1900,
      capturedMinor: 1900,
      dispute: { amountMinor: 1900 },
    })
    await later(1)
    expect([await returns(id), (await listWarnings(id)).join('\n')]).toEqual([
      [],
      expect.stringContaining('19.00 USD'),
    ])
    ledger.move(reference, { dispute: undefined, disputeLostMinor: 1900 })
    await later(1)
    expect(await entries(id)).toEqual(['unmatched 1900', 'over_returned 1900'])
    expect(await returns(id)).toEqual([])
    await expectUntouched(id)
  })

  test('of a bank transfer is entered beside the payment, and returned by hand', async () => {
    const { id } = await open({ provider: 'manual' })
    expect((await cancel(id)).status).toBe(201)
    const { confirmed } = await confirmPayment(ctx, id, { reference: 'IN-1', actor: 'anna' })
    expect(confirmed).toBe(true)
    expect(await entries(id)).toEqual(['unmatched 1900'])
    expect((await listWarnings(id)).join('\n')).toContain('19.00 USD arrived after the payment was cancelled')
    expect((await confirmPayment(ctx, id, { reference: ' in-1', actor: 'anna' })).confirmed).toBe(false)
    await noteReturn(ctx, id, { reference: 'OUT-1', amountMinor: 1900, actor: 'anna', why: 'sent back' })
    expect(await entries(id)).toEqual(['unmatched 1900', 'over_returned 1900'])
    await expectUntouched(id)
  })

  test('after the buyer’s own cancel is still the payment’s', async () => {
    const { id, reference, ledger } = await openAtLedger()
    ledger.move(reference, { order: 'cancelled' })
    await question(id)
    expect((await getPayment(id)).status).toBe('cancelled')
    ledger.move(reference, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
    await question(id)
    expect(await getPayment(id)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
  })
})
