/** Whether accounts can be used now, as stored. An account without a row is well. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { WORDS } from '../rows.ts'

/**
 * `refusing`: the provider refuses the account. `unopenable`: its stored credentials or settings cannot be read. `away`: the
 * provider does not answer. `unclear`: its answers about some payments cannot be read, it does not know orders that brought money, or it uses unknown words.
 */
export const HEALTH_STATES = WORDS['account_health.state']
export type HealthState = (typeof HEALTH_STATES)[number]

const FIELDS = fieldsOf('account_health', [
  'accountId',
  'state',
  'since',
  /** When the account stopped being well, however often it changed since; null if it has been well ever since it was set. */
  'unwellSince',
  /** In the operator's words; null if the account is well. */
  'reason',
  /** What is refused; null unless `refusing`. */
  'refusal',
  /** It was refused to take money of an approved order. That the provider opens orders does not show that this is over. */
  'refusedTaking',
  /** When the provider is asked again; null if there is nothing to ask. */
  'dueAt',
  /** How often it was asked since. */
  'checks',
])
export type HealthRecord = RecordOf<'account_health', typeof FIELDS>

export type HealthCount = { state: HealthState; count: number }

const COLUMNS = selected(FIELDS)

// An account that is only being tried has no row yet. Where nothing changes, nothing is written, so that the accounts in memory stay
// as they are. An account that was well for a moment only has been unwell all the time.
const save = statement<{ before: HealthState | null }>(
  'save_account_health',
  `with before as (select state from world.account_health where account_id = $1),
     saved as (
       insert into world.account_health as h (account_id, state, since, reason, refusal, due_at, unwell_since, refused_taking)
         select id, $2, $3, $4, $5, $6, $3, $8 from world.accounts where id = $1
       on conflict (account_id) do update set state = excluded.state, reason = excluded.reason, refusal = excluded.refusal,
         since = case when h.state = excluded.state then h.since else excluded.since end,
         due_at = case when h.state = excluded.state then h.due_at else excluded.due_at end,
         checks = case when h.state = excluded.state then h.checks else 0 end,
         refused_taking = excluded.refused_taking or (h.refused_taking and h.state = excluded.state),
         unwell_since = case when h.state = 'ok' and (h.since <= $7 or h.unwell_since is null) then excluded.unwell_since
           else h.unwell_since end
       where (h.state, h.reason, h.refusal) is distinct from (excluded.state, excluded.reason, excluded.refusal)
         or excluded.refused_taking > h.refused_taking
       returning state)
   select (select state from before) as before from saved`,
)

// Nothing new goes to a retired account, and its answers to other requests show whether it is well.
const due = statement<{ id: string }>(
  'list_due_account_health',
  `select h.account_id as id from world.account_health h join world.accounts a on a.id = h.account_id
   where h.due_at <= $1 and a.retired_at is null order by h.due_at limit 1000`,
)
// An account that is not well is unwell through all its states. A process that waits here for a row of another process skips that row afterwards.
const STEADY_SINCE = "case when h.reported_state = 'ok' then h.unwell_since else h.since end"
const UNNOTICED = `world.account_health h join world.accounts a on a.id = h.account_id
  where h.state <> h.reported_state and a.retired_at is null and ${STEADY_SINCE} <= $1`

/** Returns the rows of all accounts that were ever not well. */
export const listAccountHealth = statement<HealthRecord>(
  'list_account_health',
  `select ${COLUMNS} from world.account_health`,
).all()

/** An account that was well for less than this was not well. */
const STEADY_MS = 60_000

type Change = Omit<HealthRecord, 'checks' | 'unwellSince'>

/** Returns the state before, or null if nothing has changed. A state that stays keeps its `since` and its `dueAt`. */
export async function saveUnwell(
  db: Queryable,
  { accountId, state, since, reason, refusal, refusedTaking, dueAt }: Change,
): Promise<HealthState | null> {
  const steadySince = new Date(since.getTime() - STEADY_MS)
  const saved = await save(db, [accountId, state, since, reason, refusal, dueAt, steadySince, refusedTaking])
  return saved.length === 0 ? null : (saved[0]?.before ?? 'ok')
}

/** The account is well again. `ends`: the state that is over. Returns false if the account is in another state by now. */
export const saveWell = statement<{ id: string }>(
  'end_account_health',
  `update world.account_health set state = 'ok', since = $3, reason = null, refusal = null, refused_taking = false, due_at = null, checks = 0
   where account_id = $1 and state = $2 returning account_id as id`,
).some(({ accountId, ends, since }: { accountId: string; ends: HealthState; since: Date }) => [
  accountId,
  ends,
  since,
])

/** Until `again` nobody else asks about the account. Returns null if it is not due. */
export const claimAccountHealth = statement<HealthRecord>(
  'claim_account_health',
  `update world.account_health set due_at = $3, checks = checks + 1 where account_id = $1 and due_at <= $2 returning ${COLUMNS}`,
).first((accountId: string, { now, again }: { now: Date; again: Date }) => [accountId, now, again])

const claimTry = statement<{ isFree: boolean }>(
  'claim_try_of_account',
  `with claimed as (
     update world.account_health set tried_at = $2
     where account_id = $1 and state = 'refusing' and greatest(since, tried_at) <= $3 returning account_id)
   select exists (select from claimed)
     or not exists (select from world.account_health where account_id = $1 and state = 'refusing') as "isFree"`,
)

/**
 * Returns true if a request may be sent with an account that its provider may refuse: the provider does not refuse it any more, or
 * nobody has tried since `unlessSince`. The caller has then tried.
 */
export async function claimAccountTry(
  db: Queryable,
  accountId: string,
  { now, unlessSince }: { now: Date; unlessSince: Date },
): Promise<boolean> {
  return (await claimTry(db, [accountId, now, unlessSince]))[0]?.isFree ?? true
}

/** Returns the accounts whose providers are to be asked again. */
export async function listDueAccountHealth(db: Queryable, now: Date): Promise<string[]> {
  return (await due(db, [now])).map(({ id }) => id)
}

/** Whether an account in use has been in another state than the operator knows of since `since`. */
export const isHealthUnnoticed = statement<{ isRipe: boolean }>(
  'find_untold_account_health',
  `select exists (select from ${UNNOTICED}) as "isRipe"`,
).value('isRipe', false, (since: Date) => [since])

/** Returns the accounts in use that have been in another state than the operator knows of since `since`, and stores that he is told. */
export const markHealthNoticed = statement<HealthRecord>(
  'tell_account_health',
  `with untold as (select h.account_id from ${UNNOTICED} order by 1 for update of h)
   update world.account_health h set reported_state = h.state from untold where h.account_id = untold.account_id
   returning ${COLUMNS.replaceAll(/(^|, )(?=[a-z])/g, '$1h.')}`,
).all((since: Date) => [since])

/** An account with new settings is well until it shows otherwise. */
export const resetAccountHealth = statement(
  'reset_account_health',
  `update world.account_health set state = 'ok', since = $2, reason = null, refusal = null, refused_taking = false, due_at = null, checks = 0
   where account_id = $1 and state <> 'ok'`,
).run((accountId: string, now: Date) => [accountId, now])

/** Returns how many accounts that are in use are not well. */
export const countAccountHealth = statement<HealthCount>(
  'count_account_health',
  `select h.state, count(*)::int as count from world.account_health h join world.accounts a on a.id = h.account_id
   where h.state <> 'ok' and a.retired_at is null group by h.state`,
).all()
