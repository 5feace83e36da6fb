/** Idempotency keys whose creation was never finished. The worker resumes them, account by account, with growing pauses. */
import { type Queryable, statement } from '../db.ts'
import { type IdempotencyKeyRecord, KEY_COLUMNS } from './idempotency-keys.ts'

/** `$1`: a lease that ended before this is abandoned. `$2`: now. */
const ABANDONED = 'k.lease_until <= $1 and (k.resume_after is null or k.resume_after <= $2)'
/**
 * A key is unfinished only while its payment's first attempt is being opened. The limit keeps PostgreSQL from joining the other way
 * round: without statistics, such as in a new database, it then reads all keys for each attempt, which takes minutes.
 */
const ATTEMPT = `cross join lateral (
  select account_id from world.attempts
  where merchant_id = k.merchant_id and payment_id = k.payment_id and number = 1 limit 1) a`

const accounts = statement<{ id: string }>(
  'list_accounts_with_abandoned_keys',
  `select distinct a.account_id as id from world.idempotency_keys k ${ATTEMPT} where ${ABANDONED}`,
)
const claim = statement<IdempotencyKeyRecord>(
  'claim_abandoned_idempotency_keys',
  `update world.idempotency_keys set lease_until = $3, resumes = resumes + 1,
     resume_after = $2::timestamptz + make_interval(secs => least($7::float8, $6::float8 * power(2, least(resumes, 30))))
   where (merchant_id, scope, key) in (
     select k.merchant_id, k.scope, k.key from world.idempotency_keys k ${ATTEMPT}
     where ${ABANDONED} and a.account_id = $4
     order by k.lease_until limit $5 for update of k skip locked)
   returning ${KEY_COLUMNS}`,
)
const next = statement<{ at: Date | null }>(
  'find_next_abandoned_key',
  `select min(greatest(lease_until + make_interval(secs => $1::float8), coalesce(resume_after, lease_until))) as at
   from world.idempotency_keys where lease_until is not null`,
)

/** A key is abandoned if its lease ended before `before`. */
type At = { now: Date; before: Date }

/** Returns the accounts that have abandoned keys to resume. */
export async function listAccountsWithAbandonedKeys(db: Queryable, { now, before }: At): Promise<string[]> {
  return (await accounts(db, [before, now])).map(({ id }) => id)
}

/** Takes the leases of up to `limit` abandoned keys. Each pause until the next try is twice as long as the one before. */
export async function claimAbandonedKeys(
  db: Queryable,
  accountId: string,
  given: At & { leaseUntil: Date; limit: number; firstPauseSeconds: number; longestPauseSeconds: number },
): Promise<IdempotencyKeyRecord[]> {
  const { now, before, leaseUntil, limit, firstPauseSeconds, longestPauseSeconds } = given
  return claim(db, [before, now, leaseUntil, accountId, limit, firstPauseSeconds, longestPauseSeconds])
}

/** Returns when the next key becomes abandoned and may be tried. Null if every key is finished. */
export async function findNextAbandonedKey(db: Queryable, patienceSeconds: number): Promise<Date | null> {
  return (await next(db, [patienceSeconds]))[0]?.at ?? null
}
