import { type Queryable, statement } from '../db.ts'

export type ApiKeyRecord = {
  merchantId: string
  id: string
  scopes: string[]
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
}

const COLUMNS = `merchant_id as "merchantId", id, scopes, created_at as "createdAt",
  expires_at as "expiresAt", revoked_at as "revokedAt"`

const insert = statement(
  'insert_token',
  `insert into world.api_keys (merchant_id, id, digest, scopes, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6)`,
)
const byDigest = statement<ApiKeyRecord>(
  'find_token_by_digest',
  `select ${COLUMNS} from world.api_keys where digest = $1`,
)
const byId = statement<ApiKeyRecord>('find_token', `select ${COLUMNS} from world.api_keys where id = $1`)
const expire = statement<ApiKeyRecord>(
  'expire_token',
  `update world.api_keys set expires_at = $2 where id = $1 and expires_at is null and revoked_at is null returning ${COLUMNS}`,
)
const ofMerchant = statement<ApiKeyRecord>(
  'list_tokens',
  `select ${COLUMNS} from world.api_keys where $1::text is null or merchant_id = $1 order by id`,
)
const revoke = statement<ApiKeyRecord>(
  'revoke_token',
  `update world.api_keys set revoked_at = coalesce(revoked_at, $2) where id = $1 returning ${COLUMNS}`,
)

export async function insertToken(db: Queryable, record: ApiKeyRecord, digest: Buffer): Promise<void> {
  const { merchantId, id, scopes, createdAt, expiresAt } = record
  await insert(db, [merchantId, id, digest, scopes, createdAt, expiresAt])
}

export async function findToken(db: Queryable, id: string): Promise<ApiKeyRecord | null> {
  return (await byId(db, [id]))[0] ?? null
}

/**
 * Makes a token expire at `until`. Returns null if there is no such token, it is revoked, or it already has a time at which it
 * expires.
 */
export async function expireToken(db: Queryable, id: string, until: Date): Promise<ApiKeyRecord | null> {
  return (await expire(db, [id, until]))[0] ?? null
}

export async function findTokenByDigest(db: Queryable, digest: Buffer): Promise<ApiKeyRecord | null> {
  return (await byDigest(db, [digest]))[0] ?? null
}

/** Returns tokens, oldest first, including revoked ones. `merchantId`: null for all merchants. */
export async function listTokens(db: Queryable, merchantId: string | null): Promise<ApiKeyRecord[]> {
  return ofMerchant(db, [merchantId])
}

/** Returns the revoked token. A token that was revoked before keeps its time. Returns null if there is no such token. */
export async function revokeToken(db: Queryable, id: string, at: Date): Promise<ApiKeyRecord | null> {
  return (await revoke(db, [id, at]))[0] ?? null
}
