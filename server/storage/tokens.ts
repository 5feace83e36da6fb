import type { Mode } from '../contract/health.ts'
import { type Queryable, statement } from './db.ts'

export type TokenRecord = {
  merchantId: string
  id: string
  mode: Mode
  scopes: string[]
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
}

const COLUMNS = `merchant_id as "merchantId", id, mode, scopes, created_at as "createdAt",
  expires_at as "expiresAt", revoked_at as "revokedAt"`

const insert = statement(
  'insert_token',
  `insert into tokens (merchant_id, id, mode, digest, scopes, created_at) values ($1, $2, $3, $4, $5, $6)`,
)
const byDigest = statement<TokenRecord>(
  'find_token_by_digest',
  `select ${COLUMNS} from tokens where digest = $1`,
)
const ofMerchant = statement<TokenRecord>(
  'list_tokens',
  `select ${COLUMNS} from tokens where merchant_id = $1 order by id`,
)
const revoke = statement<TokenRecord>(
  'revoke_token',
  `update tokens set revoked_at = coalesce(revoked_at, $2) where id = $1 returning ${COLUMNS}`,
)

export async function insertToken(db: Queryable, record: TokenRecord, digest: Buffer): Promise<void> {
  await insert(db, [record.merchantId, record.id, record.mode, digest, record.scopes, record.createdAt])
}

export async function findTokenByDigest(db: Queryable, digest: Buffer): Promise<TokenRecord | null> {
  return (await byDigest(db, [digest]))[0] ?? null
}

/** Oldest first, the revoked ones too. */
export async function listTokens(db: Queryable, merchantId: string): Promise<TokenRecord[]> {
  return ofMerchant(db, [merchantId])
}

/** Answers the token as it then stands: one that was revoked before keeps its time. Null when there is none. */
export async function revokeToken(db: Queryable, id: string, at: Date): Promise<TokenRecord | null> {
  return (await revoke(db, [id, at]))[0] ?? null
}
