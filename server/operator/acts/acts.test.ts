/** What operators do with money in the merchant's place, at the simulated bank. */
import { beforeAll, describe, expect, test } from 'vitest'
import { addOperator, type Person } from '../../audit/people.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import type { Db } from '../../storage/db.ts'
import { listOperationChanges } from '../../storage/payments/operation-changes.ts'
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { askOperation } from '../../testing/calls.ts'
import { mortalDb, recordingDb, samplePoints } from '../../testing/mortal-db.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { createSubscription, openToken, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { grantAs } from '../../testing/scene/people.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { doOrPropose } from '../approvals/approvals.ts'
import { requestPlanned } from './money.ts'

const { kassa, shop, buy } = await openScene()

async function run(...args: string[]) {
  const answer = await operateJson({}, args, (_settings, words) => operateHere(async () => kassa.ctx, words))
  return answer.answer
}
const refund = (id: string, ...more: string[]) =>
  run('payment', 'refund', '--payment', id, '--why', 'broken', ...more)
const work = () => SWEEPS.moneyOperations(kassa.ctx)
const stored = (id: string) => findPaymentById(kassa.ctx.db, id)
const operations = (id: string) => listPaymentOperations(kassa.ctx.db, shop.merchantId, id)

async function pay(provider = 'route_a', outcome: string | null = 'paid'): Promise<string> {
  return buy({ provider }, outcome)
}
/** What the bank has given back, by its own books. */
async function returned(id: string): Promise<number> {
  const { rows } = await kassa.ctx.db.query(
    `select coalesce(sum((r ->> 'amountMinor')::int), 0)::int as sum from sandbox.attempts a
     join sandbox.sandbox_orders o on o.reference = a.reference
     cross join jsonb_array_elements(o.body -> 'refunds') r
     where a.payment_id = $1 and r ->> 'state' = 'done'`,
    [id],
  )
  return rows[0].sum
}

describe('a refund of an operator', () => {
  test('is the same as one of the API, and names the operator', async () => {
    const id = await pay()
    const { operation, created, key } = await refund(id, '--amount', '5.00')
    expect([operation.status, operation.amountMinor, created, key]).toEqual([
      'queued',
      500,
      true,
      'refund 500 1',
    ])
    await work()
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
    expect(await returned(id)).toBe(500)
    const [change] = await listOperationChanges(kassa.ctx.db, shop.merchantId, operation.id)
    expect(change).toMatchObject({ cause: 'operator', actor: 'tester', toStatus: 'queued' })
  })

  test('gives all back that is left if no amount is named', async () => {
    const id = await pay()
    await refund(id, '--amount', '4.00')
    await work()
    await refund(id)
    await work()
    expect(await stored(id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
    expect((await refund(id)).created).toBe(false)
    expect(await returned(id)).toBe(1900)
  })

  test('is planned once, whether or not a limit asks', async () => {
    const planned = async (id: string) => {
      const statements: string[] = []
      const db = recordingDb(kassa.ctx.db, statements)
      const words = ['payment', 'refund', '--payment', id, '--amount', '5.00', '--why', 'broken']
      expect((await operateHere(async () => ({ ...kassa.ctx, db }), words)).code).toBe(0)
      // One finds the key, and one asks for it.
      return statements.filter((each) => each === 'find_operation_by_key')
    }
    expect(await planned(await pay())).toHaveLength(2)
    await storeLimit(kassa.ctx.db, 'USD', 100_000)
    try {
      expect(await planned(await pay())).toHaveLength(2)
    } finally {
      await storeLimit(kassa.ctx.db, 'USD', null)
    }
  })

  test('is done once if the command is repeated, and again under a key of its own', async () => {
    const id = await pay()
    const first = await refund(id, '--amount', '5.00')
    const again = await refund(id, '--amount', '5.00')
    await work()
    const later = await refund(id, '--amount', '5.00', '--key', first.key)
    expect([again.created, later.created]).toEqual([false, false])
    expect([again.operation.id, later.operation.id]).toEqual([first.operation.id, first.operation.id])
    expect((await refund(id, '--amount', '6.00', '--key', first.key)).error.message).toContain('belongs to')
    expect((await refund(id, '--amount', '5.00', '--key', 'second')).created).toBe(true)
    await work()
    expect(await returned(id)).toBe(1000)
  })

  test('that failed does not stand in the way of the next one', async () => {
    const id = await pay()
    const { operation } = await refund(id, '--amount', '5.00')
    await kassa.ctx.db.query(
      `update sandbox.operations set status = 'failed', due_at = null, sent_at = null where id = $1`,
      [operation.id],
    )
    expect(await refund(id, '--amount', '5.00')).toMatchObject({ created: true, key: 'refund 500 2' })
  })

  test("does not meet a merchant's key of the same name", async () => {
    const id = await pay()
    const body = { amountMinor: 500, reason: 'broken' }
    await askOperation(kassa.url, shop, id, 'refunds', { key: 'refund 500 1', body })
    expect((await refund(id, '--amount', '5.00')).created).toBe(true)
    await work()
    await work()
    expect(await returned(id)).toBe(1000)
  })

  test('is refused as the API refuses it', async () => {
    const id = await pay()
    expect((await refund(id, '--amount', '19.01')).error.code).toBe('validation_failed')
    expect((await refund(await pay('route_c'), '--amount', '1.00')).error.code).toBe('operation_disabled')
    expect((await refund(await pay('route_a', 'declined'))).error.code).toBe('payment_not_eligible')
    const card = await run('payment', 'refund', '--payment', id, '--why', 'to 4111 1111 1111 1111')
    expect(card.error.message).toMatch(/card/i)
    expect(await operations(id)).toEqual([])
  })

  test('has no card in its reason, as every other decision', async () => {
    const id = await pay('manual', null)
    const why = 'to 4111 1111 1111 1111'
    for (const words of [
      ['payment', 'resolve', '--payment', id, '--as', 'failed', '--why', why],
      ['payment', 'returned', '--payment', id, '--amount', '1.00', '--reference', 'RF1', '--why', why],
      ['merchant', 'pause', '--merchant', shop.merchantId, '--why', why],
    ])
      expect([words[1], (await run(...words)).error?.code]).toEqual([words[1], 'raw_card_data_rejected'])
    expect((await stored(id))?.status).toBe('pending_redirect')
  })

  test('is refused if the payment has moved since the operator saw it', async () => {
    const id = await pay()
    const version = String((await stored(id))?.version)
    await refund(id, '--amount', '1.00')
    await work()
    const late = await refund(id, '--amount', '2.00', '--version', version)
    expect(late.error).toMatchObject({ code: 'payment_not_eligible' })
    expect(late.error.message).toContain('has changed')
  })

  test('and refunds of the API at once never give back more than there is', async () => {
    const id = await pay()
    const body = { amountMinor: 700, reason: 'race' }
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2
          ? refund(id, '--amount', '7.00', '--key', `race-${index}`)
          : askOperation(kassa.url, shop, id, 'refunds', { key: `race-${index}`, body }),
      ),
    )
    for (let runs = 0; runs < 4; runs++) await work()
    expect(await operations(id)).toHaveLength(2)
    expect(await returned(id)).toBe(1400)
  })

  test('is done once if the command dies at any statement and is repeated', async () => {
    const refundOn = (db: Db, id: string) =>
      operateHere(
        async () => ({ ...kassa.ctx, db }),
        ['payment', 'refund', '--payment', id, '--amount', '5.00', '--why', 'broken'],
      )
    const statements: string[] = []
    expect((await refundOn(recordingDb(kassa.ctx.db, statements), await pay())).code).toBe(0)
    for (const point of samplePoints(statements, [])) {
      const id = await pay()
      await refundOn(mortalDb(kassa.ctx.db, point), id)
      await refund(id, '--amount', '5.00')
      await work()
      expect([point, (await operations(id)).length, await returned(id)]).toEqual([point, 1, 500])
    }
  })
})

describe('a dry run', () => {
  test('says what would happen, and leaves nothing', async () => {
    const id = await pay()
    const dry = await refund(id, '--amount', '5.00', '--dry-run')
    expect(dry).toMatchObject({
      dryRun: true,
      created: true,
      operation: { amountMinor: 500, status: 'queued' },
    })
    expect(await operations(id)).toEqual([])
    expect(await stored(id)).toMatchObject({ refundReservedMinor: 0 })
    expect((await refund(id, '--amount', '20.00', '--dry-run')).error.code).toBe('validation_failed')
    expect((await refund(await pay('route_c'), '--dry-run')).error.code).toBe('operation_disabled')
    const { rows } = await kassa.ctx.db.query('select from kassa.audit_log where about like $1', [`%${id}%`])
    expect(rows).toEqual([])
  })

  test('of a link, a new name and an unknown subscription', async () => {
    const mine = ['--merchant', shop.merchantId]
    const wish = [...mine, '--amount', '15.00', '--currency', 'USD', '--description', 'Mountain tea']
    const dry = await run('link', 'create', ...wish, '--dry-run')
    expect(dry).toMatchObject({ dryRun: true, created: true })
    expect(await stored(dry.paymentId)).toBeNull()
    const made = await run('link', 'create', ...wish)
    expect(await run('link', 'create', ...wish)).toMatchObject({ created: false, paymentId: made.paymentId })
    expect((await run('link', 'create', ...wish, '--expires', '2020-01-01T00:00:00Z')).error.code).toBe(
      'validation_failed',
    )
    await run('merchant', 'rename', ...mine, '--name', 'Another', '--dry-run')
    expect((await run('merchant', 'show', ...mine)).name).not.toBe('Another')
    await run('merchant', 'rename', ...mine, '--name', 'The tea house')
    expect((await run('merchant', 'show', ...mine)).name).toBe('The tea house')
    const unknown = await run('subscription', 'cancel', '--subscription', 'sub_test_1', '--dry-run')
    expect(unknown.error.code).toBe('subscription_not_found')
  })
})

test('a capture of all that is held is done once if the command is repeated', async () => {
  const id = await pay('route_b')
  const capture = () => run('payment', 'capture', '--payment', id)
  const [first, again] = [await capture(), await capture()]
  await work()
  const late = await capture()
  expect([first.created, again.created, late.created]).toEqual([true, false, false])
  expect([again.operation.id, late.operation.id]).toEqual([first.operation.id, first.operation.id])
  expect(await stored(id)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
})

test('a capture that an earlier version made or proposed without an amount is the answer to this one', async () => {
  const id = await pay('route_b')
  const early = { paymentId: id, key: 'capture all 1' }
  const first = await requestPlanned(kassa.ctx, 'capture', early, 'Ani')
  const capture = () => run('payment', 'capture', '--payment', id)
  const again = await capture()
  await work()
  const late = await capture()
  // And the other way about: such a proposal is granted after this version has done the same.
  const granted = await requestPlanned(kassa.ctx, 'capture', early, 'Ani')
  expect([first, again, late, granted].map(({ created }) => created)).toEqual([true, false, false, false])
  expect(new Set([first, again, late, granted].map(({ operation }) => operation.id)).size).toBe(1)
  const other = requestPlanned(kassa.ctx, 'capture', { ...early, amountMinor: 100 }, 'Ani')
  await expect(other).rejects.toMatchObject({ code: 'validation_failed' })
  expect(await stored(id)).toMatchObject({ status: 'paid', capturedMinor: 1900 })
})

test('an operator captures a part of what is held, and voids the whole', async () => {
  const id = await pay('route_b')
  expect((await run('payment', 'capture', '--payment', id, '--amount', '12.00')).created).toBe(true)
  await work()
  expect(await stored(id)).toMatchObject({ status: 'paid', capturedMinor: 1200 })
  const other = await pay('route_b')
  await run('payment', 'void', '--payment', other, '--why', 'out of stock')
  await work()
  expect((await stored(other))?.status).toBe('reversed')
})

test('a subscription is cancelled, and a saved method revoked', async () => {
  const tokenId = await openToken(kassa.url, shop)
  const { body } = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
  const { id } = body.subscription
  const dry = await run('subscription', 'cancel', '--subscription', id, '--dry-run')
  expect(dry).toMatchObject({ dryRun: true, subscription: { status: 'cancelled' } })
  expect((await run('subscription', 'show', '--subscription', id)).subscription.status).not.toBe('cancelled')
  const cancelled = await run('subscription', 'cancel', '--subscription', id)
  expect(cancelled).toMatchObject({ created: true, subscription: { status: 'cancelled' } })
  expect((await run('subscription', 'cancel', '--subscription', id)).created).toBe(false)
  expect((await run('saved-method', 'revoke', '--saved-method', tokenId)).token.status).toBe('revoked')
})

test('a failed receipt is printed again', { tags: ['long'] }, async () => {
  const fiscal = await openFiscalShop(kassa)
  fiscal.setRegisterFault('refused')
  const id = await fiscal.pay()
  await fiscal.print()
  for (let days = 0; days < 5 && (await fiscal.fiscalStatus(id)) !== 'failed'; days += 0.25)
    await fiscal.printAfter(6 * 3_600_000)
  fiscal.setRegisterFault(undefined)
  expect((await run('receipt', 'retry', '--payment', id)).created).toBe(true)
  expect((await run('receipt', 'retry', '--payment', id)).created).toBe(false)
  await fiscal.print()
  expect(await fiscal.fiscalStatus(id)).toBe('issued')
})

describe('above the limit', () => {
  let ani: Person
  let davit: Person
  beforeAll(async () => {
    const add = async (name: string) => {
      return (await addOperator(kassa.ctx, { name, role: 'administrator' })).operator
    }
    // What was returned so far today counts against a new limit.
    kassa.clock.advance(24 * 3_600_000)
    ani = await add('Ani')
    davit = await add('Davit')
    await doOrPropose(kassa.ctx, ani, 'approval limit', { currency: 'USD', limitMinor: 1000 })
  })
  const propose = async (paymentId: string, amountMinor?: number) => {
    const decided = await doOrPropose(kassa.ctx, ani, 'payment refund', {
      paymentId,
      amountMinor,
      why: 'broken',
    })
    return 'proposed' in decided ? decided.proposed.id : null
  }
  const grant = (id: string) => grantAs(kassa.ctx, davit, id)

  test('a refund needs a second person, and twice proposed is once done', async () => {
    const id = await pay()
    expect(await propose(id, 1000)).toBeNull()
    await work()
    const other = await pay()
    const proposals = [await propose(other), await propose(other)]
    expect(await operations(other)).toEqual([])
    // The same refund is one proposal, and is granted once.
    expect(new Set(proposals).size).toBe(1)
    await grant(proposals[0] ?? '')
    await expect(grant(proposals[0] ?? '')).rejects.toThrow('done already')
    await work()
    expect(await returned(other)).toBe(1900)
    const [made] = await operations(other)
    const [change] = await listOperationChanges(kassa.ctx.db, shop.merchantId, made?.id ?? '')
    expect(change?.actor).toBe('Ani, approved by Davit')
  })

  test('a refund is refused if the payment has moved meanwhile', async () => {
    const id = await pay()
    const proposal = await propose(id, 1500)
    const body = { amountMinor: 100, reason: 'meanwhile' }
    await askOperation(kassa.url, shop, id, 'refunds', { key: `meanwhile-${id}`, body })
    await work()
    await expect(grant(proposal ?? '')).rejects.toMatchObject({ code: 'payment_not_eligible' })
    expect(await returned(id)).toBe(100)
  })
})
