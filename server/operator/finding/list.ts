/** Pages of payments for an operator, newest first. */
import type { Context } from '../../context.ts'
import { oldestId } from '../../id.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { type PaymentFilter, scanPayments } from '../../storage/search/list.ts'
import { END_OF_IDS } from './candidates.ts'
import { findOfCustomer, findOfOrder } from './find.ts'
import { UNREACHED_MS } from './rows.ts'

/** `customer`: a part of the e-mail address, of the name or of the telephone number. */
export type PaymentListFilter = Omit<PaymentFilter, 'ids'> & { customer?: string | null }
/**
 * `next`: the `after` of the next page; null on the last page. `isCut`: the page has looked at as many payments as a page looks at, and
 * the next page goes on from there.
 */
export type Page = { payments: AttemptedPayment[]; next: string | null; isCut: boolean }

export async function lookFor(ctx: Context, wanted: PaymentListFilter): Promise<Page> {
  const { limit } = wanted
  // One extra payment tells whether another page follows.
  const { payments, lookedTo } = await readPage(ctx, { ...wanted, limit: limit + 1 })
  if (payments.length > limit)
    return { payments: payments.slice(0, limit), next: payments[limit - 1]?.id ?? null, isCut: false }
  return { payments, next: lookedTo, isCut: lookedTo !== null }
}

async function readPage(ctx: Context, { customer, ...filter }: PaymentListFilter) {
  const { merchantId = null, merchantOrderId, after, fromId, toId } = filter
  const before = [after, toId].filter((id) => typeof id === 'string').sort()[0] ?? END_OF_IDS
  const range = { merchantId, fromId: fromId ?? '', toId: before }
  if (typeof customer === 'string') {
    const { ids, lookedTo } = await findOfCustomer(ctx, customer, range)
    return { payments: (await scanPayments(ctx.db, { ...filter, ids })).payments, lookedTo }
  }
  if (typeof merchantOrderId !== 'string') return scanPayments(ctx.db, filter)
  const { ids, lookedTo } = await findOfOrder(ctx, merchantOrderId, range)
  const known = await scanPayments(ctx.db, { ...filter, ids })
  // Payments of the last hour may have no row by which they are found.
  const hourAgo = oldestId(ctx.world, 'pay', new Date(ctx.clock.now().getTime() - UNREACHED_MS))
  const fresh = await scanPayments(ctx.db, {
    ...filter,
    fromId: fromId && fromId > hourAgo ? fromId : hourAgo,
  })
  // The next page goes on behind the last one that was looked at, and finds what is older.
  const reached = known.payments.filter(({ id }) => id >= (fresh.lookedTo ?? ''))
  const all = new Map([...fresh.payments, ...reached].map((each) => [each.id, each]))
  const payments = [...all.values()].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, filter.limit)
  return { payments, lookedTo: fresh.lookedTo ?? lookedTo }
}
