/** The numbers of payments, by which a transfer is found in the text of a statement. */
import { statement } from '../db.ts'
import type { NamedAttempt } from '../payments/attempt.ts'

/** `number`: the end of the payment's id, which the buyer of a bank transfer writes. Null for other routes. */
export const listNumbers = statement<{ reference: string; number: string | null }>(
  'list_attempt_numbers',
  `select reference, case when provider = 'manual' then right(payment_id, 8) end as number from world.attempts
   where account_id = $1 and reference > $2 order by reference limit $3`,
).all((accountId: string, after: string, limit: number) => [accountId, after, limit])

/** `amounts`: each amount in minor units that a line about the attempt may have. */
export type NumberedAttempt = NamedAttempt & {
  reference: string
  numberWritten: string
  currency: string
  amounts: number[]
}

export const findNumbered = statement<NumberedAttempt>(
  'find_numbered_attempts',
  `select a.merchant_id as "merchantId", a.payment_id as "paymentId", a.number, a.reference, right(a.payment_id, 8) as "numberWritten",
     p.currency, (select jsonb_agg(distinct amount) from (
       select p.amount_minor as amount
       union all select e.amount_minor from world.entries e
         where e.merchant_id = a.merchant_id and e.payment_id = a.payment_id and e.attempt = a.number) all_amounts) as amounts
   from (
     select * from world.attempts where account_id = $1 and provider = 'manual' and right(payment_id, 8) = any($2)
     union
     select * from world.attempts where account_id = $1 and reference = any($3)
   ) a join world.payments p on p.merchant_id = a.merchant_id and p.id = a.payment_id
   order by a.payment_id, a.number desc`,
  { isPrepared: false },
).all((accountId: string, numbers: string[], references: string[]) => [accountId, numbers, references])
