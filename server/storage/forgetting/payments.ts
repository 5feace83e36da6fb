/**
 * Blanks a buyer's data in payments and in all that hangs on them. $1 and $2: the merchants and the ids of the payments. $3: the
 * regular expression of the e-mail address or telephone number.
 * Rule: amounts, statuses, times, ids and the merchant's order references stay. They are the trail of the money.
 */
import { type Queryable, statement, type Tx } from '../db.ts'
import { forgetOrderRemarks } from '../orders/orders.ts'
import { forgetOrderBuyers } from '../orders/payments.ts'
import { type NamedPayment, OWN_METADATA, soldIn } from '../payments/payment.ts'
import { deleteSearchRows } from '../search/search.ts'

const { product, period } = OWN_METADATA
/** What the service itself has written. In the payment of a button or a pay page all else is the buyer's. */
const OWN_KEYS = `case ${soldIn('payments')} when 'product' then '{${product}}'::text[] when 'period' then '{${period}}'::text[] else '{}' end`

const BLANKED = {
  text: (column: string, pattern: string) => `regexp_replace(${column}, ${pattern}, '', 'gi')`,
  // A text of the key. Two texts that differ in the data alone would be the same row afterwards, so each gets a mark of its own.
  key: (column: string, pattern: string) =>
    `case when ${column} ~* ${pattern} then regexp_replace(${column}, ${pattern}, '', 'gi') || '(' || gen_random_uuid() || ')'
       else ${column} end`,
  // A JSON number may be an amount, so it stays. In a list it cannot be told apart from a part of a text, so it becomes null there.
  jsonb: (column: string, pattern: string) =>
    `regexp_replace(
       regexp_replace(${column}::text, '(?<=\\[|, )(?:' || ${pattern} || ')(?=, |\\])', 'null', 'gi'),
       '((?<=[^\\\\]": )-?[0-9][0-9.eE+-]*(?=[,}]))|(?:' || ${pattern} || ')', '\\1', 'gi')::jsonb`,
  // Only what people wrote: a field that has the data is left out.
  fields: (column: string, pattern: string) =>
    `(select jsonb_object_agg(key, value) from jsonb_each(${column}) as field (key, value) where value::text !~* ${pattern})`,
}
export const blanked = (column: string, type: keyof typeof BLANKED, pattern = '$3') =>
  `${column} = ${BLANKED[type](column, pattern)}`

const DIGITS = (text: string) => `regexp_replace(${text}, '[^0-9]', '', 'g')`
/** Characters between words, in every alphabet: the classes of PostgreSQL know only the letters of the database's locale. */
const BETWEEN_WORDS = `'[\\s"''.,;:!?()<>/|@#&+*=_{}–—«»\\[\\]\\\\-]+'`
/** Letters may be composed or not, and a field need not have them as the customer has. */
const folded = (text: string) => `lower(normalize(${text}, NFKC))`
const FIELD = folded("key || ' ' || value::text")
/**
 * Whether a field of the metadata has all words of the buyer's name, or the buyer's telephone number or address, as the same payment
 * has them in `customer`. A short word counts only as a whole one: `Li` is in many texts that are about nobody. A null of SQL counts as
 * no.
 */
const IS_OF_CUSTOMER = `coalesce(
    (select bool_and(case when length(part) < 4
         then part = any(regexp_split_to_array(${FIELD}, ${BETWEEN_WORDS}))
         else position(part in ${FIELD}) > 0 end)
      from regexp_split_to_table(${folded("customer ->> 'name'")}, ${BETWEEN_WORDS}) part where part <> '') , false)
  or coalesce(length(${DIGITS("customer ->> 'phone'")}) >= 6
    and position(right(${DIGITS("customer ->> 'phone'")}, 8) in ${DIGITS("key || ' ' || value::text")}) > 0, false)
  or coalesce(position(${folded("customer ->> 'email'")} in ${FIELD}) > 0, false)`

const page = statement<NamedPayment>(
  'list_payments_of_buyer',
  `select merchant_id as "merchantId", id from world.payments
   where id > $1 and id <= $2 and concat_ws(' ', customer, metadata, description, return_url, shop_url) ~* $3`,
)
const payments = statement<{ id: string }>(
  'forget_payments',
  `update world.payments set customer = null, ${['description', 'return_url', 'shop_url'].map((each) => blanked(each, 'text')).join(', ')},
     metadata = (
       select jsonb_object_agg(key, value) from jsonb_each(metadata) as field (key, value)
       where value::text !~* $3 and (key = any(${OWN_KEYS})
         or (${soldIn('payments')} is distinct from 'product' and not (${IS_OF_CUSTOMER}))))
   where merchant_id = any($1) and id = any($2) returning id`,
)

const OF_PAYMENTS = `merchant_id = any($1) and payment_id = any($2)`
const undelivered = statement<{ id: string }>(
  'list_undelivered_events_of_payments',
  `select id from world.events where ${OF_PAYMENTS} and state = 'pending' and body <> '' for update`,
)
type Step = ReturnType<typeof statement>
const step = (name: string, text: string): Step =>
  statement(
    `forget_${name}_of_payments`,
    `with given as (select $1::text[], $2::text[], $3::text) ${text} returning 1 as one`,
  )

/** An event without its body is neither sent nor sent again. */
export const WITHOUT_BODY = `body = '', state = case state when 'pending' then 'exhausted' else state end, due_at = null, lease_until = null`

const STEPS: Record<string, Step> = {
  deliveries: step(
    'deliveries',
    `update world.deliveries d set response_start = null from world.events e
     where e.merchant_id = any($1) and e.payment_id = any($2) and d.merchant_id = e.merchant_id and d.event_id = e.id
       and d.response_start is not null`,
  ),
  events: step('events', `update world.events set ${WITHOUT_BODY} where ${OF_PAYMENTS} and body <> ''`),
  exchanges: step('exchanges', 'delete from world.provider_exchanges where subject_id = any($2)'),
  attempts: step(
    'attempts',
    `update world.attempts set ${['form', 'facts', 'provider_state', 'proof'].map((each) => blanked(each, 'jsonb')).join(', ')},
       ${blanked('checkout_url', 'text')}
     where ${OF_PAYMENTS} and concat_ws(' ', form, facts, provider_state, proof, checkout_url) ~* $3`,
  ),
  mails: step(
    'mails',
    `update world.mails set recipient_hash = 0, due_at = null, state = case state when 'waiting' then 'withheld' else state end
     where merchant_id = any($1) and payment_id = any($2) and recipient_hash <> 0`,
  ),
  changes: step(
    'changes',
    `update world.payment_changes set ${blanked('detail', 'text')} where ${OF_PAYMENTS} and detail ~* $3`,
  ),
  warnings: step(
    'warnings',
    `update world.payment_warnings set ${blanked('detail', 'text')}, ${blanked('settled_why', 'text')}
     where ${OF_PAYMENTS} and concat_ws(' ', detail, settled_why) ~* $3`,
  ),
}

/** Returns the payments of a window of ids that have the e-mail address or the telephone number. */
export function listPaymentsOfBuyer(
  db: Queryable,
  { after, last }: { after: string; last: string },
  pattern: string,
): Promise<NamedPayment[]> {
  return page(db, [after, last, pattern])
}

/** Blanks the payments and what hangs on them. Returns how many rows of each kind had something. */
export async function forgetPayments(
  tx: Tx,
  found: readonly NamedPayment[],
  pattern: string,
): Promise<Record<string, number>> {
  const merchantIds = [...new Set(found.map(({ merchantId }) => merchantId))]
  const ids = found.map(({ id }) => id)
  const values = [merchantIds, ids, pattern]
  const counts: Record<string, number> = {}
  // Every change of a payment locks its row first.
  counts.payments = (await payments(tx, values)).length
  counts.undelivered = (await undelivered(tx, [merchantIds, ids])).length
  for (const [name, run] of Object.entries(STEPS)) counts[name] = (await run(tx, values)).length
  counts.orders = 0
  for (const merchantId of merchantIds) {
    await forgetOrderRemarks(tx, merchantId, ids)
    counts.orders += await forgetOrderBuyers(tx, merchantId, ids)
  }
  await deleteSearchRows(tx, ids)
  return counts
}

const drop = statement<{ one: number }>(
  'forget_search_rows',
  `delete from world.payment_search s using world.payments p
   where s.words @@ $1::tsquery and p.id = s.payment_id and p.customer is null returning 1 as one`,
)

/**
 * Deletes rows of payments without a customer. Returns how many. `words`: alternatives, each of words that a row must have. The worker
 * may have read a payment just before its buyer was forgotten, and have written its row just after.
 */
export async function dropForgottenRows(db: Queryable, words: string[][]): Promise<number> {
  const query = words.map((all) => `(${all.map((word) => `'${word.replaceAll("'", "''")}'`).join(' & ')})`)
  return (await drop(db, [query.join(' | ')])).length
}
