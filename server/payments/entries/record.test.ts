/** The book in the database: it is never changed, the sums are held to it, and every answer is written once. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { NamedRefund, Snapshot } from '../../providers/driver.ts'
import { findBrokenRules } from '../../storage/backup/facts.ts'
import { inTransaction, openDb } from '../../storage/db.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import { ENTRY_KINDS, type EntryRecord, listEntries } from '../../storage/payments/entries.ts'
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { askOperation } from '../../testing/calls.ts'
import { watchedDb } from '../../testing/mortal-db.ts'
import { type Ledger, type OrderChange, openLedger } from '../../testing/providers/ledger-bank.ts'
import { type Random, seededRandom } from '../../testing/random.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { confirmPayment, resolvePayment } from '../decisions/payment.ts'
import { computeSums } from './entry.ts'

const PAID = { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 } as const

/** The database's own sums of an attempt's entries. */
const SUMS = `select authorized as "authorizedMinor", captured as "capturedMinor", refunded as "refundedMinor",
  disputed as "disputedMinor", dispute_lost as "disputeLostMinor" from sandbox.entry_sums($1, $2, $3)`

const { kassa, shop, openPayment, getPayment, listWarnings, askRefund, runOperations, callBack } =
  await openScene()
let ledger: Ledger
beforeEach(() => {
  ledger = openLedger(kassa.ctx, { named: true, status: 'pending_payment' })
})

const entries = (payment: AttemptedPayment) => listEntries(kassa.ctx.db, payment)
const text = ({ kind, amountMinor }: EntryRecord) => `${kind} ${amountMinor}`
const book = async (payment: AttemptedPayment) => (await entries(payment)).map(text)
const warnings = ({ id }: AttemptedPayment) => listWarnings(id)
const query = (sql: string, values: unknown[]) => kassa.ctx.db.query(sql, values)

async function pay(request = {}): Promise<AttemptedPayment> {
  const payment = await openPayment(request)
  await callBack(ledger, payment.id, PAID)
  return getPayment(payment.id)
}

async function refund({ id }: AttemptedPayment, amountMinor: number): Promise<void> {
  expect((await askRefund(id, amountMinor)).status).toBe(201)
  await runOperations()
}

describe('the book and the database', () => {
  test('have the same kinds and the same formulas', async () => {
    const { rows } = await query(
      `select pg_get_constraintdef(oid) as rule from pg_constraint where conname = 'entry_kind_check'`,
      [],
    )
    const kinds = [...rows[0].rule.matchAll(/'(\w+)'/g)].map(([, kind]) => kind)
    expect(kinds).toEqual([...ENTRY_KINDS])
    const payment = await pay()
    const random = seededRandom(7)
    const insert = `insert into sandbox.entries (merchant_id, payment_id, attempt, number, kind, amount_minor, currency, proof,
      created_at) values ($1, $2, $3, $4, $5, $6, 'USD', 'test', now())`
    const { merchantId, id } = payment
    // The sums that these entries make are not those of the payment, so nothing of it is committed.
    await inTransaction(kassa.ctx.db, async (tx) => {
      for (let number = 2; number <= 30; number++) {
        const kind = ENTRY_KINDS[random(0, ENTRY_KINDS.length)]
        await tx.query(insert, [merchantId, id, random(1, 3), number, kind, random(1, 500)])
        const all = await listEntries(tx, payment)
        for (const attempt of [1, 2]) {
          const { rows } = await tx.query(SUMS, [merchantId, id, attempt])
          expect(rows).toEqual([computeSums(all.filter((entry) => entry.attempt === attempt))])
        }
      }
      throw new Error('enough')
    }).catch((error) => expect(error.message).toBe('enough'))
  })

  test('an entry is never changed or deleted', async () => {
    const { id } = await pay()
    for (const wrong of [
      `update sandbox.entries set amount_minor = 1 where payment_id = $1`,
      `delete from sandbox.entries where payment_id = $1`,
    ])
      await expect(query(wrong, [id])).rejects.toMatchObject({ constraint: 'entries_are_kept' })
    await expect(query('truncate sandbox.entries', [])).rejects.toMatchObject({
      constraint: 'entries_are_kept',
    })
  })

  test('sums that are not those of the entries are rejected at the commit, of a payment, an attempt and an entry', async () => {
    const { id, merchantId } = await pay()
    const entry = `insert into sandbox.entries (merchant_id, payment_id, attempt, number, kind, amount_minor, currency, proof, created_at)
      values ($2, $1, 1, 99, 'refunded', 100, 'USD', 'test', now())`
    for (const [wrong, ...values] of [
      [
        `update sandbox.payments set status = 'partially_refunded', version = version + 1, refunded_minor = 100 where id = $1`,
        id,
      ],
      [`update sandbox.attempts set refunded_minor = 100 where payment_id = $1`, id],
      [`update sandbox.attempts set disputed_minor = 100 where payment_id = $1`, id],
      [entry, id, merchantId],
    ] as const)
      await expect(query(wrong, [...values])).rejects.toMatchObject({ constraint: 'sums_of_entries' })
    expect(await book(await getPayment(id))).toEqual(['taken 1900'])
  })

  test('a backup with other sums breaks a rule of backups', async () => {
    const { id } = await pay()
    const { db } = kassa.ctx
    expect(await findBrokenRules(db, 'sandbox')).toEqual([])
    await db.query('alter table sandbox.attempts disable trigger user')
    await query('update sandbox.attempts set refunded_minor = 100 where payment_id = $1', [id])
    expect(await findBrokenRules(db, 'sandbox')).toEqual([
      { rule: expect.stringContaining('those of its entries'), rows: 1 },
    ])
    await query('update sandbox.attempts set refunded_minor = 0 where payment_id = $1', [id])
    await db.query('alter table sandbox.attempts enable trigger user')
  })

  test('a movement of the provider has its id, its proof and its time', async () => {
    const payment = await openPayment()
    await callBack(ledger, payment.id, {
      ...PAID,
      providerTransactionId: 'cap-7',
      capturedAt: '2026-01-02T03:04:05.000Z',
    })
    expect(await entries(payment)).toMatchObject([
      {
        number: 1,
        attempt: 1,
        kind: 'taken',
        amountMinor: 1900,
        currency: 'USD',
        providerId: 'cap-7',
        proof: 'answer',
        movedAt: new Date('2026-01-02T03:04:05.000Z'),
      },
    ])
  })
})

describe('every path enters what it moves', () => {
  test('a payment that never moved money has no entry', async () => {
    const payment = await openPayment()
    await callBack(ledger, payment.id, { order: 'declined' })
    expect(await entries(payment)).toEqual([])
  })

  test('a creation neither reads nor writes the book', async () => {
    const { ctx } = kassa
    const { db } = ctx
    const statements: string[] = []
    ctx.db = watchedDb(
      db,
      (name) => statements.push(name),
      () => false,
    )
    await openPayment().finally(() => {
      ctx.db = db
    })
    expect(statements.length).toBeGreaterThan(1)
    expect(statements.filter((name) => name.includes('entr'))).toEqual([])
  })

  test('operations: a refund, a capture of a part, and a void', async () => {
    const refunded = await pay()
    await refund(refunded, 500)
    const [, back] = await entries(refunded)
    expect(back).toMatchObject({ kind: 'refunded', amountMinor: 500, providerId: expect.any(String) })
    expect(back?.proof).toMatch(/^operation opr_/)

    const captured = await openPayment()
    await callBack(ledger, captured.id, { order: 'completed', authorizedMinor: 1900 })
    await askOperation(kassa.url, shop, captured.id, 'capture', { key: 'part', body: { amountMinor: 700 } })
    await SWEEPS.moneyOperations(kassa.ctx)
    expect(await book(captured)).toEqual(['held 1900', 'taken 700'])

    const voided = await openPayment()
    await callBack(ledger, voided.id, { order: 'completed', authorizedMinor: 1900 })
    await askOperation(kassa.url, shop, voided.id, 'void', { key: 'void', body: { reason: 'r' } })
    await SWEEPS.moneyOperations(kassa.ctx)
    expect(await book(voided)).toEqual(['held 1900', 'released 1900'])
    expect(await getPayment(voided.id)).toMatchObject({
      status: 'reversed',
      authorizedMinor: 0,
      capturedMinor: 0,
    })
  })

  test('a refund in place of a lost dispute may be the same money or not, so a person is told', async () => {
    const payment = await pay()
    await callBack(ledger, payment.id, { disputeLostMinor: 400 })
    await callBack(ledger, payment.id, { disputeLostMinor: 0, refundedMinor: 400 })
    expect(await book(payment)).toEqual([
      'taken 1900',
      'dispute_opened 400',
      'dispute_lost 400',
      'refunded 400',
      'dispute_regained 400',
    ])
    expect(await getPayment(payment.id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 400 })
    expect(await warnings(payment)).toEqual([
      '400 minor units of USD that were lost in a dispute are a refund now: ask the provider whether both happened',
    ])
  })

  test('a dispute that grows, is lost in part, and is regained', async () => {
    const payment = await pay()
    const dispute = (amountMinor: number) => ({ dispute: { amountMinor } })
    await callBack(ledger, payment.id, dispute(300))
    await callBack(ledger, payment.id, dispute(500))
    await callBack(ledger, payment.id, dispute(500))
    const over = { order: 'completed', dispute: undefined } as const
    await callBack(ledger, payment.id, { ...over, disputeLostMinor: 400 })
    expect(await getPayment(payment.id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 400 })
    await callBack(ledger, payment.id, { ...over, disputeLostMinor: 0 })
    expect(await book(payment)).toEqual([
      'taken 1900',
      'dispute_opened 300',
      'dispute_opened 200',
      'dispute_lost 400',
      'dispute_won 100',
      'dispute_regained 400',
    ])
    expect(await getPayment(payment.id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
  })

  test('an operator’s decision, with the operator as its proof', async () => {
    const manual = await openPayment({ provider: 'manual' })
    await confirmPayment(kassa.ctx, manual.id, { reference: 'RF-1', actor: 'ann' })
    expect(await entries(manual)).toMatchObject([{ kind: 'taken', amountMinor: 1900, proof: 'operator ann' }])
    const short = await openPayment()
    await callBack(ledger, short.id, { order: 'completed', authorizedMinor: 700, capturedMinor: 700 })
    await resolvePayment(kassa.ctx, short.id, 'failed', { actor: 'ann', why: 'test' })
    expect((await entries(short)).map((entry) => `${text(entry)} ${entry.proof}`)).toEqual([
      'taken 700 answer',
      'taken_back 700 operator ann',
    ])
  })

  test('more of a payment whose outcome is unknown, with an event', async () => {
    const payment = await openPayment()
    await callBack(ledger, payment.id, { order: 'completed', authorizedMinor: 700, capturedMinor: 700 })
    await callBack(ledger, payment.id, { capturedMinor: 900, authorizedMinor: 900 })
    expect(await book(payment)).toEqual(['taken 700', 'taken 200'])
    expect(await getPayment(payment.id)).toMatchObject({ status: 'status_unknown', capturedMinor: 900 })
  })
})

test('a refund that fails in the same answer in which another appears fails as an operation too', async () => {
  const payment = await pay()
  await refund(payment, 500)
  const [done] = ledger.orders.get(payment.attempt.reference)?.refunds ?? []
  const other: NamedRefund = { id: 'staff-1', amountMinor: 500, state: 'done' }
  await callBack(ledger, payment.id, { refunds: [{ ...(done as NamedRefund), state: 'failed' }, other] })
  expect(await book(payment)).toEqual(['taken 1900', 'refunded 500', 'refunded 500', 'refund_failed 500'])
  const [operation] = await listPaymentOperations(kassa.ctx.db, payment.merchantId, payment.id)
  expect(operation).toMatchObject({ status: 'failed', revertedAt: expect.any(Date) })
  expect(await getPayment(payment.id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
})

test('an answer that ends in a warning leaves the sums of the attempt as those of its payment', async () => {
  const payment = await pay()
  await callBack(ledger, payment.id, { capturedMinor: 1000, authorizedMinor: 1000 })
  const [attempt] = await listAttempts(kassa.ctx.db, payment)
  expect(attempt).toMatchObject({ capturedMinor: 1900, authorizedMinor: 1900 })
  expect([await book(payment), (await warnings(payment)).length]).toEqual([['taken 1900'], 1])
})

describe('a proven movement is never refused', () => {
  test.each<[string, Partial<Snapshot>, { open: string[]; paid: string[] }]>([
    ['of another currency', { currency: 'AMD' }, { open: ['unmatched 1900'], paid: ['unmatched 1900'] }],
    [
      'of another amount',
      { amountMinor: 2500, capturedMinor: 2500, authorizedMinor: 2500 },
      { open: ['unmatched 2500'], paid: ['unmatched 600'] },
    ],
    ['beyond the amount', { capturedMinor: 2000 }, { open: ['unmatched 2000'], paid: ['unmatched 100'] }],
  ])('money %s is entered once and stays outside the sums', async (_, report, entered) => {
    const unpaid = await openPayment()
    await callBack(ledger, unpaid.id, { ...PAID, ...report })
    await callBack(ledger, unpaid.id)
    expect([(await getPayment(unpaid.id)).status, await book(unpaid)]).toEqual([
      'status_unknown',
      entered.open,
    ])
    expect([(await getPayment(unpaid.id)).capturedMinor, (await warnings(unpaid)).length]).toEqual([0, 1])
    const paid = await pay()
    await callBack(ledger, paid.id, report)
    await callBack(ledger, paid.id)
    expect([(await getPayment(paid.id)).status, await book(paid)]).toEqual([
      'paid',
      ['taken 1900', ...entered.paid],
    ])
    expect([(await getPayment(paid.id)).capturedMinor, (await warnings(paid)).length]).toEqual([1900, 1])
  })

  test('more returned than taken makes the payment refunded, and the rest is over_returned', async () => {
    const payment = await pay()
    const report = { order: 'completed', refundedMinor: 2400 } as const
    await callBack(ledger, payment.id, report)
    await callBack(ledger, payment.id, report)
    expect(await getPayment(payment.id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
    expect(await book(payment)).toEqual(['taken 1900', 'refunded 1900', 'over_returned 500'])
    expect(await warnings(payment)).toHaveLength(1)
  })

  test('a dispute that is lost after everything was refunded is over_returned', async () => {
    const payment = await pay()
    await callBack(ledger, payment.id, { order: 'completed', refundedMinor: 1900 })
    await callBack(ledger, payment.id, { order: 'completed', disputeLostMinor: 600 })
    expect(await book(payment)).toEqual(['taken 1900', 'refunded 1900', 'over_returned 600'])
    expect(await warnings(payment)).toHaveLength(1)
  })

  test('money that comes and goes after the payment has ended, where no status follows', async () => {
    const payment = await openPayment()
    await resolveEnded(payment)
    await callBack(ledger, payment.id, { ...PAID, order: 'completed', refundedMinor: 1900 })
    await callBack(ledger, payment.id)
    expect([(await getPayment(payment.id)).status, await book(payment)]).toEqual([
      'cancelled',
      ['unmatched 1900', 'over_returned 1900'],
    ])
    expect(await warnings(payment)).toHaveLength(1)
    // The refund fails after all: the money is the payment's now, and it is not counted twice.
    await callBack(ledger, payment.id, { order: 'completed', refundedMinor: 0 })
    expect((await book(payment)).slice(2)).toEqual(['matched 1900', 'taken 1900'])
    expect(await getPayment(payment.id)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
  })
})

/** The buyer gave up at the bank. */
const resolveEnded = (payment: AttemptedPayment) => callBack(ledger, payment.id, { order: 'cancelled' })

function randomAnswer(random: Random): OrderChange {
  const order = (['completed', 'completed', 'completed', 'voided', 'reached'] as const)[random(0, 5)]
  const dispute = random(0, 6) === 0 ? { amountMinor: random(1, 1900) } : undefined
  const capturedMinor = [0, 700, 1900, 2000][random(0, 4)] as number
  return {
    order: order ?? 'completed',
    capturedMinor,
    authorizedMinor: [capturedMinor, 1900][random(0, 2)] as number,
    refundedMinor: [0, 500, 1900][random(0, 3)] as number,
    disputeLostMinor: [0, 300, 1900][random(0, 3)] as number,
    dispute,
    currency: random(0, 10) === 0 ? 'AMD' : 'USD',
  }
}

test('of random histories of answers, each one twice, the second writes nothing and the sums are always those of the book', async () => {
  const unequal = `select p.id from sandbox.payments p join sandbox.attempts a on a.payment_id = p.id
      cross join lateral sandbox.entry_sums(p.merchant_id, p.id, a.number) s
    where (a.authorized_minor, a.captured_minor, a.refunded_minor, a.disputed_minor, a.dispute_lost_minor)
      <> (s.authorized, s.captured, s.refunded, s.disputed, s.dispute_lost)
      or a.number = p.attempt and (p.captured_minor, p.refunded_minor) <> (s.captured, s.refunded)`
  for (let seed = 1; seed <= 5; seed++) {
    const random = seededRandom(seed)
    const payment = await openPayment()
    for (let step = 0; step < 8; step++) {
      const report = randomAnswer(random)
      await callBack(ledger, payment.id, report)
      const once = await book(payment)
      await callBack(ledger, payment.id, report)
      expect([seed, step, await book(payment)]).toEqual([seed, step, once])
      expect((await query(unequal, [])).rows).toEqual([])
    }
  }
})

test('twenty answers at once on two connections are written once', async () => {
  const payment = await pay()
  ledger.move(payment.attempt.reference, {
    dispute: { amountMinor: 500 },
    refundedMinor: 300,
  })
  const db = openDb(kassa.databaseUrl, { world: 'sandbox' })
  const both = [kassa.ctx, { ...kassa.ctx, db }]
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => askAboutPayment(both[index % 2] ?? kassa.ctx, payment)),
  )
  await db.end()
  expect(await book(payment)).toEqual(['taken 1900', 'refunded 300', 'dispute_opened 500'])
})
