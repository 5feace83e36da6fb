import { describe, expect, test } from 'vitest'
import { FISCAL_STATUSES } from '../../contract/payment.ts'
import { RECEIPT_STATUSES, type ReceiptRecord } from '../../storage/payments/receipts.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { listTransitions } from '../../testing/payments/status-changes.ts'
import { openKassa } from '../../testing/scene.ts'
import { canReceiptMove, excessOf, FISCAL_MOVES, fiscalStatusOf, RECEIPT_MOVES } from '../receipt.ts'

const kassa = await openKassa()
const { pay } = await openFiscalShop(kassa)

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
