/** Payments that no buyer has reached, by exactly what they say. They have no search row for the first hour. */
import { statement } from '../db.ts'
import type { Range } from './look-up.ts'

export type ExactHit = { id: string; by: 'order' | 'e-mail' }

const MOST = 20
const UNREACHED = `p.status in ('created', 'pending_redirect')`
/** Two spellings of one text become one. PostgreSQL folds both sides, because each locale has its own small letters. */
const folded = (text: string) => `lower(normalize(${text}, NFKC))`
const SEARCHED_TEXTS = `any(array(select ${folded('said')} from unnest($1::text[]) said))`
const IN_RANGE = 'p.id >= $2 and p.id < $3 and ($4::text is null or p.merchant_id = $4)'

/** `texts`: whole order references and e-mail addresses. The newest payments first. The indexes have the same words. */
export const findUnreached = statement<ExactHit>(
  'find_unreached_payments',
  `(select p.id, 'order' as by from world.payments p
    where ${folded('p.merchant_order_id')} = ${SEARCHED_TEXTS} and ${UNREACHED} and ${IN_RANGE} order by p.id desc limit ${MOST})
   union all
   (select p.id, 'e-mail' from world.payments p
    where ${folded("p.customer ->> 'email'")} = ${SEARCHED_TEXTS} and p.customer ->> 'email' is not null and ${UNREACHED} and ${IN_RANGE}
    order by p.id desc limit ${MOST})
   order by id desc`,
  { isPrepared: false },
).all((texts: string[], { fromId, toId, merchantId }: Range) => [texts, fromId, toId, merchantId])
