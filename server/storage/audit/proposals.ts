/** Acts that wait for a second person, and the amounts from which they must. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { Word } from '../rows.ts'

export type LimitRecord = { currency: string; limitMinor: number }

/** A proposal waits no longer than this for a second person. */
export const PROPOSAL_DAYS_MAX = 30
const DAY_MS = 86_400_000

export type ProposalState = Word<'proposals.state'>
const FIELDS = fieldsOf('proposals', [
  'id',
  'world',
  'what',
  /** For the person who decides: ids and settings, no secret. */
  'about',
  'merchantId',
  /** The values of the act. Null once it is decided. */
  'keyId',
  'sealed',
  'proposedBy',
  'proposedAt',
  'expiresAt',
  'state',
  'decidedBy',
  'decidedAt',
  /** What the shop reads of a refusal. */
  'refusedWhy',
  /** Why it could not be done when it was granted. Null for what a person has refused. */
  'failure',
  /** What the act alone moves, in minor units. Null for what redirects money, and for proposals of earlier versions. */
  'amountMinor',
  'currency',
])
export type ProposalRecord = RecordOf<'proposals', typeof FIELDS> & {
  /** Whether a secret that it has made waits for its proposer. */
  hasSecret: boolean
}
export type ProposalFailure = Word<'proposals.failure'>

const COLUMNS = `${selected(FIELDS)}, secret_sealed is not null as "hasSecret"`

const limits = statement<LimitRecord>(
  'list_approval_limits',
  'select currency, limit_minor as "limitMinor" from kassa.approval_limits where world = $1 order by currency',
)
const anyLimit = statement('find_approval_limit', 'select from kassa.approval_limits limit 1')
const setLimit = statement(
  'upsert_approval_limit',
  `insert into kassa.approval_limits (world, currency, limit_minor) values ($1, $2, $3)
   on conflict (world, currency) do update set limit_minor = excluded.limit_minor`,
)
const removeLimit = statement(
  'delete_approval_limit',
  'delete from kassa.approval_limits where world = $1 and currency = $2',
)
const declined = statement<{ currency: string }>(
  'list_declined_limits',
  'select currency from kassa.declined_limits where world = $1',
)
const decline = statement(
  'decline_limit',
  `insert into kassa.declined_limits (world, currency, declined_at) values ($1, $2, $3) on conflict do nothing`,
)
const endDecline = statement(
  'delete_declined_limit',
  'delete from kassa.declined_limits where world = $1 and currency = $2',
)
const insert = statement(
  'insert_proposal',
  `insert into kassa.proposals (id, world, what, about, merchant_id, key_id, sealed, proposed_by, proposed_at, expires_at, amount_minor, currency)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
)
const lock = statement<ProposalRecord>(
  'lock_proposal',
  `select ${COLUMNS} from kassa.proposals where world = $1 and id = $2 for update`,
)
const listAll = statement<ProposalRecord>(
  'list_proposals',
  `select ${COLUMNS} from kassa.proposals where world = $1 and ($2 or state in ('open', 'granted') and expires_at > $3)
     and ($4::text is null or merchant_id = $4) and ($5::text is null or what = $5) and ($6::text is null or id < $6)
   order by id desc limit $7`,
)
const ofIds = statement<ProposalRecord>(
  'list_proposals_by_id',
  `select ${COLUMNS} from kassa.proposals where world = $1 and id = any($2)`,
)
const decide = statement(
  'decide_proposal',
  `update kassa.proposals set state = $2, decided_by = $3, decided_at = $4, refused_why = $5, failure = $6,
     sealed = case when $2 in ('open', 'granted') then sealed end where id = $1`,
)
const finish = statement(
  'finish_proposal',
  `update kassa.proposals set state = 'done', sealed = null where id = $1 and state = 'granted'`,
)
// What it is about begins with the merchant and the currency.
const newestProposals = statement<ProposalRecord>(
  'list_newest_asks',
  `select distinct on (split_part(about, ':', 1)) ${COLUMNS} from kassa.proposals where world = $1 and merchant_id = $2 and what = $3
   order by split_part(about, ':', 1), id desc`,
)
const empty = statement(
  'empty_expired_proposals',
  `update kassa.proposals set sealed = null
   where id in (select id from kassa.proposals where world = $1 and state in ('open', 'granted') and sealed is not null
     and expires_at <= $2 order by id limit $3)`,
)
const sealedAfter = statement<ProposalRecord>(
  'list_sealed_proposals',
  `select ${COLUMNS} from kassa.proposals where world = $1 and state in ('open', 'granted') and sealed is not null and id > $2
   order by id limit $3`,
)
const takeAboutLock = statement(
  'lock_proposals_about',
  'select pg_advisory_xact_lock(hashtextextended($1, 0))',
)
const aboutOne = statement<ProposalRecord>(
  'list_proposals_about',
  `select ${COLUMNS} from kassa.proposals where world = $1 and split_part(about, ' ', 1) = $2
     and (state in ('open', 'granted') or secret_sealed is not null) and state in ('open', 'granted') and expires_at > $3
   order by id desc limit 50`,
)
const matches = statement<{ isFound: boolean }>('match_text', 'select $1::text ~* $2 as "isFound"')

/** Returns the limits of the world. None: no second person is needed. */
export async function listLimits(db: Queryable): Promise<LimitRecord[]> {
  return limits(db, [db.world])
}

/** Whether any world of the deployment has a limit. */
export async function hasAnyLimit(db: Queryable): Promise<boolean> {
  return (await anyLimit(db, [])).length > 0
}

/** `limitMinor`: null removes the limit. */
export async function storeLimit(tx: Queryable, currency: string, limitMinor: number | null): Promise<void> {
  if (limitMinor === null) await removeLimit(tx, [tx.world, currency])
  else await setLimit(tx, [tx.world, currency, limitMinor])
}

/** The currencies in which somebody has decided to go without a limit. */
export async function listDeclinedLimits(db: Queryable): Promise<string[]> {
  return (await declined(db, [db.world])).map(({ currency }) => currency)
}

/** `at`: null ends it. */
export async function noteDeclinedLimit(tx: Queryable, currency: string, at: Date | null): Promise<void> {
  if (at === null) await endDecline(tx, [tx.world, currency])
  else await decline(tx, [tx.world, currency, at])
}

type NewProposal = Omit<
  ProposalRecord,
  'world' | 'state' | 'decidedBy' | 'decidedAt' | 'refusedWhy' | 'failure' | 'hasSecret'
>

/** Locks all proposals about the same subject until the transaction ends. `about`: its first word. */
export async function lockProposalsAbout(tx: Queryable, about: string): Promise<void> {
  await takeAboutLock(tx, [`proposals ${tx.world} ${about}`])
}

/** Returns the proposals that can be decided and whose text begins with this word, such as the id of a payment. */
export async function listProposalsAbout(db: Queryable, about: string, now: Date): Promise<ProposalRecord[]> {
  return aboutOne(db, [db.world, about, now])
}

export async function insertProposal(tx: Queryable, record: NewProposal): Promise<void> {
  const { id, what, about, merchantId, keyId, sealed, proposedBy, proposedAt, expiresAt } = record
  const { amountMinor, currency } = record
  if (expiresAt.getTime() - proposedAt.getTime() > PROPOSAL_DAYS_MAX * DAY_MS)
    throw new Error(`Bug! The proposal ${id} would wait longer than ${PROPOSAL_DAYS_MAX} days.`)
  const times = [proposedBy, proposedAt, expiresAt]
  await insert(tx, [id, tx.world, what, about, merchantId, keyId, sealed, ...times, amountMinor, currency])
}

/** Locks the proposal until the transaction ends and returns it. Returns null if there is none. */
export async function lockProposal(tx: Queryable, id: string): Promise<ProposalRecord | null> {
  return (await lock(tx, [tx.world, id]))[0] ?? null
}

/** Returns those that exist, in no order. */
export const findProposals = (db: Queryable, ids: readonly string[]): Promise<ProposalRecord[]> =>
  ofIds(db, [db.world, ids])

export const findProposal = async (db: Queryable, id: string): Promise<ProposalRecord | null> =>
  (await findProposals(db, [id]))[0] ?? null

/** `merchantId`: null for all merchants. `what`: null for all acts. `after`: the last id of the page before. */
export type ProposalPage = {
  all: boolean
  merchantId: string | null
  what: string | null
  after: string | null
  limit: number
}

/** Returns the newest first. Without `all` only those that can still be decided. */
export async function listProposals(
  db: Queryable,
  { all, merchantId, what, after, limit, now }: ProposalPage & { now: Date },
): Promise<ProposalRecord[]> {
  return listAll(db, [db.world, all, now, merchantId, what, after, limit])
}

type Deciding = {
  state: ProposalState
  by: string | null
  at: Date | null
  why?: string | null
  failure?: ProposalFailure | null
}

/** `by`: null for a proposal that is open again. */
export async function decideProposal(
  tx: Queryable,
  id: string,
  { state, by, at, why = null, failure = null }: Deciding,
): Promise<void> {
  await decide(tx, [id, state, by, at, why, failure])
}

/** Returns the newest proposal of each currency in which the merchant has asked for this, in any state. */
export async function listNewestProposals(
  db: Queryable,
  { merchantId, what }: Pick<ProposalRecord, 'what'> & { merchantId: string },
): Promise<ProposalRecord[]> {
  return newestProposals(db, [db.world, merchantId, what])
}

/** Removes the values of up to `limit` proposals that expired before this time. */
export async function emptyExpiredProposals(db: Queryable, before: Date, limit: number): Promise<void> {
  await empty(db, [db.world, before, limit])
}

/** Returns proposals that have their values, in the order of their ids. */
export async function listSealedProposals(
  db: Queryable,
  { after, limit }: { after: string; limit: number },
): Promise<ProposalRecord[]> {
  return sealedAfter(db, [db.world, after, limit])
}

/** Whether the regular expression of PostgreSQL is found in the text, whatever its letter case. */
export async function isFoundIn(db: Queryable, text: string, pattern: string): Promise<boolean> {
  return (await matches(db, [text, pattern]))[0]?.isFound ?? false
}

/** For an act that turned out to change nothing. Every other act has marked the proposal itself. */
export async function finishProposal(tx: Queryable, id: string): Promise<void> {
  await finish(tx, [id])
}
