/** How many payments have which status, with their sums. The cost follows the payments of the time, up to a limit. */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import { type Queryable, statement } from '../db.ts'
import { type CreatedRange, isCreatedIn } from './zones.ts'

/** `sumMinor`: of what was taken, or where nothing was, of what was asked. Decimal text, because a sum may exceed 2^53. */
export type PaymentCount = { status: PaymentStatus; currency: CurrencyCode; count: number; sumMinor: string }

export type CountFilter = {
  merchantId: string | null
  /** Bounds of the ids, and so of the times at which the payments were created. */
  fromId: string
  toId: string
  /** Only payments that were created in their shop's range. Null: no more than the bounds. */
  created: readonly CreatedRange[] | null
  /** One that has an index. Null: all. */
  status: 'status_unknown' | 'disputed' | null
  /** No more payments are read. */
  paymentsMax: number
}

const BOUNDS = 'p.id >= $1 and p.id < $2'
// Each way reads one index, from the newest payment on, and nothing that lies outside of the bounds.
const WAYS = {
  all: `where ${BOUNDS} and $4::text is null`,
  merchant: `where p.merchant_id = $4 and ${BOUNDS}`,
  status: `where p.status = $5 and p.status in ('status_unknown', 'disputed', 'authorized') and ${BOUNDS}`,
} as const
type CountQueryName = keyof typeof WAYS

const countBy = (name: CountQueryName) =>
  statement<PaymentCount & { looked: number }>(
    `count_payments_by_${name}`,
    `select status, currency, (count(*) filter (where own))::int as count, sum(count(*)) over ()::int as looked,
       coalesce(sum(case when captured_minor > 0 then captured_minor else amount_minor end) filter (where own), 0)::text as "sumMinor"
     from (
       select p.status, p.currency, p.captured_minor, p.amount_minor, ($4::text is null or p.merchant_id = $4) and ${isCreatedIn('$6')} as own
       from world.payments p ${WAYS[name]}${name === 'status' ? '' : ' and $5::text is null'}
       order by p.id desc limit $3) looked
     group by status, currency order by currency`,
    { isPrepared: false },
  )
const STATEMENTS = { all: countBy('all'), merchant: countBy('merchant'), status: countBy('status') }

/** `isCut`: there are more than `most`, and only the newest are counted. */
export async function countPayments(
  db: Queryable,
  { merchantId, fromId, toId, created, status, paymentsMax }: CountFilter,
): Promise<{ counts: PaymentCount[]; isCut: boolean }> {
  const way = status !== null ? 'status' : merchantId !== null ? 'merchant' : 'all'
  // One extra payment tells whether there are more.
  const rows = await STATEMENTS[way](db, [
    fromId,
    toId,
    paymentsMax + 1,
    merchantId,
    status,
    created && JSON.stringify(created),
  ])
  const counts = rows.map(({ looked: _, ...each }) => each).filter(({ count }) => count > 0)
  return { counts, isCut: (rows[0]?.looked ?? 0) > paymentsMax }
}
