/** A provider that does not take a write for now has done nothing: the same write is sent again, and nothing is lost. */
import { describe, expect, test } from 'vitest'
import { AccountRefusedError, RetryLaterError } from '../../providers/driver/refusal.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { askOperation, lookUp } from '../../testing/calls.ts'
import { interruptedDb } from '../../testing/mortal-db.ts'
import { type Ledger, openLedger, RESTRICTED } from '../../testing/providers/ledger-bank.ts'
import { serveSimulator } from '../../testing/providers/simulator-server.ts'
import { newName, openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { resolveOperation } from '../decisions/operation.ts'

const { kassa, getOperation, pay, askRefund, runOperations, shop } = await openScene()

const MINUTE_MS = 60_000

/** A provider that rejects a write only for the moment: it has done nothing, so the same write is sent again, and nothing is lost. */
describe('a provider that is too busy', () => {
  const HOUR_MS = 60 * MINUTE_MS
  const WORDS = 'the provider did not take it: the bank answered 429'
  const KINDS = [true, false]

  /** Asks for a refund of 500 of a paid payment. Returns its operation. */
  async function askForHalf(ledger: Ledger): Promise<string> {
    const { id } = await pay()
    expect(ledger.writes).toEqual([])
    return (await askRefund(id, 500)).body.operation.id
  }
  const countDone = (ledger: Ledger) =>
    [...ledger.orders.values()].filter(({ refundedMinor }) => refundedMinor === 500).length

  test.each(KINDS)(
    'is asked again after ten bursts, uses none of the sendings, and is done once (keyed: %s)',
    async (keyed) => {
      const ledger = openLedger(kassa.ctx, { keyed })
      ledger.bends = Array.from({ length: 10 }, () => 'busy' as const)
      const id = await askForHalf(ledger)
      await runOperations()
      expect(await getOperation(id)).toMatchObject({
        status: 'processing',
        sentAt: null,
        sendCount: 0,
        statusReason: WORDS,
      })
      for (let tries = 0; tries < 10; tries++) {
        kassa.clock.advance(2 * MINUTE_MS)
        await runOperations()
      }
      expect(await getOperation(id)).toMatchObject({ status: 'succeeded', sendCount: 1 })
      expect([ledger.writes.length, countDone(ledger)]).toEqual([11, 1])
    },
  )

  test('waits as long as the provider wants, and a quarter of an hour at most', async () => {
    for (const [wantedMs, waitsMs] of [
      [5 * MINUTE_MS, 5 * MINUTE_MS],
      [9 * HOUR_MS, 15 * MINUTE_MS],
    ] as const) {
      const ledger = openLedger(kassa.ctx)
      ledger.bends = ['busy']
      ledger.retryAfterMs = wantedMs
      const id = await askForHalf(ledger)
      await runOperations()
      const { dueAt, updatedAt } = (await getOperation(id)) ?? {}
      expect(Math.round(((dueAt?.getTime() ?? 0) - (updatedAt?.getTime() ?? 0)) / 1_000)).toBe(
        waitsMs / 1_000,
      )
      kassa.clock.advance(waitsMs - 30_000)
      await runOperations()
      expect(ledger.writes).toHaveLength(1)
      kassa.clock.advance(30_000)
      await runOperations()
      expect((await getOperation(id))?.status).toBe('succeeded')
    }
  })

  test('goes to a person after a day with the provider’s words, and nothing was done', async () => {
    const ledger = openLedger(kassa.ctx)
    ledger.bends = Array.from({ length: 1_000 }, () => 'busy' as const)
    const id = await askForHalf(ledger)
    for (let hour = 0; hour < 25; hour++) {
      await runOperations()
      kassa.clock.advance(60 * MINUTE_MS)
    }
    const ended = await getOperation(id)
    expect(ended?.status).toBe('requires_operator_review')
    expect(ended?.statusReason).toContain(WORDS)
    expect(ended?.statusReason).toContain('nothing was done')
    expect(ended?.statusReason).not.toContain('lost')
    expect(countDone(ledger)).toBe(0)
  })

  test.each([
    [true, 'succeeded', 1],
    [false, 'requires_operator_review', 0],
  ] as const)(
    'a crash before it is noted loses nothing and doubles nothing (keyed: %s)',
    async (keyed, status, done) => {
      const ledger = openLedger(kassa.ctx, { keyed })
      ledger.bends = ['busy', 'busy']
      const id = await askForHalf(ledger)
      const die = () => Promise.reject(new Error('the process is killed'))
      const dying = { ...kassa.ctx, db: interruptedDb(kassa.ctx.db, 'unmark_operation_sent', die) }
      await SWEEPS.moneyOperations(dying).catch(() => {})
      expect(await getOperation(id)).toMatchObject({ status: 'processing', sendCount: 1 })
      expect(ledger.writes).toHaveLength(1)
      for (let tries = 0; tries < 8; tries++) {
        kassa.clock.advance(2 * MINUTE_MS)
        await runOperations()
      }
      expect([(await getOperation(id))?.status, countDone(ledger)]).toEqual([status, done])
    },
  )

  test('an earlier request whose answer was lost is not forgotten: the person reads both', async () => {
    const ledger = openLedger(kassa.ctx, { keyed: true })
    ledger.bends = ['drop', ...Array.from({ length: 1_000 }, () => 'busy' as const)]
    const id = await askForHalf(ledger)
    await runOperations()
    kassa.clock.advance(MINUTE_MS)
    await runOperations()
    expect(await getOperation(id)).toMatchObject({ status: 'processing', sendCount: 1, statusReason: WORDS })
    for (let hour = 0; hour < 27; hour++) {
      kassa.clock.advance(60 * MINUTE_MS)
      await runOperations()
    }
    const ended = await getOperation(id)
    expect([ended?.status, countDone(ledger)]).toEqual(['requires_operator_review', 0])
    expect(ended?.statusReason).toMatch(/did not take|an earlier request may have been carried out/)
  })

  test.each([
    ['a burst', new RetryLaterError('the bank answered 429')],
    ['refused credentials', new AccountRefusedError('credentials', 'the bank refuses the login')],
  ])('what a question after the write meets says nothing about the write: %s', async (_, error) => {
    const ledger = openLedger(kassa.ctx)
    const bank = await serveSimulator(() => ({ status: 200, body: '{}' }))
    const { route_a: route } = kassa.ctx.routes
    const { driver } = route
    if (!driver) throw new Error('the ledger has a driver')
    kassa.ctx.routes.route_a = {
      ...route,
      driver: {
        ...driver,
        addresses: () => [bank.origin],
        async refund(call, write) {
          await call.http.request({ method: 'POST', url: `${bank.origin}/refund` })
          await driver.refund?.(call, write)
          await call.http.request({ method: 'GET', url: `${bank.origin}/order` })
          throw error
        },
      },
    }
    const id = await askForHalf(ledger)
    for (let tries = 0; tries < 5; tries++) {
      await runOperations()
      kassa.clock.advance(2 * MINUTE_MS)
    }
    expect([(await getOperation(id))?.status, ledger.writes.length, countDone(ledger)]).toEqual([
      'succeeded',
      1,
      1,
    ])
    await bank.close()
  })
})

/**
 * A provider that refuses the account at a refund, a capture or a void. This says nothing about the operation: it waits, and is done
 * once when the account is accepted again. After a day a person decides.
 */
describe('a provider that refuses the account', () => {
  const FOREVER = Array.from({ length: 1_000 }, () => 'restrict' as const)
  const WORDS = 'the payment provider has not activated this account, or has restricted it'
  const DECISION = { actor: 'operator', why: 'the account stays restricted' }

  const WRITES = [
    {
      path: 'refunds',
      steps: 'paid',
      body: { amountMinor: 500, reason: 'r' },
      after: { refundedMinor: 500 },
    },
    { path: 'capture', steps: 'authorized', body: { reason: 'r' }, after: { status: 'paid' } },
    { path: 'void', steps: 'authorized', body: { reason: 'r' }, after: { status: 'reversed' } },
  ] as const
  type Write = (typeof WRITES)[number]

  /** Asks for the operation of a new payment. Returns the ids of both. */
  async function ask({ path, body }: Write): Promise<{ paymentId: string; id: string }> {
    const { id: paymentId } = await pay()
    const { body: answer } = await askOperation(kassa.url, shop, paymentId, path, { key: newName(), body })
    return { paymentId, id: answer.operation.id }
  }

  /** Works every hour for longer than a day. */
  async function waitADay(): Promise<void> {
    for (let hour = 0; hour < 25; hour++) {
      await runOperations()
      kassa.clock.advance(60 * MINUTE_MS)
    }
  }
  const open = ({ steps }: Write, keyed: boolean): Ledger => openLedger(kassa.ctx, { keyed, status: steps })
  const REFUND = WRITES[0]

  for (const keyed of [false, true])
    test.each(WRITES)(
      `$path waits and is done once (the bank repeats its answers: ${keyed})`,
      async (write) => {
        const ledger = open(write, keyed)
        ledger.bends = ['restrict', 'restrict', 'restrict']
        const { id, paymentId } = await ask(write)
        await runOperations()
        expect(await getOperation(id)).toMatchObject({
          status: 'processing',
          sentAt: null,
          statusReason: WORDS,
        })
        for (let tries = 0; tries < 6; tries++) {
          kassa.clock.advance(2 * MINUTE_MS)
          await runOperations()
        }
        expect(await getOperation(id)).toMatchObject({ status: 'succeeded', sendCount: 1, refusedTimes: 3 })
        expect(ledger.writes).toHaveLength(4)
        expect((await lookUp(kassa.url, shop, paymentId)).body).toMatchObject(write.after)
      },
    )

  test('after a day a person decides, and reads what the provider said', async () => {
    const ledger = open(REFUND, true)
    ledger.bends = [...FOREVER]
    const { id, paymentId } = await ask(REFUND)
    await waitADay()
    const ended = await getOperation(id)
    expect(ended?.status).toBe('requires_operator_review')
    expect(ended?.statusReason).toMatch(/could not be carried out: the payment provider.*nothing was done/)
    expect(ended?.statusReason).not.toContain(RESTRICTED)
    const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, paymentId)
    expect(warnings.map(({ detail }) => detail)).toContainEqual(expect.stringContaining(RESTRICTED))
    const sent = ledger.writes.length
    ledger.bends = []
    await waitADay()
    expect([(await getOperation(id))?.status, ledger.writes.length]).toEqual([
      'requires_operator_review',
      sent,
    ])
  })

  test('a person who decides while the worker sends wins once: nothing is sent after the decision', async () => {
    const ledger = open(REFUND, false)
    ledger.bends = [...FOREVER]
    const { id, paymentId } = await ask(REFUND)
    for (let hour = 0; hour < 24; hour++) {
      await runOperations()
      kassa.clock.advance(60 * MINUTE_MS)
    }
    kassa.clock.advance(30 * MINUTE_MS)
    const before = ledger.writes.length
    ledger.bends = []
    // The worker ends the wait while the person looks; in either order the refund is never both decided and sent.
    const decide = () => resolveOperation(kassa.ctx, id, 'failed', DECISION)
    const [, decided] = await Promise.allSettled([runOperations(), decide()])
    if (decided.status === 'rejected') await decide()
    await runOperations()
    expect([(await getOperation(id))?.status, ledger.writes.length - before]).toEqual(['failed', 0])
    expect((await lookUp(kassa.url, shop, paymentId)).body).toMatchObject({
      status: 'paid',
      refundedMinor: 0,
    })
  })

  test('a decision about an operation that still waits is refused, and the refund is done once afterwards', async () => {
    const ledger = open(REFUND, false)
    ledger.bends = ['restrict']
    const { id } = await ask(REFUND)
    const refused: unknown[] = []
    ledger.meanwhile = async () => {
      await resolveOperation(kassa.ctx, id, 'failed', DECISION).catch((error: unknown) => refused.push(error))
    }
    await runOperations()
    kassa.clock.advance(2 * MINUTE_MS)
    await runOperations()
    expect(refused).toHaveLength(2)
    expect([(await getOperation(id))?.status, ledger.writes.length]).toEqual(['succeeded', 2])
  })
})
