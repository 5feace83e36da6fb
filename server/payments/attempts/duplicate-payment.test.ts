/** Money of a second attempt goes back to the buyer as an operation of the service: once, whatever fails, and everybody can see it. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import { AccountRefusedError } from '../../providers/driver/refusal.ts'
import { findBrokenRules } from '../../storage/backup/facts.ts'
import { openDb } from '../../storage/db.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { listPaymentOperations, type OperationRecord } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentAttempt } from '../../storage/payments/payments.ts'
import { askOperation, call, createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { MANY_CONNECTIONS } from '../../testing/harness.ts'
import { watchedDb } from '../../testing/mortal-db.ts'
import { operate, operateJson } from '../../testing/operator.ts'
import { writeKeyOf } from '../../testing/payments/write-key.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { passRealTime } from '../../testing/real-time.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { resolveOperation } from '../decisions/operation.ts'
import { askAboutAttempt } from './question.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const PAID = { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 } as const
const HELD = { order: 'completed', authorizedMinor: 1900 } as const

const { kassa, shop, getPayment, listWarnings } = await openScene({ settings: MANY_CONNECTIONS })
let ledger: Ledger
beforeEach(() => {
  ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
})
afterEach(async () => {
  expect(await findBrokenRules(kassa.ctx.db, 'sandbox')).toEqual([])
  // The next test's bank does not know what this one has left open.
  await kassa.ctx.db.query(
    'update sandbox.operations set due_at = null; update sandbox.attempts set question_due_at = null',
  )
})

let orders = 0
const callback = (reference: string) =>
  call(`${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`, { body: reference })
const work = (ctx: Context = kassa.ctx) => SWEEPS.moneyOperations(ctx)
const operations = (id: string) => listPaymentOperations(kassa.ctx.db, shop.merchantId, id)
const book = async (payment: AttemptedPayment) =>
  (await listEntries(kassa.ctx.db, payment)).map(
    (each) => `${each.attempt}: ${each.kind} ${each.amountMinor}`,
  )

/** The return of the payment's second money. Fails if there are several. */
async function returnOf(id: string): Promise<OperationRecord> {
  const returns = (await operations(id)).filter(({ cause }) => cause === 'service')
  expect(returns).toHaveLength(1)
  return returns[0] as OperationRecord
}

function enable(isEnabled: boolean): void {
  const { route_a: route } = kassa.ctx.routes
  const settings = { ...route.settings, OPERATIONS: isEnabled ? 'enabled' : 'disabled' }
  kassa.ctx.routes.route_a = { ...route, settings }
}

/** A payment whose second order was paid, and then its first one too, which had been declined. */
async function payTwice(first: object = PAID): Promise<{ payment: AttemptedPayment; reference: string }> {
  const key = `second-money-${++orders}`
  const { body } = await createSession(kassa.url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key }),
  })
  const payment = await getPayment(body.id)
  const { reference } = payment.attempt
  ledger.move(reference, { order: 'declined' })
  const page = `${kassa.url}/checkout/${payment.id}/continue`
  const answer = await fetch(page, { method: 'POST', redirect: 'manual' })
  const second = /^https:\/\/bank\.example\/(.+)$/.exec(answer.headers.get('location') ?? '')?.[1] ?? ''
  ledger.move(second, PAID)
  await callback(second)
  expect(await getPayment(payment.id)).toMatchObject({ status: 'paid', ownAttempt: 2 })
  ledger.move(reference, first)
  await callback(reference)
  return { payment, reference }
}

/** The payment is as it was before its second money came, and nobody but operators was told about that. */
async function expectUntouched(id: string): Promise<void> {
  expect(await getPayment(id)).toMatchObject({
    status: 'paid',
    ownAttempt: 2,
    capturedMinor: 1900,
    refundedMinor: 0,
    refundReservedMinor: 0,
  })
  const events = await listPaymentEvents(kassa.ctx.db, shop.merchantId, id)
  expect(events.map(({ status }) => status)).toEqual(['pending_payment', 'paid'])
}

test('second money goes back once, however often its provider reports it', async () => {
  const { payment, reference } = await payTwice()
  expect(await returnOf(payment.id)).toMatchObject({
    type: 'refund',
    cause: 'service',
    attempt: 1,
    status: 'queued',
    amountMinor: 1900,
  })
  for (let round = 0; round < 3; round++) {
    await callback(reference)
    await work()
    kassa.clock.advance(MINUTE_MS)
  }
  const { id, status } = await returnOf(payment.id)
  expect([status, ledger.writes]).toEqual([
    'succeeded',
    [{ method: 'refund', amountMinor: 1900, key: await writeKeyOf(kassa.ctx, id) }],
  ])
  expect(await book(payment)).toEqual(['2: taken 1900', '1: taken 1900', '1: refunded 1900'])
  const proofs = (await listEntries(kassa.ctx.db, payment)).map(({ proof }) => proof)
  expect(proofs.at(-1)).toBe(`operation ${id}`)
  await expectUntouched(payment.id)
})

test('what was only held is released', async () => {
  const { payment } = await payTwice(HELD)
  await work()
  expect(await returnOf(payment.id)).toMatchObject({ type: 'void', status: 'succeeded' })
  expect(await book(payment)).toEqual(['2: taken 1900', '1: held 1900', '1: released 1900'])
  await expectUntouched(payment.id)
})

test('what was only held and is taken before it is released is refunded', async () => {
  const { payment, reference } = await payTwice(HELD)
  ledger.move(reference, PAID)
  await work()
  await callback(reference)
  await work()
  const returns = (await operations(payment.id)).map(({ type, status }) => `${type} ${status}`)
  expect(returns).toEqual(['void failed', 'refund succeeded'])
  expect(ledger.writes.map(({ method }) => method)).toEqual(['refund'])
})

describe('a provider', () => {
  test('that is away at the first try is told when it answers', async () => {
    const { payment } = await payTwice()
    ledger.away = true
    await work()
    expect(await returnOf(payment.id)).toMatchObject({ status: 'processing', sentAt: null })
    kassa.clock.advance(HOUR_MS)
    await work()
    ledger.away = false
    kassa.clock.advance(HOUR_MS)
    await work()
    expect([(await returnOf(payment.id)).status, ledger.writes.length]).toEqual(['succeeded', 1])
    await expectUntouched(payment.id)
  })

  test('that was away for days is told by another operation, because nothing was sent by the first', async () => {
    const { payment, reference } = await payTwice()
    ledger.away = true
    await work()
    kassa.clock.advance(25 * HOUR_MS)
    await work()
    expect(await returnOf(payment.id)).toMatchObject({ status: 'failed', sentAt: null })
    expect(await listWarnings(payment.id)).toContainEqual(
      expect.stringMatching(/of attempt 1 failed: .*nothing was done/),
    )
    ledger.away = false
    await callback(reference)
    await work()
    expect((await operations(payment.id)).map(({ status }) => status)).toEqual(['failed', 'succeeded'])
    expect(ledger.writes).toHaveLength(1)
  })

  test('that refuses the credentials is told when it accepts them again', async () => {
    const { payment } = await payTwice()
    const refused = new AccountRefusedError('rights', 'the key may not refund')
    const route = changeDriver(kassa.ctx, 'route_a', { refund: () => Promise.reject(refused) })
    await work()
    expect(await returnOf(payment.id)).toMatchObject({ status: 'processing', sentAt: null })
    kassa.ctx.routes.route_a = route
    kassa.clock.advance(HOUR_MS)
    await work()
    expect([(await returnOf(payment.id)).status, ledger.writes.length]).toEqual(['succeeded', 1])
  })

  test('that repeats its refusal for the same request is told by another one', async () => {
    ledger = openLedger(kassa.ctx, { status: 'pending_payment', keyed: true })
    const { payment } = await payTwice()
    ledger.bends = ['restrict', 'restrict']
    for (let tries = 0; tries < 4; tries++) {
      await work()
      kassa.clock.advance(HOUR_MS)
    }
    const returned = await returnOf(payment.id)
    expect([returned.status, returned.refusedTimes, ledger.writes.length]).toEqual(['succeeded', 2, 3])
  })

  test('whose answer was lost, and that did nothing, is told again under the same key', async () => {
    ledger = openLedger(kassa.ctx, { status: 'pending_payment', keyed: true })
    ledger.bends = ['drop']
    const { payment } = await payTwice()
    await work()
    expect(await returnOf(payment.id)).toMatchObject({ status: 'processing', sendCount: 1 })
    kassa.clock.advance(MINUTE_MS)
    await work()
    const { id, status, sendCount } = await returnOf(payment.id)
    const key = await writeKeyOf(kassa.ctx, id)
    expect([status, sendCount, ledger.writes.map((each) => each.key)]).toEqual(['succeeded', 2, [key, key]])
    await expectUntouched(payment.id)
  })

  test('without keys is told once, and a person decides about a lost answer', async () => {
    ledger.bends = ['drop']
    const { payment, reference } = await payTwice()
    for (let minutes = 0; minutes < 12; minutes++) {
      await work()
      await callback(reference)
      kassa.clock.advance(MINUTE_MS)
    }
    const { id, status } = await returnOf(payment.id)
    expect([status, ledger.writes.length]).toEqual(['requires_operator_review', 1])
    const resolve = (as: 'succeeded' | 'failed') =>
      resolveOperation(kassa.ctx, id, as, { actor: 'Ani', why: null })
    await expect(resolve('succeeded')).rejects.toMatchObject({ code: 'payment_not_eligible' })
    ledger.move(reference, { order: 'completed', refundedMinor: 1900 })
    await expect(resolve('failed')).rejects.toMatchObject({ code: 'payment_not_eligible' })
    await resolve('succeeded')
    expect(await returnOf(payment.id)).toMatchObject({ status: 'succeeded' })
    expect((await listEntries(kassa.ctx.db, payment)).at(-1)).toMatchObject({
      attempt: 1,
      kind: 'refunded',
      amountMinor: 1900,
      proof: 'operator Ani',
    })
    await expectUntouched(payment.id)
  })

  test('that refuses the return is not told again, and a person is told', async () => {
    ledger.bends = ['refuse']
    const { payment, reference } = await payTwice()
    for (let round = 0; round < 3; round++) {
      await work()
      await callback(reference)
      kassa.clock.advance(HOUR_MS)
    }
    const { id, status } = await returnOf(payment.id)
    expect([status, ledger.writes.length]).toEqual(['failed', 1])
    expect(await listWarnings(payment.id)).toEqual([
      expect.stringContaining("brought money besides the payment's own"),
      `the refund ${id} of the money of attempt 1 failed: the bank says no`,
      `give the money of attempt 1 back at the provider: the refund ${id} has failed`,
    ])
  })

  test('whose refund fails after it succeeded is not told again, and a person is told', async () => {
    ledger = openLedger(kassa.ctx, { status: 'pending_payment', keyed: true, named: true })
    const { payment, reference } = await payTwice()
    await work()
    ledger.undo(reference)
    await callback(reference)
    await work()
    const { id, ...undone } = await returnOf(payment.id)
    expect(undone).toMatchObject({ status: 'failed', revertedAt: expect.any(Date) })
    expect(ledger.writes).toHaveLength(1)
    expect((await book(payment)).at(-1)).toBe('1: refund_failed 1900')
    expect((await listWarnings(payment.id)).at(-1)).toContain(`give the money of attempt 1 back`)
    await expectUntouched(payment.id)
  })

  test('whose answer forgets the return is not believed', async () => {
    ledger = openLedger(kassa.ctx, { status: 'pending_payment', keyed: true, named: true })
    const { payment, reference } = await payTwice()
    await work()
    const now = ledger.orders.get(reference)
    ledger.move(reference, { ...PAID, refundedMinor: 0, refunds: [] })
    await callback(reference)
    ledger.move(reference, now ?? {})
    await callback(reference)
    await work()
    expect([(await returnOf(payment.id)).status, ledger.writes.length]).toEqual(['succeeded', 1])
    expect((await book(payment)).slice(1)).toEqual(['1: taken 1900', '1: refunded 1900'])
  })
})

test('two processes that learn of second money at once, and work on it at once, send one return', async () => {
  const db = openDb(kassa.databaseUrl, { world: 'sandbox', max: 8 })
  const both = [kassa.ctx, { ...kassa.ctx, db }]
  try {
    for (let round = 0; round < 4; round++) {
      ledger = openLedger(kassa.ctx, { status: 'pending_payment' })
      // Real time: the other process works meanwhile. Every order is right.
      ledger.meanwhile = () => sleep(20)
      const { payment, reference } = await payTwice({ order: 'declined' })
      ledger.move(reference, PAID)
      const first = await findPaymentAttempt(kassa.ctx.db, payment.attempt)
      await Promise.all(
        [...both, ...both].map(async (ctx) => {
          await askAboutAttempt(ctx, first as AttemptedPayment)
          await work(ctx)
        }),
      )
      kassa.clock.advance(HOUR_MS)
      await Promise.all(both.map(work))
      expect((await returnOf(payment.id)).status).toBe('succeeded')
      expect(ledger.writes).toHaveLength(1)
    }
  } finally {
    await db.end()
  }
})

test('a process that dies after it has entered second money, and before it has asked for its return, leaves it to the next answer', async () => {
  const { payment, reference } = await payTwice({ order: 'declined' })
  ledger.move(reference, PAID)
  const dying = watchedDb(
    kassa.ctx.db,
    (name) => {
      if (name === 'insert_operation') throw new Error('the process has died')
    },
    () => true,
  )
  const first = (await findPaymentAttempt(kassa.ctx.db, payment.attempt)) as AttemptedPayment
  await expect(askAboutAttempt({ ...kassa.ctx, db: dying }, first)).rejects.toThrow('died')
  expect([await book(payment), await operations(payment.id)]).toEqual([
    ['2: taken 1900', '1: taken 1900'],
    [],
  ])
  kassa.clock.advance(15 * MINUTE_MS)
  await SWEEPS.statusSync(kassa.ctx)
  await SWEEPS.settledSync(kassa.ctx)
  await work()
  expect((await returnOf(payment.id)).status).toBe('succeeded')
})

describe('where refunds are not enabled', () => {
  test('for the account any more, what was asked for is not sent, and follows when they are', async () => {
    const { payment, reference } = await payTwice()
    enable(false)
    await work()
    await callback(reference)
    expect([(await returnOf(payment.id)).status, ledger.writes]).toEqual(['failed', []])
    expect((await listWarnings(payment.id)).at(-1)).toMatch(
      /^give the money of attempt 1 back at the provider: /,
    )
    enable(true)
    await callback(reference)
    await work()
    expect((await operations(payment.id)).map(({ status }) => status)).toEqual(['failed', 'succeeded'])
  })

  test('for the account, nothing is asked for, and a person is told', async () => {
    enable(false)
    const { payment } = await payTwice()
    await work()
    enable(true)
    expect(await operations(payment.id)).toEqual([])
    expect((await listWarnings(payment.id)).at(-1)).toMatch(
      /^give the money of attempt 1 back at the provider: /,
    )
  })
})

test('the merchant’s refunds do not wait for the return, and the return does not wait for them', async () => {
  ledger.bends = ['drop']
  const { payment, reference } = await payTwice()
  for (let minutes = 0; minutes < 12; minutes++) {
    await work()
    kassa.clock.advance(MINUTE_MS)
  }
  expect((await returnOf(payment.id)).status).toBe('requires_operator_review')
  const answer = await askOperation(kassa.url, shop, payment.id, 'refunds', {
    key: 'beside',
    body: { amountMinor: 500, reason: 'r' },
  })
  expect(answer.status).toBe(201)
  await work()
  expect(await getPayment(payment.id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
  expect(ledger.orders.get(reference)).toMatchObject({ refundedMinor: 0 })
})

test('the database knows whose money an operation moves, and accepts only returns from the service', async () => {
  const { payment } = await payTwice()
  const { id } = await returnOf(payment.id)
  for (const [changed, rule] of [
    ["cause = 'request'", 'operation_terms'],
    ['attempt = 2', 'operation_terms'],
    ["type = 'capture'", 'service_only_returns'],
    ['attempt = null', 'money_has_an_attempt'],
  ] as const) {
    const update = kassa.ctx.db.query(
      `begin; alter table sandbox.operations ${rule === 'operation_terms' ? 'enable' : 'disable'} trigger operation_terms;
       update sandbox.operations set ${changed} where id = '${id}'; rollback`,
    )
    await expect(update).rejects.toMatchObject({ constraint: rule })
  }
})

test('a backup in which the return is not in the sums of its attempt is reported', async () => {
  const { payment } = await payTwice()
  await work()
  const { id } = await returnOf(payment.id)
  const { db } = kassa.ctx
  await db.query(
    `insert into sandbox.operations select (jsonb_populate_record(o, jsonb_build_object('id', id || 'x', 'key', key || 'x'))).*
     from sandbox.operations o where id = $1`,
    [id],
  )
  expect(await findBrokenRules(db, 'sandbox')).toEqual([
    { rule: 'each refund that succeeded is in the sums of its attempt', rows: 1 },
  ])
  await db.query('delete from sandbox.operations where id = $1', [`${id}x`])
})

test('the return is shown to operators, and not to the merchant', async () => {
  const { payment } = await payTwice()
  await work()
  const { id } = await returnOf(payment.id)
  const settings = { DATABASE_URL: kassa.databaseUrl }
  const shown = (await operateJson(settings, ['payment', 'show', '--payment', payment.id])).answer
  expect(shown.operations).toMatchObject([{ id, cause: 'service', attempt: 1, status: 'succeeded' }])
  expect(shown.entries.at(-1)).toMatchObject({ kind: 'refunded', attempt: 1, surplus: true })
  const listed = (await operateJson(settings, ['operation', 'list', '--payment', payment.id])).answer
  expect(listed.operations).toMatchObject([{ id, cause: 'service' }])
  const text = (await operate(settings, ['payment', 'show', '--payment', payment.id])).stdout
  expect(text).toMatch(
    new RegExp(`service +refund of attempt 1, by the service \\(${id}\\): asked for, 19.00 USD`),
  )
  expect(text).toMatch(new RegExp(`service +refund of attempt 1, by the service \\(${id}\\): succeeded`))
  const one = (await operate(settings, ['operation', 'show', '--operation', id])).stdout
  expect(one).toMatch(/Asked for by +the service itself/)
  const { body } = await lookUp(kassa.url, shop, payment.id)
  expect(JSON.stringify(body)).not.toContain(id)
  expect(body).toMatchObject({ status: 'paid', capturedMinor: 1900, refundedMinor: 0 })
})

test('while a restore is open the return waits, and what the provider has done already is not done again', async () => {
  const { payment, reference } = await payTwice()
  await kassa.ctx.db.query(
    `insert into sandbox.restores (restored_at, backup_at, skipped_numbers) values ($1, $1, 0)`,
    [kassa.clock.now()],
  )
  // A process that starts after the restore.
  const db = openDb(kassa.databaseUrl, { world: 'sandbox', max: 4 })
  const ctx = { ...kassa.ctx, db }
  try {
    await work(ctx)
    expect(await returnOf(payment.id)).toMatchObject({
      status: 'queued',
      statusReason: expect.stringContaining('waiting'),
    })
    ledger.move(reference, { order: 'completed', refundedMinor: 1900 })
    await db.query('update sandbox.restores set ended_at = $1', [kassa.clock.now()])
    // A process reads once a second whether the comparison has ended.
    passRealTime(1_100)
    kassa.clock.advance(MINUTE_MS)
    await work(ctx)
    expect(await returnOf(payment.id)).toMatchObject({
      status: 'failed',
      statusReason: 'the provider says refunded; nothing was done',
    })
    expect([ledger.writes, (await book(payment)).at(-1)]).toEqual([[], '1: refunded 1900'])
  } finally {
    await db.end()
  }
})
