/** Fiscal receipts, from the payment to the receipts that the register has printed, and the tables of their states. */
import { beforeEach, describe, expect, test } from 'vitest'
import { FISCAL_STATUSES } from '../../contract/payment.ts'
import { inTransaction } from '../../storage/db.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { listReceiptChanges } from '../../storage/payments/receipt-changes.ts'
import { RECEIPT_STATUSES, type ReceiptRecord } from '../../storage/payments/receipts.ts'
import { askOperation } from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { listTransitions } from '../../testing/payments/status-changes.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { startWorker } from '../../worker/worker.ts'
import { canReceiptMove, excessOf, FISCAL_MOVES, fiscalStatusOf, RECEIPT_MOVES } from '../receipt.ts'
import { applyStatus } from '../transition.ts'

const kassa = await openKassa()
const {
  shop,
  newKey,
  print,
  stored,
  fiscalStatus,
  receipts,
  setRegisterFault,
  pay,
  refund,
  retry,
  printed,
  operation,
} = await openFiscalShop(kassa)
beforeEach(() => setRegisterFault(undefined))

describe('a sale', () => {
  test('makes the fiscalStatus pending with the same event as paid, and then its receipt is issued', async () => {
    const id = await pay()
    const paid = (await listPaymentEvents(kassa.ctx.db, shop.merchantId, id)).at(-1)
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

  test('that is captured in part has a receipt for that part', async () => {
    const id = await pay('route_b')
    expect(await receipts(id)).toEqual([])
    await askOperation(kassa.url, shop, id, 'capture', { key: newKey(), body: { amountMinor: 1200 } })
    await SWEEPS.moneyOperations(kassa.ctx)
    await print()
    expect(await fiscalStatus(id)).toBe('issued')
    expect(await printed(id)).toMatchObject([{ amountMinor: 1200 }])
  })

  test.each(['route_c', 'route_d'] as const)('on %s needs no receipt', async (route) => {
    const id = await pay(route)
    await print()
    expect([await fiscalStatus(id), await receipts(id)]).toEqual(['not_required', []])
  })

  test('that is paid again after a won dispute has no second receipt', async () => {
    const id = await pay()
    await print()
    const at = await stored(id)
    for (const to of ['disputed', 'paid', 'disputed', 'paid'] as const)
      expect((await applyStatus(kassa.ctx, at, { to, cause: 'provider' })).outcome).toBe('changed')
    await print()
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['issued', 1])
  })

  test('gets the next number of the register', async () => {
    const ids = await Promise.all([pay(), pay(), pay()])
    await print()
    const numbers = (await Promise.all(ids.map(receipts)))
      .map(([sale]) => Number(sale?.number))
      .sort((a, b) => a - b)
    expect(numbers.map((number) => number - (numbers[0] ?? 0))).toEqual([0, 1, 2])
  })
})

describe('a refund', () => {
  test('has a receipt of its own that names the sale’s number', async () => {
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

  test('that is made before the sale’s receipt is printed has its receipt printed after that', async () => {
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

  test('through a lost dispute has a receipt for the rest of the sale', async () => {
    const id = await pay()
    await refund(id, 500)
    const at = await stored(id)
    await applyStatus(kassa.ctx, at, { to: 'disputed', cause: 'provider' })
    await applyStatus(kassa.ctx, at, { to: 'reversed', cause: 'provider' })
    await print()
    expect(await fiscalStatus(id)).toBe('refunded')
    expect((await printed(id)).map(({ amountMinor }) => amountMinor)).toEqual([1900, 500, 1400])
  })

  test('whose receipt the register refuses makes the payment correction_required, until a retry prints it', async () => {
    const id = await pay()
    await print()
    await refund(id, 500)
    setRegisterFault('refuses')
    await print()
    expect(await fiscalStatus(id)).toBe('correction_required')
    setRegisterFault(undefined)
    const { body } = await retry(id)
    await print()
    expect([await fiscalStatus(id), (await operation(body.operation.id)).status]).toEqual([
      'partially_refunded',
      'succeeded',
    ])
  })
})

test('a worker prints a receipt without a request', async () => {
  const worker = await startWorker(kassa.ctx)
  const id = await pay()
  await expect.poll(() => fiscalStatus(id)).toBe('issued')
  await worker.stop()
})

test('an operator sees each receipt with its history', async () => {
  const id = await pay('route_a', { metadata: { sandboxFault: 'receipt_fails_once' } })
  await print()
  await retry(id)
  await print()
  const [sale] = await receipts(id)
  const { stdout } = await operateHere(async () => kassa.ctx, ['payment', 'show', '--payment', id])
  for (const text of ['Receipts', 'sale 19.00 USD', '196: the register is not active', `No. ${sale?.number}`])
    expect(stdout).toContain(text)
})

describe('the fiscal tables', () => {
  test('have the same pairs in the code and in the database', async () => {
    const pairs = (moves: Record<string, readonly string[]>) =>
      Object.entries(moves).flatMap(([from, targets]) => targets.map((to) => `${from} ${to}`))
    expect(await listTransitions(kassa.ctx.db, 'fiscal')).toEqual(pairs(FISCAL_MOVES).sort())
    expect(await listTransitions(kassa.ctx.db, 'receipt')).toEqual(pairs(RECEIPT_MOVES).sort())
  })

  test('allow every fiscalStatus change that the receipts of a sale and two refunds can cause', () => {
    type Triple = [ReceiptRecord['status'], ReceiptRecord['status'], ReceiptRecord['status']]
    const receiptsOf = ([sale, one, two]: Triple) => [
      { kind: 'sale', status: sale, amountMinor: 1000 } as const,
      { kind: 'refund', status: one, amountMinor: 400 } as const,
      { kind: 'refund', status: two, amountMinor: 600 } as const,
    ]
    const status = (of: Triple, returnedMinor: number) => fiscalStatusOf(receiptsOf(of), returnedMinor)
    // A receipt is cancelled only when its refund failed after all.
    const returnedIn = ([, one, two]: Triple) =>
      (one === 'cancelled' ? 0 : 400) + (two === 'cancelled' ? 0 : 600)
    let moves = 0
    for (const sale of RECEIPT_STATUSES)
      for (const one of RECEIPT_STATUSES)
        for (const two of RECEIPT_STATUSES) {
          // A refund's receipt waits until the sale's receipt is issued.
          if (sale !== 'issued' && (one !== 'waiting' || two !== 'waiting')) continue
          const from: Triple = [sale, one, two]
          for (const at of [0, 1, 2])
            for (const to of RECEIPT_STATUSES) {
              if (!canReceiptMove(from[at] ?? 'issued', to) || (at > 0 && sale !== 'issued')) continue
              if (at === 0 && to === 'cancelled') continue
              const next = from.with(at, to) as Triple
              const returnedMinor = returnedIn(next)
              const isPrinted = from[at] === 'issued' && to === 'cancelled'
              // An operator cancels a printed receipt only if too much was printed.
              if (isPrinted && excessOf(receiptsOf(from), returnedMinor) === 0) continue
              const [before, after] = [status(from, returnedMinor), status(next, returnedMinor)]
              const allowed: readonly string[] = FISCAL_MOVES[before]
              expect([from, next, before, after, before === after || allowed.includes(after)]).toContain(true)
              moves += 1
            }
          // A refund fails after all, whatever became of its receipt.
          for (const returnedMinor of [0, 400, 600]) {
            const [before, after] = [status(from, 1000), status(from, returnedMinor)]
            const allowed: readonly string[] = FISCAL_MOVES[before]
            expect([
              from,
              returnedMinor,
              before,
              after,
              before === after || allowed.includes(after),
            ]).toContain(true)
          }
        }
    expect(moves).toBeGreaterThan(100)
  })

  test('are enforced by the database, which also rejects a second sale, too large a refund and changed terms', async () => {
    const id = await pay()
    const { db } = kassa.ctx
    const stand = (status: string) =>
      db.query(`
        alter table sandbox.payments disable trigger fiscal_transition;
        update sandbox.payments set fiscal_status = '${status}' where id = '${id}';
        alter table sandbox.payments enable trigger fiscal_transition`)
    for (const from of FISCAL_STATUSES) {
      await stand(from)
      for (const to of FISCAL_STATUSES) {
        const change = inTransaction(db, async (tx) => {
          await tx.query(`update sandbox.payments set fiscal_status = '${to}' where id = '${id}'`)
          throw new Error('moved')
        })
        const moved = await change.catch((error: Error & { constraint?: string }) => {
          expect([error.message, error.constraint]).toContain(
            error.constraint ? 'fiscal_transition' : 'moved',
          )
          return error.constraint === undefined
        })
        const targets: readonly string[] = FISCAL_MOVES[from]
        expect([from, to, moved]).toEqual([from, to, from === to || targets.includes(to)])
      }
    }
    await stand('pending')
    const insert = `insert into sandbox.receipts (merchant_id, id, payment_id, kind, amount_minor, currency, account_id, register, created_at, updated_at)
      select merchant_id, 'rcp_' || $2, payment_id, $3, $4, currency, account_id, register, created_at, updated_at from sandbox.receipts
      where payment_id = $1 and kind = 'sale'`
    await expect(db.query(insert, [id, 'a', 'sale', 1])).rejects.toMatchObject({
      constraint: 'receipts_one_sale',
    })
    await expect(db.query(insert, [id, 'b', 'refund', 1901])).rejects.toMatchObject({
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
