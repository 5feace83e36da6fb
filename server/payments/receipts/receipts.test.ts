/** Fiscal receipts from the payment to the register's books, and what becomes of them when the register does not do as it is told. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ProviderRoute } from '../../contract/fields.ts'
import { FISCAL_STATUSES } from '../../contract/payment.ts'
import type { RouteFiscal } from '../../providers/fiscal/driver.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { findPaymentById, type PaymentRecord } from '../../storage/payments/payments.ts'
import { listReceiptChanges } from '../../storage/payments/receipt-changes.ts'
import {
  listFiscalTransitions,
  listReceipts,
  RECEIPT_STATUSES,
  type ReceiptRecord,
} from '../../storage/payments/receipts.ts'
import { askOperation, call, createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { startWorker } from '../../worker/worker.ts'
import { canReceiptMove, FISCAL_MOVES, fiscalStatusOf, RECEIPT_MOVES } from '../receipt.ts'
import { applyStatus } from '../transition.ts'
import { RETRY_WAITS_MS, SETTLE_MS } from './printing.ts'

let kassa: Kassa
let shop: Shop
let fiscal: RouteFiscal
let order = 0
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  fiscal = kassa.ctx.routes.route_a.fiscal as RouteFiscal
})
afterAll(() => kassa.close())
beforeEach(() => bend(undefined))

/** What goes wrong with the register of route_a from now on. */
function bend(FAULT: string | undefined, driver: Partial<RouteFiscal['driver']> = {}) {
  const { route_a: route } = kassa.ctx.routes
  route.fiscal = {
    ...fiscal,
    driver: { ...fiscal.driver, ...driver } as RouteFiscal['driver'],
    settings: { FAULT },
  }
}

async function pay(provider: ProviderRoute = 'route_a', changes: object = {}): Promise<string> {
  const key = `fiscal-${++order}`
  const body = sessionRequest({ merchantOrderId: key, provider, ...changes })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  return session.id
}
const print = () => SWEEPS.fiscalReceipts(kassa.ctx)
const stored = async (id: string) => (await findPaymentById(kassa.ctx.db, id)) as PaymentRecord
const fiscalStatus = async (id: string) => (await stored(id)).fiscalStatus
const receipts = (id: string) => listReceipts(kassa.ctx.db, shop.merchantId, id)
const retry = (id: string, key = `retry-${++order}`) =>
  call(`${kassa.url}/v1/fiscal-receipts/${id}/retry`, {
    headers: { authorization: `Bearer ${shop.token}`, 'idempotency-key': key },
  })
const operation = async (id: string) =>
  (
    await kassa.ctx.db.query(
      'select status, provider_operation_id, status_reason from sandbox.operations where id = $1',
      [id],
    )
  ).rows[0]

async function refund(id: string, amountMinor: number): Promise<void> {
  const body = { amountMinor, reason: 'broken' }
  expect((await askOperation(kassa.url, shop, id, 'refunds', { key: `r-${++order}`, body })).status).toBe(201)
  await SWEEPS.moneyOperations(kassa.ctx)
}

/** What the register has printed for a payment, by its own books. */
async function printed(id: string): Promise<{ amountMinor: number; saleNumber?: string }[]> {
  const { rows } = await kassa.ctx.db.query(
    `select body from sandbox.sandbox_receipts where number is not null
     and reference in (select id from sandbox.receipts where payment_id = $1) order by number`,
    [id],
  )
  return rows.map(({ body }) => body)
}

async function until(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await print()
}

describe('the fiscal tables', () => {
  test('the database repeats both, pair for pair', async () => {
    const pairs = (table: string, moves: Record<string, readonly string[]>) =>
      Object.entries(moves).flatMap(([from, targets]) => targets.map((to) => `${table} ${from} ${to}`))
    const inCode = [...pairs('payment', FISCAL_MOVES), ...pairs('receipt', RECEIPT_MOVES)]
    const inDatabase = await listFiscalTransitions(kassa.ctx.db)
    expect(inDatabase.map((row) => `${row.table} ${row.fromStatus} ${row.toStatus}`).sort()).toEqual(
      inCode.sort(),
    )
  })

  test('whatever a sale and two refunds go through, the payment only moves along its table', () => {
    type Triple = [ReceiptRecord['status'], ReceiptRecord['status'], ReceiptRecord['status']]
    const status = ([sale, one, two]: Triple) =>
      fiscalStatusOf([
        { kind: 'sale', status: sale, amountMinor: 1000 },
        { kind: 'refund', status: one, amountMinor: 400 },
        { kind: 'refund', status: two, amountMinor: 600 },
      ])
    let moves = 0
    for (const sale of RECEIPT_STATUSES)
      for (const one of RECEIPT_STATUSES)
        for (const two of RECEIPT_STATUSES) {
          // A refund's receipt waits for its sale's.
          if (sale !== 'issued' && (one !== 'waiting' || two !== 'waiting')) continue
          const from: Triple = [sale, one, two]
          for (const at of [0, 1, 2])
            for (const to of RECEIPT_STATUSES) {
              if (!canReceiptMove(from[at] ?? 'issued', to) || (at > 0 && sale !== 'issued')) continue
              const next = from.with(at, to) as Triple
              const [before, after] = [status(from), status(next)]
              const allowed: readonly string[] = FISCAL_MOVES[before]
              expect([from, next, before, after, before === after || allowed.includes(after)]).toContain(true)
              moves += 1
            }
        }
    expect(moves).toBeGreaterThan(100)
  })

  test('the database itself refuses every other move, a second sale, too much back, and changed terms', async () => {
    const id = await pay()
    const { db } = kassa.ctx
    await db.query('alter table sandbox.payments disable trigger fiscal_transition')
    for (const from of FISCAL_STATUSES)
      for (const to of FISCAL_STATUSES) {
        await db.query('update sandbox.payments set fiscal_status = $2 where id = $1', [id, from])
        await db.query('alter table sandbox.payments enable trigger fiscal_transition')
        const moved = await db
          .query('update sandbox.payments set fiscal_status = $2 where id = $1', [id, to])
          .then(
            () => true,
            (error: { constraint: string }) => error.constraint === 'fiscal_transition' && false,
          )
        const targets: readonly string[] = FISCAL_MOVES[from]
        expect([from, to, moved]).toEqual([from, to, from === to || targets.includes(to)])
        await db.query('alter table sandbox.payments disable trigger fiscal_transition')
      }
    await db.query(`update sandbox.payments set fiscal_status = 'pending' where id = $1`, [id])
    await db.query('alter table sandbox.payments enable trigger fiscal_transition')
    const bear = `insert into sandbox.receipts (merchant_id, id, payment_id, kind, amount_minor, currency, register, created_at, updated_at)
      select merchant_id, 'rcp_' || $2, payment_id, $3, $4, currency, register, created_at, updated_at from sandbox.receipts
      where payment_id = $1 and kind = 'sale'`
    await expect(db.query(bear, [id, 'a', 'sale', 1])).rejects.toMatchObject({
      constraint: 'receipts_one_sale',
    })
    await expect(db.query(bear, [id, 'b', 'refund', 1901])).rejects.toMatchObject({
      constraint: 'refund_receipts_are_covered',
    })
    for (const [constraint, change] of [
      ['receipt_terms', 'amount_minor = 1'],
      ['receipt_transition', `status = 'issued', number = '1'`],
    ])
      await expect(
        db.query(`update sandbox.receipts set ${change} where payment_id = $1`, [id]),
      ).rejects.toMatchObject({
        constraint,
      })
  })
})

describe('a sale', () => {
  test('that is paid is pending in the very change, its event says so, and then its receipt is issued', async () => {
    const id = await pay()
    const [, paid] = await listPaymentEvents(kassa.ctx.db, shop.merchantId, id).then((all) => [
      null,
      all.at(-1),
    ])
    expect(JSON.parse(paid?.body ?? '').payment).toMatchObject({ status: 'paid', fiscalStatus: 'pending' })
    const before = await stored(id)
    kassa.clock.advance(1_000)
    await print()
    const after = await stored(id)
    expect(after).toMatchObject({ fiscalStatus: 'issued', status: 'paid', version: before.version })
    expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime())
    expect(await listPaymentEvents(kassa.ctx.db, shop.merchantId, id)).toHaveLength(before.version - 1)
    expect(await printed(id)).toMatchObject([{ amountMinor: 1900 }])
    const history = await listReceiptChanges(kassa.ctx.db, shop.merchantId, id)
    expect(history.map(({ toStatus }) => toStatus)).toEqual(['waiting', 'printing', 'issued'])
  })

  test('captured in part has a receipt for that part', async () => {
    const id = await pay('route_b')
    expect(await receipts(id)).toEqual([])
    await askOperation(kassa.url, shop, id, 'capture', { key: `c-${++order}`, body: { amountMinor: 1200 } })
    await SWEEPS.moneyOperations(kassa.ctx)
    await print()
    expect(await fiscalStatus(id)).toBe('issued')
    expect(await printed(id)).toMatchObject([{ amountMinor: 1200 }])
  })

  test.each(['route_c', 'route_d'] as const)('on %s needs none', async (route) => {
    const id = await pay(route)
    await print()
    expect([await fiscalStatus(id), await receipts(id)]).toEqual(['not_required', []])
  })

  test('that is paid once more after a dispute that was won has no second receipt', async () => {
    const id = await pay()
    await print()
    const at = await stored(id)
    for (const to of ['disputed', 'paid', 'disputed', 'paid'] as const)
      expect((await applyStatus(kassa.ctx, at, { to, cause: 'provider' })).outcome).toBe('changed')
    await print()
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['issued', 1])
  })

  test('numbers are the register’s own, one after the other', async () => {
    const ids = await Promise.all([pay(), pay(), pay()])
    await print()
    const numbers = (await Promise.all(ids.map(receipts)))
      .map(([sale]) => Number(sale?.number))
      .sort((a, b) => a - b)
    expect(numbers.map((number) => number - (numbers[0] ?? 0))).toEqual([0, 1, 2])
  })
})

describe('what goes back', () => {
  test('has a receipt for each part, against the sale’s number', async () => {
    const id = await pay()
    await print()
    await refund(id, 500)
    expect(await fiscalStatus(id)).toBe('issued')
    await print()
    expect(await fiscalStatus(id)).toBe('partially_refunded')
    await refund(id, 1400)
    await print()
    expect(await fiscalStatus(id)).toBe('refunded')
    const number = (await receipts(id))[0]?.number
    expect(await printed(id)).toMatchObject([
      { amountMinor: 1900 },
      { amountMinor: 500, saleNumber: number },
      { amountMinor: 1400, saleNumber: number },
    ])
  })

  test('before the sale’s receipt was printed is printed after it', async () => {
    const id = await pay()
    await refund(id, 500)
    expect((await receipts(id)).map(({ kind, dueAt }) => [kind, dueAt === null])).toEqual([
      ['sale', false],
      ['refund', true],
    ])
    await print()
    expect(await fiscalStatus(id)).toBe('partially_refunded')
    expect((await printed(id)).map(({ amountMinor }) => amountMinor)).toEqual([1900, 500])
  })

  test('by a dispute that was lost is what was left of the sale', async () => {
    const id = await pay()
    await refund(id, 500)
    const at = await stored(id)
    await applyStatus(kassa.ctx, at, { to: 'disputed', cause: 'provider' })
    await applyStatus(kassa.ctx, at, { to: 'reversed', cause: 'provider' })
    await print()
    expect(await fiscalStatus(id)).toBe('refunded')
    expect((await printed(id)).map(({ amountMinor }) => amountMinor)).toEqual([1900, 500, 1400])
  })

  test('whose receipt is refused needs a correction, and a retry makes it', async () => {
    const id = await pay()
    await print()
    await refund(id, 500)
    bend('refuses')
    await print()
    expect(await fiscalStatus(id)).toBe('correction_required')
    bend(undefined)
    const { body } = await retry(id)
    await print()
    expect([await fiscalStatus(id), (await operation(body.operation.id)).status]).toEqual([
      'partially_refunded',
      'succeeded',
    ])
  })
})

describe('a register', () => {
  test('whose answer is lost after it printed is asked, and prints nothing again', async () => {
    bend('answer_lost')
    const id = await pay()
    await print()
    expect((await receipts(id))[0]).toMatchObject({ status: 'printing' })
    expect(await fiscalStatus(id)).toBe('pending')
    await until(RETRY_WAITS_MS[0] ?? 0)
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['issued', 1])
  })

  test('that cannot be asked leaves a lost answer to a person, whose word ends it', async () => {
    bend('answer_lost', { lookUpReceipt: undefined } as never)
    const id = await pay()
    await print()
    expect(await fiscalStatus(id)).toBe('correction_required')
    const { body } = await retry(id)
    await print()
    expect((await operation(body.operation.id)).status).toBe('requires_operator_review')
    await until(RETRY_WAITS_MS[0] ?? 0)
    expect((await printed(id)).length).toBe(1)
    const [sale] = await receipts(id)
    const answer = await operateHere(
      async () => kassa.ctx,
      [
        'receipt',
        'resolve',
        '--receipt',
        sale?.id ?? '',
        '--as',
        'issued',
        '--number',
        'paper-77',
        '--why',
        'on the roll',
      ],
    )
    expect(answer.stdout).toContain('paper-77')
    expect([await fiscalStatus(id), await operation(body.operation.id)]).toMatchObject([
      'issued',
      { status: 'succeeded', provider_operation_id: 'paper-77' },
    ])
  })

  test('that is away is tried again with growing waits, and given up after the last', async () => {
    bend('away')
    const id = await pay()
    await print()
    for (const [index, waitMs] of RETRY_WAITS_MS.entries()) {
      expect([index, (await receipts(id))[0]?.status]).toEqual([index, 'waiting'])
      await until(waitMs - 1_000)
      expect((await receipts(id))[0]?.attempts).toBe(index + 1)
      await until(1_000)
    }
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['failed', 0])
  })

  test('that dies in the middle of a print is believed only after a while that it did not', async () => {
    bend(undefined, { issueReceipt: () => Promise.reject(new Error('the connection was reset')) })
    const id = await pay()
    await print()
    bend(undefined)
    await until(RETRY_WAITS_MS[0] ?? 0)
    expect((await receipts(id))[0]).toMatchObject({ status: 'printing', statusReason: 'not printed yet' })
    await until(SETTLE_MS)
    await until(RETRY_WAITS_MS[3] ?? 0)
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['issued', 1])
  })

  test('that is asked in vain leaves it to a person in the end', async () => {
    bend('answer_lost', { lookUpReceipt: async () => ({ kind: 'unavailable', message: 'away' }) })
    const id = await pay()
    await print()
    for (const waitMs of [...RETRY_WAITS_MS, 86_400_000]) await until(waitMs)
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['correction_required', 1])
    bend(undefined)
    await retry(id)
    await print()
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['issued', 1])
  })
})

describe('POST /v1/fiscal-receipts/{paymentId}/retry', () => {
  const once = { metadata: { sandboxFault: 'receipt_fails_once' } }

  test('prints what failed: 201, then 200 under the same key', async () => {
    const id = await pay('route_a', once)
    await print()
    expect(await fiscalStatus(id)).toBe('failed')
    const first = await retry(id, 'again')
    expect([first.status, first.body]).toMatchObject([
      201,
      {
        ok: true,
        created: true,
        payment: { id, fiscalStatus: 'pending' },
        operation: { type: 'fiscal_retry', status: 'processing', paymentSessionId: id },
      },
    ])
    await print()
    const again = await retry(id, 'again')
    expect([again.status, again.headers.get('x-idempotent-replay'), again.body]).toMatchObject([
      200,
      'true',
      { created: false, operation: { status: 'succeeded' }, payment: { fiscalStatus: 'issued' } },
    ])
    expect((await printed(id)).length).toBe(1)
  })

  test('that fails again ends its operation, and may be asked for under another key', async () => {
    bend('refuses')
    const id = await pay()
    await print()
    const { body } = await retry(id)
    await print()
    expect([await fiscalStatus(id), await operation(body.operation.id)]).toMatchObject([
      'failed',
      { status: 'failed', status_reason: '196: the register is not active' },
    ])
    expect((await retry(id)).status).toBe(201)
  })

  test('asked for ten times at once is done once', async () => {
    const id = await pay('route_a', once)
    await print()
    const answers = await Promise.all(Array.from({ length: 10 }, () => retry(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    await print()
    expect((await printed(id)).length).toBe(1)
  })

  test('is refused while nothing has failed, once it is issued, and where it was never wanted', async () => {
    const open = await createSession(kassa.url, shop, { key: `open-${++order}` })
    const codes: [string, number, string][] = []
    const ask = async (name: string, id: string) => {
      const { status, body } = await retry(id)
      codes.push([name, status, body.error.code])
    }
    await ask('unpaid', open.body.id)
    const id = await pay()
    await ask('pending', id)
    await print()
    await ask('issued', id)
    kassa.ctx.routes.route_a.fiscal = null
    const without = await pay()
    await ask('no register', without)
    bend(undefined)
    await ask('not required', without)
    await ask('route_c', await pay('route_c'))
    await ask('route_d', await pay('route_d'))
    await ask('nobody', 'pay_0')
    expect(codes).toEqual([
      ['unpaid', 409, 'payment_not_eligible'],
      ['pending', 409, 'payment_not_eligible'],
      ['issued', 409, 'receipt_already_issued'],
      ['no register', 409, 'operation_disabled'],
      ['not required', 409, 'fiscalization_disabled'],
      ['route_c', 409, 'operation_disabled'],
      ['route_d', 501, 'operation_not_configured'],
      ['nobody', 404, 'payment_not_found'],
    ])
  })
})

test('a worker prints it by itself', async () => {
  const worker = await startWorker(kassa.ctx)
  const id = await pay()
  await expect.poll(() => fiscalStatus(id), { timeout: 8_000 }).toBe('issued')
  await worker.stop()
})

test('the operator sees each receipt with its history', async () => {
  const id = await pay('route_a', { metadata: { sandboxFault: 'receipt_fails_once' } })
  await print()
  await retry(id)
  await print()
  const [sale] = await receipts(id)
  const { stdout } = await operateHere(async () => kassa.ctx, ['payment', 'show', '--payment', id])
  for (const text of ['Receipts', 'sale 19.00 USD', '196: the register is not active', `No. ${sale?.number}`])
    expect(stdout).toContain(text)
})
