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

export async function insertToken(db: Queryable, record: TokenRecord, digest: Buffer): Promise<void> {
  await insert(db, [record.merchantId, record.id, record.mode, digest, record.scopes, record.createdAt])
}

export async function findTokenByDigest(db: Queryable, digest: Buffer): Promise<TokenRecord | null> {
  return (await byDigest(db, [digest]))[0] ?? null
}
