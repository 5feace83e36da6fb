/**
 * Pages of payments, newest first. Each page looks at a limited number of payments, and the caller goes on where it has stopped. So
 * no page costs more because there are more payments, however rare the ones that are asked for.
 */
import type { ProviderRoute } from '../../contract/fields.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import type { Queryable } from '../db.ts'
import { lastScanned, scanForRows } from '../looked.ts'
import { type AttemptedPayment, attemptedPayments, COLUMNS, OF_PAYMENT } from '../payments/payment.ts'
import { isInTime } from '../reports/money-days.ts'
import { type CreatedRange, isCreatedIn, type MovedRange, merchantsIn } from './zones.ts'

export type PaymentFilter = {
  merchantId?: string | null
  after?: string | null
  status?: PaymentStatus | null
  merchantOrderId?: string | null
  /** Only payments with a warning. */
  isWarned?: boolean
  /** Bounds of the ids, and so of the times at which the payments were created. */
  fromId?: string | null
  toId?: string | null
  route?: ProviderRoute | null
  minMinor?: number | null
  maxMinor?: number | null
  /** Only some of these payments. */
  ids?: string[] | null
  /** Only payments that were created in their shop's range. Beside the bounds of the ids, which hold for all. */
  created?: readonly CreatedRange[] | null
  /** Only payments whose money moved in their shop's range. */
  moved?: readonly MovedRange[] | null
  limit: number
}

/** How many payments one page looks at. */
const LOOKED_MAX = 10_000
/** How many times as many payments as were asked for are looked at first. */
const QUICK = 5
/** The statuses that have an index, because payments do not stay in them. */
const INDEXED: PaymentStatus[] = ['status_unknown', 'disputed', 'authorized']

const BOUNDS = 'p.id < $1 and p.id >= $2'
/** Where a page looks: through the index that leads to few payments. `$key`: the value for that index. */
const WAYS = {
  all: `world.payments p where ${BOUNDS}`,
  merchant: `world.payments p where p.merchant_id = $key and ${BOUNDS}`,
  status: `world.payments p where p.status = $key and p.status in ('${INDEXED.join("', '")}') and ${BOUNDS}`,
  warned: `(select distinct payment_id from world.payment_warnings where payment_id < $1 and payment_id >= $2
    order by payment_id desc limit $3) w join world.payments p on p.id = w.payment_id`,
  warned_of_merchant: `(select distinct payment_id from world.payment_warnings
    where merchant_id = $key and payment_id < $1 and payment_id >= $2
    order by payment_id desc limit $3) w join world.payments p on p.id = w.payment_id`,
  ids: `world.payments p where p.id = any($key::text[]) and ${BOUNDS}`,
  moved: `(select distinct e.payment_id from ${merchantsIn('($key::text[])[1]')} join world.entries e on e.merchant_id = m.id
      and ${isInTime('z.since', 'z.until')}
    where ($key::text[])[2] in ('', m.id) and e.payment_id < $1 and e.payment_id >= $2
    order by payment_id desc limit $3) w join world.payments p on p.id = w.payment_id`,
}
type PaymentQueryName = keyof typeof WAYS
const STATEMENTS = Object.fromEntries(
  Object.entries(WAYS).map(([name, way]) => [name, statementsOf(name, way)]),
) as Record<PaymentQueryName, ReturnType<typeof statementsOf>>

function statementsOf(name: string, way: string) {
  const newest = `from ${way} order by p.id desc limit $3`
  const rest = way.includes('$key') ? 5 : 4
  const [merchant, status, order, route, min, max, warned, created = '', limit] = Array.from(
    { length: 9 },
    (_, at) => `$${rest + at}`,
  )
  const newestByKey = newest.replaceAll('$key', () => '$4')
  return {
    page: attemptedPayments(
      `list_payments_by_${name}`,
      `select ${COLUMNS} from (select p.* ${newestByKey}) p join world.attempts a on ${OF_PAYMENT} and a.number = p.attempt
       where (${merchant}::text is null or p.merchant_id = ${merchant}) and (${status}::text is null or p.status = ${status})
         and (${order}::text is null or p.merchant_order_id = ${order}) and (${route}::text is null or a.provider = ${route})
         and p.amount_minor between ${min} and ${max} and (not ${warned} or exists (
           select from world.payment_warnings w where w.merchant_id = p.merchant_id and w.payment_id = p.id))
         and ${isCreatedIn(created)}
       order by p.id desc limit ${limit}`,
      { isPrepared: false },
    ),
    last: lastScanned(
      `find_last_looked_at_by_${name}`,
      `select p.id ${newestByKey}`,
      { rowsMax: '$3' },
      { isPrepared: false },
    ),
  }
}

function queryNameOf({
  ids,
  moved,
  isWarned,
  status,
  merchantId,
}: PaymentFilter): [PaymentQueryName, ...key: unknown[]] {
  if (ids) return ['ids', ids]
  if (moved) return ['moved', [JSON.stringify(moved), merchantId ?? '']]
  if (isWarned) return merchantId ? ['warned_of_merchant', merchantId] : ['warned']
  if (status && INDEXED.includes(status)) return ['status', status]
  return merchantId ? ['merchant', merchantId] : ['all']
}

/**
 * `after`: the last id of the page before. `lookedTo`: the payment at which a page stopped that found fewer than `limit`, because it
 * has looked at LOOKED_MAX. Null if there are no more.
 */
export async function scanPayments(
  db: Queryable,
  filter: PaymentFilter,
): Promise<{ payments: AttemptedPayment[]; lookedTo: string | null }> {
  const { after, toId, fromId, merchantId, status, merchantOrderId, route, minMinor, maxMinor } = filter
  const [way, ...key] = queryNameOf(filter)
  const before = [after, toId].filter((id) => typeof id === 'string').sort()[0] ?? LAST_ID
  const range = [before, fromId ?? '']
  const wanted = [
    merchantId,
    status,
    merchantOrderId,
    route,
    minMinor ?? 0,
    maxMinor ?? Number.MAX_SAFE_INTEGER,
  ]
  const rest = [
    filter.isWarned ?? false,
    filter.created ? JSON.stringify(filter.created) : null,
    filter.limit,
  ]
  const { page, last } = STATEMENTS[way]
  const { rows, lookedTo } = await scanForRows([filter.limit * QUICK, LOOKED_MAX], filter.limit, {
    page: (rowsMax) => page(db, [...range, rowsMax, ...key, ...wanted, ...rest]),
    last: (rowsMax) => last(db, [...range, rowsMax, ...key]),
  })
  return { payments: rows, lookedTo }
}

/** The first page. */
export async function listPayments(db: Queryable, filter: PaymentFilter): Promise<AttemptedPayment[]> {
  return (await scanPayments(db, filter)).payments
}

/** Sorts after every id of a payment. */
const LAST_ID = 'q'
