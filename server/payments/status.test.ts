import { beforeAll, describe, expect, test } from 'vitest'
import { PAYMENT_STATUSES, type PaymentStatus } from '../contract/payment.ts'
import { referenceOf } from '../id.ts'
import { listPaymentEvents } from '../storage/events/events.ts'
import { CAUSES, type Cause, listPaymentChanges } from '../storage/payments/payment-changes.ts'
import { findPayment, findPaymentById } from '../storage/payments/payments.ts'
import { askOperation, call } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { moneyIn, placePayment, reportOf } from '../testing/payments/placed-payment.ts'
import { listTransitions } from '../testing/payments/status-changes.ts'
import { type Ledger, openLedger } from '../testing/providers/ledger-bank.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { canExpire, canMove, findUnnamedFall, isOpen, STATUS_TABLE, WITHOUT_EVENT } from './status.ts'
import { applyStatus } from './transition.ts'

const { kassa, shop } = await openScene()

type Placed = Awaited<ReturnType<typeof placePayment>>
const paymentIn = (status: PaymentStatus, order: string) => placePayment(kassa, shop, { status, order })

describe('the payment status table', () => {
  test('has the same pairs in the code and in the database', async () => {
    const inCode = PAYMENT_STATUSES.flatMap((from) => STATUS_TABLE[from].to.map((to) => `${from} ${to}`))
    expect(await listTransitions(kassa.ctx.db, 'payment')).toEqual(inCode.sort())
  })

  test('of all 169 pairs, a provider changes exactly those of the table, each with one timeline line and one event', async () => {
    for (const from of PAYMENT_STATUSES) {
      // What was refused has changed nothing, so the payment serves again.
      let unmoved: Placed | null = null
      for (const to of PAYMENT_STATUSES) {
        const at: Placed = unmoved ?? (await paymentIn(from, `${from}-${to}`))
        const before = await findPayment(kassa.ctx.db, at.merchantId, at.id)
        // A partially refunded or disputed payment keeps its status while more money goes back. An unknown payment keeps its status while
        // more becomes known. A dispute, a reversal or a doubt lowers no sum.
        const keeps =
          ['disputed', 'reversed', 'status_unknown'].includes(to) && moneyIn(from).authorizedMinor > 0
        const more = to === 'status_unknown' ? { authorizedMinor: 700 } : { refundedMinor: 700 }
        const money =
          from === to
            ? { ...moneyIn(to), ...(canMove(to, to, 'provider') && more) }
            : moneyIn(keeps ? from : to)
        const applied = await applyStatus(kassa.ctx, at, { to, cause: 'provider', money })
        const after = await findPayment(kassa.ctx.db, at.merchantId, at.id)
        const moves = canMove(from, to, 'provider')
        unmoved = moves ? null : at
        expect([from, to, applied.outcome]).toEqual([
          from,
          to,
          moves ? 'changed' : from === to ? 'same' : 'refused',
        ])
        expect(after?.status).toBe(moves ? to : from)
        expect(after?.version).toBe((before?.version ?? 0) + (moves ? 1 : 0))
        const lines = await listPaymentChanges(kassa.ctx.db, at.merchantId, at.id)
        expect(lines.length).toBe(after?.version)
        const events = await listPaymentEvents(kassa.ctx.db, at.merchantId, at.id)
        expect(events.map((event) => event.status)).toEqual(moves && !WITHOUT_EVENT.includes(to) ? [to] : [])
      }
    }
  })

  test('a captured sum falls only by a reversal, a hold also by a failure, and a returned sum by the provider alone', () => {
    const nothing = { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
    const taken = { ...nothing, authorizedMinor: 1900, capturedMinor: 1900 }
    const held = { ...nothing, authorizedMinor: 1900 }
    const fallsTo = (to: PaymentStatus, before: typeof nothing, after = nothing, cause: Cause = 'provider') =>
      findUnnamedFall({ status: 'paid', ...before }, { ...after, to, cause })
    expect(fallsTo('reversed', taken)).toBe(null)
    expect(fallsTo('failed', taken)).toBe('captured')
    expect([fallsTo('reversed', held), fallsTo('failed', held)]).toEqual([null, null])
    expect(fallsTo('paid', held)).toBe('authorized')
    const returned = { ...taken, refundedMinor: 500 }
    expect(fallsTo('paid', returned, taken)).toBe(null)
    expect(fallsTo('paid', returned, taken, 'operation')).toBe('refunded')
  })

  test('an ended payment becomes paid only by the provider, an operation or an operator', () => {
    for (const from of ['failed', 'cancelled', 'expired'] as const) {
      for (const cause of CAUSES)
        expect(canMove(from, 'paid', cause)).toBe(['provider', 'operation', 'operator'].includes(cause))
    }
  })

  test('a refund that failed after all, and money after a reversal, are believed only from the provider', () => {
    for (const [from, to] of [
      ['refunded', 'paid'],
      ['refunded', 'partially_refunded'],
      ['partially_refunded', 'paid'],
      ['reversed', 'paid'],
      ['reversed', 'refunded'],
      ['reversed', 'disputed'],
    ] as const)
      expect(CAUSES.filter((cause) => canMove(from, to, cause))).toEqual(['provider'])
  })

  test('paid never becomes failed, cancelled, expired or unknown', () => {
    for (const to of ['failed', 'cancelled', 'expired', 'status_unknown'] as const)
      for (const cause of CAUSES) expect(canMove('paid', to, cause)).toBe(false)
    expect(isOpen('paid')).toBe(false)
  })

  test('the database rejects a status change outside the table, a skipped version, changed terms and impossible amounts', async () => {
    const paid = await paymentIn('paid', 'guarded')
    const updates = {
      payment_transition: `update sandbox.payments set status = 'expired', version = version + 1 where id = $1`,
      money_is_conserved: `update sandbox.payments set refunded_minor = captured_minor + 1 where id = $1`,
      payment_terms: `update sandbox.payments set amount_minor = 1 where id = $1`,
      status_agrees_with_money: `update sandbox.payments set status = 'refunded', version = version + 1 where id = $1`,
    }
    for (const [constraint, text] of Object.entries(updates))
      await expect(kassa.ctx.db.query(text, [paid.id])).rejects.toMatchObject({ constraint })
    const skipped = `update sandbox.payments set status = 'disputed', version = version + 2 where id = $1`
    await expect(kassa.ctx.db.query(skipped, [paid.id])).rejects.toMatchObject({
      constraint: 'payment_transition',
    })
  })

  test('the database rejects a new payment that has money or is past its first status change', async () => {
    const insert = `insert into sandbox.payments (merchant_id, id, merchant_order_id, amount_minor, currency, status, version, authorized_minor, captured_minor, expires_at, created_at, updated_at)
      select merchant_id, 'pay_' || $1, 'new', amount_minor, currency, $2, $3, $4, $4, expires_at, created_at,
      updated_at from sandbox.payments limit 1`
    for (const [status, version, money] of [
      ['paid', 1, 1900],
      ['pending_redirect', 0, 0],
      ['created', 1, 0],
      ['failed', 1, 0],
      ['created', 0, 1],
    ])
      await expect(
        kassa.ctx.db.query(insert, [`new-${status}`, status, version, money]),
      ).rejects.toMatchObject({
        constraint: 'payment_starts_unpaid',
      })
  })

  test('twenty identical concurrent changes make one change and one event', async () => {
    const at = await paymentIn('pending_payment', 'at-once')
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        applyStatus(kassa.ctx, at, { to: 'paid', cause: 'provider', money: moneyIn('paid') }),
      ),
    )
    expect(outcomes.filter((applied) => applied.outcome === 'changed')).toHaveLength(1)
    expect(outcomes.filter((applied) => applied.outcome === 'same')).toHaveLength(19)
    expect(await listPaymentEvents(kassa.ctx.db, at.merchantId, at.id)).toHaveLength(1)
  })
})

/** Tries all pairs of statuses from outside: through a provider's callback and through operations. */
describe('all pairs of statuses from outside', () => {
  let shop: Shop
  let ledger: Ledger
  beforeAll(async () => {
    shop = await openShop(kassa.ctx)
    ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
  })

  /** Returns the payment's status, and how many timeline lines and events it has. */
  async function readState(id: string) {
    const { db } = kassa.ctx
    const payment = await findPaymentById(db, id)
    const lines = await listPaymentChanges(db, shop.merchantId, id)
    const events = await listPaymentEvents(db, shop.merchantId, id)
    return { status: payment?.status, lines: lines.length, events: events.length }
  }

  /** A provider can never report these statuses, because it cannot undo the opening of a checkout. */
  const NOT_REPORTABLE: readonly PaymentStatus[] = ['created', 'pending_redirect']

  /** Tries every pair that changes something, and one in `every` of the others. */
  async function reportPairs({ every }: { every: number }): Promise<void> {
    const moved: string[] = []
    const expected: string[] = []
    for (const [row, from] of PAYMENT_STATUSES.entries())
      for (const [column, to] of PAYMENT_STATUSES.entries()) {
        // A decline, or the bank's own time-out, ends the attempt. The payment can be tried again until it expires.
        const endsAttempt = isOpen(from) && (to === 'failed' || to === 'expired')
        const becomes = endsAttempt ? 'pending_payment' : to
        // The money of an open payment moved on before anybody asked. Both are sent: the taking, and what came after it.
        const isDirect = canMove(from, becomes, 'provider')
        const isLearnedLate = !isDirect && canExpire(from) && (moneyIn(to).capturedMinor ?? 0) > 0
        const mustMove = from !== becomes && (isDirect || isLearnedLate) && !NOT_REPORTABLE.includes(to)
        if (mustMove) expected.push(`${from} ${to}`)
        else if ((row + column) % every > 0) continue
        const { id } = await placePayment(kassa, shop, { status: from, order: `${every}-${from}-${to}` })
        const before = await readState(id)
        const reference = referenceOf(id)
        ledger.move(reference, reportOf(to))
        const answer = await call(`${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`, {
          body: reference,
        })
        expect(answer.status).toBe(200)
        const after = await readState(id)
        if (after.status !== from) moved.push(`${from} ${to}`)
        const isMoved = after.status === becomes && from !== becomes
        const steps = isLearnedLate ? 2 : 1
        expect([from, to, after]).toEqual([
          from,
          to,
          isMoved ? { status: becomes, lines: before.lines + steps, events: before.events + steps } : before,
        ])
      }
    expect(moved).toEqual(expected)
  }

  test('a callback makes exactly the status changes that the table allows, or two of them; others change and send nothing', () =>
    reportPairs({ every: 4 }))

  test('of all the 169 pairs too', { tags: ['long'] }, () => reportPairs({ every: 1 }))

  test('an operation is accepted in exactly the statuses of the operation table; else it is rejected and changes nothing', async () => {
    const accepted: string[] = []
    for (const [what, body] of [
      ['refunds', { amountMinor: 100, reason: 'r' }],
      ['capture', {}],
      ['void', { reason: 'r' }],
    ] as const)
      for (const from of PAYMENT_STATUSES) {
        const { id } = await placePayment(kassa, shop, { status: from, order: `${what}-${from}` })
        ledger.move(referenceOf(id), reportOf(from))
        const before = await readState(id)
        const answer = await askOperation(kassa.url, shop, id, what, { key: `${what}-${from}`, body })
        await SWEEPS.moneyOperations(kassa.ctx)
        const after = await readState(id)
        if (answer.status === 201) accepted.push(`${from} ${what} ${after.status}`)
        else {
          expect([from, what, answer.status, answer.body.error.code]).toEqual([
            from,
            what,
            409,
            'payment_not_eligible',
          ])
          expect(after).toEqual(before)
        }
      }
    expect(accepted).toEqual([
      'paid refunds partially_refunded',
      'partially_refunded refunds partially_refunded',
      'authorized capture paid',
      'authorized void reversed',
      'paid void reversed',
    ])
  })
})
