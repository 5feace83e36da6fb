import type { World } from '../../contract/health.ts'
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { type Page, type PageRequest, pagesOf } from '../looked.ts'

/** Only an open merchant takes new payments. */
export type MerchantState = 'open' | 'paused' | 'closed'

const FIELDS = fieldsOf('merchants', ['id', 'name', 'state', 'stoppedAt', 'stoppedWhy', 'createdAt'])
/** `callbackUrl`: the URL that gets the merchant's events of this world. `stoppedAt`: when it was paused or closed. */
export type MerchantRecord = RecordOf<'merchants', typeof FIELDS, { state: MerchantState }> & {
  callbackUrl: string | null
}

const COLUMNS = `${selected(FIELDS, 'm')}, r.url as "callbackUrl"`
const TABLES = 'kassa.merchants m left join world.receivers r on r.merchant_id = m.id'

const page = pagesOf<MerchantRecord>('list_merchant_page', {
  columns: COLUMNS,
  from: 'kassa.merchants m where true',
  alias: 'm',
  key: 'id',
  joined: 'left join world.receivers r on r.merchant_id = m.id',
  lists: (part) => `(${part}::text is null or m.id = ${part} or strpos(lower(m.name), lower(${part})) > 0)`,
})
const newest = statement<MerchantRecord>(
  'list_newest_merchants',
  `select ${COLUMNS} from ${TABLES} order by m.id desc limit $1`,
)
const names = statement<{ id: string; name: string }>(
  'list_merchant_names',
  'select id, name from kassa.merchants where id = any($1::text[])',
)
const besides = statement<{ id: string; name: string }>(
  'list_merchants_besides',
  'select id, name from kassa.merchants where id <> all($1::text[]) order by id limit $2',
)

/** Until the transaction ends, nobody else locks it. Its payments go on. */
export const lockMerchant = statement(
  'lock_merchant',
  'select from kassa.merchants where id = $1 for no key update',
).run((id: string) => [id])

/** Until the transaction ends, no other process makes the demo shop. */
export const lockDemo = statement(
  'lock_demo',
  `select pg_advisory_xact_lock(x'6b617373'::int, x'64656d6f'::int)`,
).run()

/** `at`: null for `open`. Repeating it keeps the time. */
export const updateMerchantState = statement(
  'write_merchant_state',
  `update kassa.merchants set state = $2, stopped_at = case when state = $2 then stopped_at else $3 end,
     stopped_why = case when state = $2 then coalesce($4, stopped_why) else $4 end
   where id = $1`,
).run((id: string, { state, at, why }: { state: MerchantState; at: Date | null; why: string | null }) => [
  id,
  state,
  at,
  why,
])

/** Returns false if there is no such merchant. */
export const updateMerchantName = statement<{ id: string }>(
  'rename_merchant',
  'update kassa.merchants set name = $2 where id = $1 returning id',
).some((id: string, name: string) => [id, name])

export const insertMerchant = statement(
  'insert_merchant',
  'insert into kassa.merchants (id, name, created_at) values ($1, $2, $3)',
).run(({ id, name, createdAt }: Pick<MerchantRecord, 'id' | 'name' | 'createdAt'>) => [id, name, createdAt])

export const findMerchant = statement<MerchantRecord>(
  'find_merchant',
  `select ${COLUMNS} from ${TABLES} where m.id = $1`,
).first((id: string) => [id])

/** Returns every merchant, the oldest first, for what is done with each of them. People get pages. */
export const listMerchants = statement<MerchantRecord>(
  'list_merchants',
  `select ${COLUMNS} from ${TABLES} order by m.id`,
).all()

/** Returns a page of the merchants, the oldest first. `part`: of the name, or the whole id; null for all merchants. */
export async function listMerchantPage(
  db: Queryable,
  { part, ...wish }: PageRequest & { part: string | null },
): Promise<Page<MerchantRecord>> {
  return page(db, wish, { values: [part] })
}

/** Returns the names of merchants, without those of these ids, by their ids. The oldest come first. */
export async function listMerchantsBesides(
  db: Queryable,
  ids: readonly string[],
  limit: number,
): Promise<Map<string, string>> {
  return new Map((await besides(db, [ids, limit])).map(({ id, name }) => [id, name]))
}

/** Returns the newest merchants, the oldest of them first. */
export async function listNewestMerchants(db: Queryable, limit: number): Promise<MerchantRecord[]> {
  return (await newest(db, [limit])).reverse()
}

/** Returns the names of these merchants by their ids. Null, which stands for every merchant or for none, has no name. */
export async function listMerchantNames(
  db: Queryable,
  ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  return new Map((await names(db, [ids.filter((id) => id !== null)])).map(({ id, name }) => [id, name]))
}

/** More than this many are not counted. */
const OPEN_WORK_MAX = 1_000

const upTo = (rows: string) => `(select count(*)::int from (${rows} limit ${OPEN_WORK_MAX}) found)`
const withStatus = (status: string) =>
  upTo(`select from world.payments where status = '${status}' and merchant_id = $1`)

/** Each at most OPEN_WORK_MAX. */
export type MerchantWork = {
  /** Payments that can still be paid. */
  openPayments: number
  /** Payments whose money is held, and neither taken nor released. */
  heldPayments: number
  undecidedPayments: number
  disputedPayments: number
  openOperations: number
  runningSubscriptions: number
}

const findWork = statement<MerchantWork>(
  'find_merchant_work',
  `select ${upTo(`select from world.attempts a join world.payments p on p.merchant_id = a.merchant_id and p.id = a.payment_id
     where a.merchant_id = $1 and a.state in ('planned', 'opening', 'open') and p.status in ('created', 'pending_redirect', 'pending_payment')`)} as "openPayments",
     ${withStatus('authorized')} as "heldPayments",
     ${withStatus('status_unknown')} as "undecidedPayments",
     ${withStatus('disputed')} as "disputedPayments",
     ${upTo(`select from world.operations where merchant_id = $1 and status in ('queued', 'processing', 'requires_operator_review')`)} as "openOperations",
     ${upTo(`select from world.subscriptions where merchant_id = $1 and status <> 'cancelled'`)} as "runningSubscriptions"`,
).row((merchantId: string) => [merchantId])

/** In any world of the database, whichever one the connection works for. */
export const findMerchantWork = (db: Queryable, world: World, merchantId: string): Promise<MerchantWork> =>
  findWork({ query: db.query.bind(db) as Queryable['query'], world, named: db.named }, merchantId)
