import { statement } from '../db.ts'

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

export const insertToken = statement(
  'insert_token',
  `insert into world.api_keys (merchant_id, id, digest, scopes, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6)`,
).run((record: ApiKeyRecord, digest: Buffer) => {
  const { merchantId, id, scopes, createdAt, expiresAt } = record
  return [merchantId, id, digest, scopes, createdAt, expiresAt]
})

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

export const findTokenByDigest = statement<ApiKeyRecord>(
  'find_token_by_digest',
  `select ${COLUMNS} from world.api_keys where digest = $1`,
).first((digest: Buffer) => [digest])

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
