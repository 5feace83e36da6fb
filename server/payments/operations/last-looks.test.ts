/** Looks at a payment around a write: whose money it is, and answers that are older than what is stored. */
import { beforeEach, describe, expect, test } from 'vitest'
import { findAccount } from '../../accounts/choice.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { listPaymentOperations, wakeNextOperation } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { askOperation } from '../../testing/calls.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { fromSnapshot } from '../answer-meaning.ts'
import { recordForOtherAttemptIn } from '../attempts/answer.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { foldResults } from '../attempts/write-results.ts'
import { findOutside } from '../entries/fit.ts'
import { OPERATION_TABLE } from '../operation.ts'
import { knownOf } from '../own-attempt.ts'
import { findObstacle } from './send.ts'
import { concludeOperation, isOvertaken } from './verdict.ts'

const { kassa, shop, pay, getPayment, getOperation, askRefund, runOperations } = await openScene()

let ledger: Ledger
beforeEach(() => {
  ledger = openLedger(kassa.ctx)
})

/** The last looks before a write and at the end of an operation: whose money it is, and whether the answer is older than the payment. */
describe('the last looks before a write and at the end of an operation', () => {
  /** What a provider reports about a paid order. */
  const paidAs = ({ attempt, currency }: AttemptedPayment): Snapshot => ({
    order: 'completed',
    reference: attempt.reference,
    amountMinor: 1900,
    currency,
    authorizedMinor: 1900,
    capturedMinor: 1900,
    refundedMinor: 0,
  })

  test('a refund of an attempt is not sent while another attempt has the payment’s money', async () => {
    const payment = await pay()
    await askOperation(kassa.url, shop, payment.id, 'refunds', {
      key: 'refund',
      body: { amountMinor: 500, reason: 'r' },
    })
    const [operation] = await listPaymentOperations(kassa.ctx.db, shop.merchantId, payment.id)
    const account = await findAccount(kassa.ctx, payment.attempt.accountId)
    if (!operation || !account) throw new Error('there is nothing to work on')
    const snapshot = paidAs(payment)
    const obstacleOf = (given: AttemptedPayment) =>
      findObstacle(kassa.ctx, { operation, payment: given, account, row: OPERATION_TABLE.refund }, snapshot)
    expect(obstacleOf(payment)).toBeNull()
    const other = { ...payment, ownAttempt: payment.ownAttempt + 1 }
    expect(obstacleOf(other)).toBe("another attempt has the payment's money now")
  })

  test('the status of a payment says nothing of an attempt that is not its own', async () => {
    const payment = await pay()
    expect(knownOf(payment)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
    const other = knownOf({ ...payment, ownAttempt: payment.ownAttempt + 1 })
    expect([other.capturedMinor, 'status' in other]).toEqual([1900, false])
  })

  test('what is outside of a payment is entered, and not if the amounts are impossible or of another order', async () => {
    const payment = await pay()
    const snapshot = paidAs(payment)
    const more = { ...snapshot, capturedMinor: 2500 }
    expect(findOutside(payment, snapshot, false)).toBeNull()
    expect(findOutside(payment, more, false)).toEqual({ currency: 'USD', cameMinor: 2500, returnedMinor: 0 })
    for (const name of ['authorizedMinor', 'capturedMinor', 'refundedMinor'])
      expect([name, findOutside(payment, { ...more, [name]: -1 }, true)]).toEqual([name, null])
    expect(findOutside(payment, { ...more, reference: 'another' }, true)).toBeNull()
  })

  test('captures that callbacks report never sum up to more than the bank holds', async () => {
    const held = { ...paidAs(await pay()), capturedMinor: 0, authorizedMinor: 1000 }
    const capture = (key: string, amountMinor: number) =>
      ({ write: 'capture', name: key, key, providerId: null, state: 'done', amountMinor }) as const
    const capturedOf = (...amounts: number[]) => {
      const results = amounts.map((amountMinor, index) => capture(`capture ${index}`, amountMinor))
      return foldResults(held, results, ['capture']).capturedMinor
    }
    expect([capturedOf(), capturedOf(400), capturedOf(400, 700)]).toEqual([0, 400, 1000])
  })

  test('when an operation fails, the next one of its attempt is due at once', async () => {
    const payment = await pay()
    for (const key of ['first', 'second'])
      await askOperation(kassa.url, shop, payment.id, 'refunds', {
        key,
        body: { amountMinor: 500, reason: 'r' },
      })
    const list = () => listPaymentOperations(kassa.ctx.db, shop.merchantId, payment.id)
    const [first, second] = (await list()).toSorted((one, other) => one.id.localeCompare(other.id))
    if (!first || !second) throw new Error('there are no operations')
    await kassa.ctx.db.query("update sandbox.operations set status = 'processing' where id = $1", [first.id])
    const later = new Date(kassa.clock.now().getTime() + 60_000)
    await kassa.ctx.db.query('update sandbox.operations set due_at = $2 where id = $1', [second.id, later])
    const started = (await list()).find(({ id }) => id === first.id)
    if (!started) throw new Error('it is gone')
    // The end of an operation of another attempt wakes no operation of this one.
    const other = { ...second, attempt: (second.attempt ?? 0) + 1 }
    await wakeNextOperation(kassa.ctx.db, other, kassa.clock.now())
    expect((await list()).find(({ id }) => id === second.id)?.dueAt).toEqual(later)
    expect(
      await concludeOperation(kassa.ctx, started, { kind: 'failed', detail: 'the bank refused it' }),
    ).toBe(true)
    const waiting = (await list()).find(({ id }) => id === second.id)
    expect(waiting?.dueAt?.getTime()).toBeLessThan(later.getTime())
  })

  test('an operation does not end by an answer that is older than its payment', async () => {
    const payment = await pay()
    const { body } = await askOperation(kassa.url, shop, payment.id, 'refunds', {
      key: 'older',
      body: { amountMinor: 500, reason: 'r' },
    })
    await kassa.ctx.db.query("update sandbox.operations set status = 'processing' where id = $1", [
      body.operation.id,
    ])
    const find = async () => (await listPaymentOperations(kassa.ctx.db, shop.merchantId, payment.id))[0]
    const operation = await find()
    if (!operation) throw new Error('there is no operation')
    const seen = { ...((await findPaymentById(kassa.ctx.db, payment.id)) as AttemptedPayment) }
    const stale = { ...seen, version: seen.version - 1 }
    expect(
      await concludeOperation(kassa.ctx, operation, { kind: 'failed', detail: 'old', seen: stale }),
    ).toBe(false)
    expect((await find())?.status).toBe('processing')
    expect(await concludeOperation(kassa.ctx, operation, { kind: 'failed', detail: 'new', seen })).toBe(true)
    expect((await find())?.status).toBe('failed')
  })

  test('a buyer has won no more than what was left of the money', async () => {
    const payment = await pay()
    const { money } = fromSnapshot(payment, {
      ...paidAs(payment),
      refundedMinor: 500,
      disputeLostMinor: 1500,
    })
    expect(money).toMatchObject({ capturedMinor: 1900, refundedMinor: 1900 })
  })
})

/** The state of a payment that was read before its provider was asked is out of date once another attempt is the payment's own. */
describe('what was read before the provider was asked', () => {
  test('an answer is not applied, and nothing is entered, if the own attempt, the version or the sums have changed', async () => {
    const seen = await pay()
    expect(isOvertaken(seen, seen)).toBe(false)
    expect(isOvertaken(seen, { ...seen, ownAttempt: seen.ownAttempt + 1 })).toBe(true)
    expect(isOvertaken(seen, { ...seen, version: seen.version + 1 })).toBe(true)
    const other = { ...seen, ownAttempt: seen.ownAttempt + 1 }
    const more = { ...other, attempt: { ...other.attempt, refundedMinor: 500 } }
    expect([isOvertaken(other, other), isOvertaken(other, more)]).toEqual([false, true])

    const before = await listEntries(kassa.ctx.db, seen)
    const target = { ...seen.attempt, disputedMinor: 1900 }
    const enter = (payment: AttemptedPayment) =>
      inTransaction(kassa.ctx.db, (tx) =>
        recordForOtherAttemptIn(kassa.ctx, tx, payment, { report: null, target, outside: null }),
      )
    for (const stale of [
      { ...seen, ownAttempt: seen.ownAttempt + 1 },
      { ...seen, version: seen.version + 1 },
      { ...seen, attempt: { ...seen.attempt, refundedMinor: 500 } },
    ])
      expect(await enter(stale)).toBe('moved')
    expect(await listEntries(kassa.ctx.db, seen)).toEqual(before)
  })
})

/** A payment that changes while its operation asks the provider: the answer may be older than what is stored. */
describe('a payment that changes while its operation asks', () => {
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
})
