/**
 * Everything that waits for a person.
 * Rule: a page reads the cases that it shows, however many wait, and looks at a limited number of rows that are none.
 */
import type { CurrencyCode } from '../../contract/fields.ts'
import { type Db, inTransaction, statement, type Tx } from '../db.ts'
import { LOOKED_MAX, type Page, type PageRequest } from '../looked.ts'
import { type CaseKind, SOURCES, SOURCES_OF_MERCHANT, SOURCES_OF_ONE, type Source } from './sources.ts'

export { CASE_KINDS, type CaseKind } from './sources.ts'

/** `subject`: the id of what the kind names. `what`: what happened, as the code that stored it has worded it. */
export type CaseRecord = {
  kind: CaseKind
  subject: string
  merchantId: string | null
  merchantName: string | null
  paymentId: string | null
  accountId: string | null
  since: Date
  /** The sum of money in question; null if none is known. */
  amountMinor: number | null
  currency: CurrencyCode | null
  what: string | null
}
/** `position`: the place of the case on the desk. Positions sort as texts. */
export type PlacedCase = CaseRecord & { position: string }

type Sources = Record<CaseKind, Source>
const each = (sources: Sources) => Object.entries(sources) as [CaseKind, Source][]
const positionOf = (kind: CaseKind, { position, since, amount, account, subject }: Source) =>
  position ?? `kassa.desk_position(${since}, ${amount ?? 'null'}, '${kind}', ${account ?? `''`}, ${subject})`

const columnsOf = (kind: CaseKind, source: Source) =>
  `'${kind}' as kind, ${source.subject} as subject, ${source.merchant ?? 'null::text'} as merchant_id,
   ${source.payment ?? 'null::text'} as payment_id, ${source.account ?? 'null::text'} as account_id, ${source.since} as since,
   ${source.amount ?? 'null::bigint'} as amount, ${source.currency ?? 'null'}::text as currency`

/** The rows behind the position `$1`, in order, as an index has them. Those that are cases are among them. */
function scannedRows(sources: Sources, kind: CaseKind, source: Source): string {
  const { table, alias, open, ofMerchant, mine = 'true' } = source
  const position = positionOf(kind, source)
  // The text in a shop's index begins with a blank.
  const blank = sources === SOURCES || !ofMerchant ? '' : `' ' || `
  const key = `(${blank}${position}) collate "C"`
  const place = sources === SOURCES ? '$2::text is null' : ofMerchant ? `${ofMerchant} = $2` : mine
  return `(select ${alias}.*, (${position}) collate "C" as position, ${key} as desk_key from ${table}
     where ${open} and ($3::text is null or $3 = '${kind}') and ${place}
       and ${key} > ${blank}$1 order by ${key} limit ${LOOKED_MAX}) ${alias}`
}

/** The first `$4` cases of each kind. */
const kindsOf = (sources: Sources) =>
  each(sources)
    .map(
      ([kind, source]) =>
        `${kind} as materialized (
     select ${columnsOf(kind, source)}, ${source.alias}.position from ${scannedRows(sources, kind, source)}
     where ${source.lists ?? 'true'} order by ${source.alias}.desk_key limit $4)`,
    )
    .join(',\n ')
const ALL = each(SOURCES)
  .map(([kind]) => `select * from ${kind}`)
  .join(' union all ')

/**
 * Until where all cases of the kind are known. Null if that is everywhere. Without its last character, because several rows may have
 * one position: the warnings of a payment.
 */
const edgeOf = (sources: Sources) =>
  each(sources)
    .filter(([, { lists }]) => lists)
    .map(
      ([kind, source]) => `case when (select count(*) from ${kind}) < $4 then (
       select case when left(position, -1) > $1 then left(position, -1) else position end from ${scannedRows(sources, kind, source)} order by ${source.alias}.desk_key offset ${LOOKED_MAX - 1} limit 1) end`,
    )
    .join(',\n     ')

const chosen = (name: 'what' | 'stake') =>
  each(SOURCES)
    .flatMap(([kind, { [name]: value }]) => (value ? [`when '${kind}' then ${value}`] : []))
    .join('\n ')
const COLUMNS = `kind, subject, merchant_id as "merchantId", m.name as "merchantName", payment_id as "paymentId",
  account_id as "accountId", since, case kind ${chosen('stake')} else amount end as "amountMinor", currency, position,
  case kind ${chosen('what')} end as what`
const MERCHANTS = 'left join kassa.merchants m on m.id = page.merchant_id'

const listOf = (name: string, sources: Sources) =>
  statement<{ edge: string | null } & (PlacedCase | { kind: null })>(
    name,
    `with ${kindsOf(sources)}, edge as (select least(${edgeOf(sources)}) as at), page as (
     select found.* from (${ALL}) found cross join edge where edge.at is null or found.position <= edge.at
     order by found.position limit $4)
   select edge.at as edge, ${COLUMNS} from edge left join page on true ${MERCHANTS} order by position`,
  )
const list = listOf('list_desk_cases', SOURCES)
const listOfMerchant = listOf('list_desk_cases_of_merchant', SOURCES_OF_MERCHANT)

const countOf = (name: string, sources: Sources) =>
  statement<{ kind: CaseKind; count: number }>(
    name,
    `with ${kindsOf(sources)} select kind, count(*)::int as count from (${ALL}) found group by kind`,
  )
const count = countOf('count_desk_cases', SOURCES)
const countOfMerchant = countOf('count_desk_cases_of_merchant', SOURCES_OF_MERCHANT)

const ONE = each(SOURCES_OF_ONE)
  .map(
    ([kind, source]) =>
      `select ${columnsOf(kind, source)}, (${positionOf(kind, source)}) collate "C" as position from ${source.table}
       where ${source.open} and ${source.lists ?? 'true'} and $3 = '${kind}' and ${source.subject} = $1
         and ($4::text is null or ${source.account ?? 'null'} = $4) and ($2::text is null or ${source.ofMerchant ? `${source.ofMerchant} = $2` : (source.mine ?? 'true')})`,
  )
  .join('\n union all ')
const find = statement<PlacedCase>(
  'find_desk_case',
  `with page as (${ONE} limit 1) select ${COLUMNS} from page ${MERCHANTS}`,
)

/**
 * The statements have a part for each kind of case, so PostgreSQL plans one for 25 ms and runs it in 2. By itself it plans the first
 * five of each connection anew.
 */
function withOnePlan<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.query('set local plan_cache_mode = force_generic_plan')
    return work(tx)
  })
}

type DeskOf = { merchantId: string | null; now: Date }

/** `accountId`: of a difference, whose id belongs to its account. Returns null for what waits for nobody, or not for this merchant. */
export async function findCase(
  db: Db,
  {
    kind,
    subject,
    accountId,
    merchantId,
    now,
  }: DeskOf & { kind: CaseKind; subject: string; accountId: string | null },
): Promise<PlacedCase | null> {
  return (await find(db, [subject, merchantId, kind, accountId, now, db.world]))[0] ?? null
}

/** How many cases of each kind wait, counted up to `limit`. A kind without a case is left out. */
export async function countCases(
  db: Db,
  { merchantId, now, limit }: DeskOf & { limit: number },
): Promise<{ kind: CaseKind; count: number }[]> {
  const counted = merchantId === null ? count : countOfMerchant
  return withOnePlan(db, (tx) => counted(tx, ['', merchantId, null, limit, now, db.world]))
}

/** The oldest days first, and of one day the largest sums first. `now`: in real time. */
export async function listCases(
  db: Db,
  { after, merchantId, kind, limit, now }: DeskOf & PageRequest & { kind: CaseKind | null },
): Promise<Page<PlacedCase>> {
  const listed = merchantId === null ? list : listOfMerchant
  // One extra case tells whether another page follows.
  const found = await withOnePlan(db, (tx) => listed(tx, [after, merchantId, kind, limit + 1, now, db.world]))
  const rows = found.flatMap(({ edge: _, ...row }) => (row.kind === null ? [] : [row]))
  const next = rows.length > limit ? rows[limit - 1]?.position : found[0]?.edge
  return { rows: rows.slice(0, limit), next: next ?? null }
}
