/** How many payments have which status, with their sums: of some days, or of all that wait for a person. */
import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { type CountFilter, countPayments, type PaymentCount } from '../../storage/search/counts.ts'
import { END_OF_IDS } from './candidates.ts'

/** No more payments are counted. Beyond it a count is only a least number, and there are no sums. */
export const COUNTED_MAX = 50_000

export type StatusCount = {
  status: PaymentStatus
  count: number
  /** True if there may be more. Then `sums` is empty, because a part of a sum would be a wrong one. */
  isMinimum: boolean
  sums: { currency: CurrencyCode; minor: bigint }[]
}
export type CountRequest = Partial<
  Pick<CountFilter, 'fromId' | 'toId' | 'created' | 'status' | 'paymentsMax'>
> & {
  merchantId: string | null
}

export async function countByStatus(
  ctx: Context,
  {
    merchantId,
    fromId = '',
    toId = END_OF_IDS,
    created = null,
    status = null,
    paymentsMax = COUNTED_MAX,
  }: CountRequest,
): Promise<StatusCount[]> {
  const { counts, isCut } = await countPayments(ctx.db, {
    merchantId,
    fromId,
    toId,
    created,
    status,
    paymentsMax,
  })
  return PAYMENT_STATUSES.flatMap((each) => {
    const rows = counts.filter((row) => row.status === each)
    return rows.length > 0 ? [countOf(each, rows, isCut)] : []
  })
}

function countOf(status: PaymentStatus, rows: PaymentCount[], isMinimum: boolean): StatusCount {
  const sums = rows.map(({ currency, sumMinor }) => ({ currency, minor: BigInt(sumMinor) }))
  const count = rows.reduce((sum, each) => sum + each.count, 0)
  return { status, count, isMinimum, sums: isMinimum ? [] : sums }
}
