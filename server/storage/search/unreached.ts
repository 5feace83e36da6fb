/** Payments that no buyer has reached, by exactly what they say. They have no search row for the first hour. */
import { statement } from '../db.ts'
import type { Range } from './look-up.ts'

export type ExactHit = { id: string; by: 'order' | 'e-mail' }

const MOST = 20
const UNREACHED = `p.status in ('created', 'pending_redirect')`
const IN_RANGE = 'p.id >= $2 and p.id < $3 and ($4::text is null or p.merchant_id = $4)'

/** `said`: whole order references and e-mail addresses, in small letters. The newest payments first. */
export const findUnreached = statement<ExactHit>(
  'find_unreached_payments',
  `(select p.id, 'order' as by from world.payments p
    where lower(p.merchant_order_id) = any($1) and ${UNREACHED} and ${IN_RANGE} order by p.id desc limit ${MOST})
   union all
   (select p.id, 'e-mail' from world.payments p
    where lower(p.customer ->> 'email') = any($1) and p.customer ->> 'email' is not null and ${UNREACHED} and ${IN_RANGE}
    order by p.id desc limit ${MOST})
   order by id desc`,
  { isPlannedAnew: true },
).all((said: string[], { fromId, toId, merchantId }: Range) => [said, fromId, toId, merchantId])
