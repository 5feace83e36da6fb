/**
 * Looks payments up by their search rows, the newest first. Rule: each statement looks at a limited number of rows, so that a word
 * which many payments have costs no more because there are more payments. The limits are a part of the text, so that each plan of
 * PostgreSQL stops at them.
 */
import { type Queryable, statement } from '../db.ts'
import { SEARCH_ROW, type SearchRow } from './search.ts'

/** How many payments, and how many rows with a word, are looked at. */
const LOOKED_MAX = 5_000
/** How many rows are returned. */
const ROWS_MAX = 500

/** `fromId`, `toId`: bounds of the payments' ids. */
export type Range = { merchantId: string | null; fromId: string; toId: string }
/** `lookedTo`: the last payment that was looked at. Null if nothing was left out because of a limit. */
export type LookedUp = { rows: SearchRow[]; lookedTo: string | null }

const COLUMNS = `${SEARCH_ROW}, tsvector_to_array(s.words) as words`
const WITH_ROW = 'join world.payment_search s on s.payment_id = looked.payment_id'
const NEWEST = `limit ${LOOKED_MAX}`

const ofAll = 'world.payment_search where payment_id >= $1 and payment_id < $2 order by payment_id desc'
const ofMerchant = `world.payment_search where merchant_id = $3 and payment_id >= $1 and payment_id < $2
   order by payment_id desc`
const among = (rows: string, query: string) => `select ${COLUMNS} from (select * from ${rows} ${NEWEST}) s
   where ${query}::text is null or s.words @@ ${query}::tsquery order by s.payment_id desc limit ${ROWS_MAX}`
const lastOf = (rows: string) =>
  `select payment_id as "paymentId" from (select payment_id from ${rows} ${NEWEST}) looked offset ${LOOKED_MAX - 1}`
const newest = statement<SearchRow>('search_newest', among(ofAll, '$3'))
const last = statement<{ paymentId: string }>('find_last_searched', lastOf(ofAll))
// Shops differ in size. One plan for all of them would read every payment of a large one.
const newestOfMerchant = statement<SearchRow>('search_newest_of_merchant', among(ofMerchant, '$4'), {
  isPrepared: false,
})
const lastOfMerchant = statement<{ paymentId: string }>(
  'find_last_searched_of_merchant',
  lastOf(ofMerchant),
  { isPrepared: false },
)

/** Returns at least one row, because the count is also needed if no payment was found. */
const COUNTED = `select ${COLUMNS}, counted.count from (select count(*)::int as count from hits) counted
   left join (looked ${WITH_ROW}) on true order by looked.payment_id desc`
type Counted = { [Name in keyof SearchRow]: SearchRow[Name] | null } & { count: number }
// The words are looked up first. Otherwise the planner reads the payments from the newest to the oldest until enough have the words,
// which is all of them where the words are rare.
const byWords = statement<Counted>(
  'search_payments',
  `with hits as materialized (
     select payment_id, merchant_id, words from world.payment_search where words @@ $1::tsquery ${NEWEST}
   ), looked as (
     select payment_id from hits where words @@ $2::tsquery and payment_id >= $3 and payment_id < $4
       and ($5::text is null or merchant_id = $5)
     order by payment_id desc limit ${ROWS_MAX}
   ) ${COUNTED}`,
)
const byAmount = statement<Counted>(
  'search_payments_by_amount',
  `with hits as materialized (
     select payment_id, merchant_id from world.payment_search where amount_minor = $1 and payment_id >= $2 and payment_id < $3
     order by payment_id desc ${NEWEST}
   ), looked as (
     select payment_id from hits where $4::text is null or merchant_id = $4 order by payment_id desc limit ${ROWS_MAX}
   ) ${COUNTED}`,
)
const counts = statement<{ count: number }>(
  'count_newest_with_words',
  `with looked as materialized (select words from world.payment_search order by payment_id desc ${NEWEST})
   select (select count(*)::int from looked where words @@ query::tsquery) as count
   from unnest($1::text[]) with ordinality as asked (query, number) order by number`,
)

/**
 * Returns those of the newest payments that have the words. `query`: a query of PostgreSQL's text search, or null for all
 * payments.
 */
export async function searchNewest(
  db: Queryable,
  query: string | null,
  { merchantId, fromId, toId }: Range,
): Promise<LookedUp> {
  const range = merchantId === null ? [fromId, toId] : [fromId, toId, merchantId]
  const rows = await (merchantId === null ? newest : newestOfMerchant)(db, [...range, query])
  if (rows.length === ROWS_MAX) return { rows, lookedTo: rows.at(-1)?.paymentId ?? null }
  const beyond = await (merchantId === null ? last : lastOfMerchant)(db, range)
  return { rows, lookedTo: beyond[0]?.paymentId ?? null }
}

/** Returns how many of the newest payments have the words of each query. */
export async function countNewest(db: Queryable, queries: string[]): Promise<number[]> {
  return (await counts(db, [queries])).map(({ count }) => count)
}

/**
 * `indexed`: the rare part of what is `wanted`, because this costs time for each row that has it. Returns null if too many have it.
 */
export async function searchByWords(
  db: Queryable,
  { wanted, indexed }: { wanted: string; indexed: string },
  { merchantId, fromId, toId }: Range,
): Promise<LookedUp | null> {
  const found = await byWords(db, [indexed, wanted, fromId, toId, merchantId])
  return (found[0]?.count ?? 0) < LOOKED_MAX ? lookedUp(found) : null
}

export async function searchByAmount(db: Queryable, amountMinor: number, range: Range): Promise<LookedUp> {
  const found = await byAmount(db, [amountMinor, range.fromId, range.toId, range.merchantId])
  const { rows, lookedTo } = lookedUp(found)
  const isCut = (found[0]?.count ?? 0) === LOOKED_MAX
  return { rows, lookedTo: lookedTo ?? (isCut ? (rows.at(-1)?.paymentId ?? range.fromId) : null) }
}

function lookedUp(found: Counted[]): LookedUp {
  const rows = found.filter((row): row is SearchRow & Counted => row.paymentId !== null)
  return { rows, lookedTo: rows.length === ROWS_MAX ? (rows.at(-1)?.paymentId ?? null) : null }
}

type ExactHit = { id: string; by: 'order' | 'e-mail' }

const UNREACHED_MAX = 20
const UNREACHED = `p.status in ('created', 'pending_redirect')`
/** Folds case and composed letters. PostgreSQL folds both sides of a comparison, because lower case depends on its locale. */
const folded = (text: string) => `lower(normalize(${text}, NFKC))`
const SEARCHED_TEXTS = `any(array(select ${folded('said')} from unnest($1::text[]) said))`
const IN_RANGE = 'p.id >= $2 and p.id < $3 and ($4::text is null or p.merchant_id = $4)'

/**
 * Finds payments that no buyer has reached, by exact texts. They have no search row for the first hour. `texts`: whole order references and
 * e-mail addresses. The newest payments first. The indexes have the same text.
 */
export const findUnreached = statement<ExactHit>(
  'find_unreached_payments',
  `(select p.id, 'order' as by from world.payments p
    where ${folded('p.merchant_order_id')} = ${SEARCHED_TEXTS} and ${UNREACHED} and ${IN_RANGE} order by p.id desc limit ${UNREACHED_MAX})
   union all
   (select p.id, 'e-mail' from world.payments p
    where ${folded("p.customer ->> 'email'")} = ${SEARCHED_TEXTS} and p.customer ->> 'email' is not null and ${UNREACHED} and ${IN_RANGE}
    order by p.id desc limit ${UNREACHED_MAX})
   order by id desc`,
  { isPrepared: false },
).all((texts: string[], { fromId, toId, merchantId }: Range) => [texts, fromId, toId, merchantId])
