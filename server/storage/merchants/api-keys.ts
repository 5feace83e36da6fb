import { limitValues, type ReturnLimits } from '../access/users.ts'
import { statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'

/** Who answers for a token that was issued on the machine without a personal key. */
export const HOST = 'host'

const FIELDS = fieldsOf('api_keys', [
  'merchantId',
  'id',
  'scopes',
  'createdAt',
  'expiresAt',
  'revokedAt',
  'issuedBy',
  'refundLimits',
  'refundLimitsDay',
  'isApproved',
  /** The token that was replaced first, in whose sum of the day this one counts. Null for one that has replaced none. */
  'countsAs',
])
/**
 * `issuedBy`: the id of the person who answers for the token, or HOST. Null for a token of an earlier version, which has no limits.
 * `isApproved`: a second person has approved its limits.
 */
export type ApiKeyRecord = RecordOf<'api_keys', typeof FIELDS, ReturnLimits>

const COLUMNS = selected(FIELDS)

const NEW = fieldsOf('api_keys', [...FIELDS.filter((each) => each !== 'revokedAt'), 'digest'])
const valuesOfNew = valuesOf('api_keys', NEW)

export const insertToken = statement('insert_token', insertInto('api_keys', NEW)).run(
  (record: ApiKeyRecord, digest: Buffer) => valuesOfNew({ ...record, digest }),
)

/** Returns null if there is no such token. */
export const updateTokenLimits = statement<ApiKeyRecord>(
  'update_token_limits',
  `update world.api_keys set issued_by = $2, is_approved = $3, refund_limits = $4, refund_limits_day = $5 where id = $1 returning ${COLUMNS}`,
).first((id: string, to: ReturnLimits & Pick<ApiKeyRecord, 'issuedBy' | 'isApproved'>) => [
  id,
  to.issuedBy,
  to.isApproved,
  ...limitValues(to),
])

export const lockToken = statement<ApiKeyRecord>(
  'lock_token',
  `select ${COLUMNS} from world.api_keys where id = $1 for update`,
).first((id: string) => [id])

export const findToken = statement<ApiKeyRecord>(
  'find_token',
  `select ${COLUMNS} from world.api_keys where id = $1`,
).first((id: string) => [id])

/**
 * Makes a token expire at `until`. Returns null if there is no such token, it is revoked, or it already has a time at which it
 * expires.
 */
export const expireToken = statement<ApiKeyRecord>(
  'expire_token',
  `update world.api_keys set expires_at = $2 where id = $1 and expires_at is null and revoked_at is null returning ${COLUMNS}`,
).first((id: string, until: Date) => [id, until])

/** A token that is on hold after a restore counts as unknown. */
export const findUsableToken = statement<ApiKeyRecord>(
  'find_usable_token',
  `select ${COLUMNS} from world.api_keys where digest = $1 and waits_since is null`,
).first((digest: Buffer) => [digest])

export const findTokenByDigest = statement<ApiKeyRecord>(
  'find_token_by_digest',
  `select ${COLUMNS} from world.api_keys where digest = $1`,
).first((digest: Buffer) => [digest])

/** Counts the tokens of an earlier version that still work at this time and may return money: nothing limits how much. */
export const countUnlimitedTokens = statement<{ count: number }>(
  'count_unlimited_tokens',
  `select count(*)::int as count from world.api_keys
   where issued_by is null and $1 = any(scopes) and revoked_at is null and (expires_at is null or expires_at > $2)`,
).value('count', 0, (scope: string, now: Date) => [scope, now])

/** Returns tokens, oldest first, including revoked ones. `merchantId`: null for all merchants. */
export const listTokens = statement<ApiKeyRecord>(
  'list_tokens',
  `select ${COLUMNS} from world.api_keys where $1::text is null or merchant_id = $1 order by id`,
).all((merchantId: string | null) => [merchantId])

/** Returns the revoked token. A token that was revoked before keeps its time. Returns null if there is no such token. */
export const revokeToken = statement<ApiKeyRecord>(
  'revoke_token',
  `update world.api_keys set revoked_at = coalesce(revoked_at, $2) where id = $1 returning ${COLUMNS}`,
).first((id: string, at: Date) => [id, at])
