import { type Queryable, statement } from '../db.ts'

/** A merchant's webhook secret as stored: encrypted with the key that `keyId` names. */
export type WebhookSecretRecord = {
  merchantId: string
  id: string
  keyId: string
  sealed: Buffer
  createdAt: Date
  expiresAt: Date | null
}

/** A key that encrypts `count` secrets, and the first of these secrets. */
export type SealingKey = Pick<WebhookSecretRecord, 'merchantId' | 'id' | 'keyId' | 'sealed'> & {
  count: number
}

const insert = statement(
  'insert_webhook_secret',
  `insert into world.webhook_secrets (merchant_id, id, key_id, sealed, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6)`,
)
const live = statement<WebhookSecretRecord>(
  'list_live_webhook_secrets',
  `select merchant_id as "merchantId", id, key_id as "keyId", sealed, created_at as "createdAt", expires_at as "expiresAt"
   from world.webhook_secrets where merchant_id = any($1::text[]) and (expires_at is null or expires_at > $2)
   order by created_at desc, id desc`,
)

const expire = statement(
  'expire_webhook_secrets',
  `update world.webhook_secrets set expires_at = $3
   where merchant_id = $1 and id <> $2 and (expires_at is null or expires_at > $3)`,
)

const sealingKeys = statement<SealingKey>(
  'list_sealing_keys',
  `select distinct on (key_id) merchant_id as "merchantId", id, key_id as "keyId", sealed,
     (count(*) over (partition by key_id))::int as count
   from world.webhook_secrets order by key_id, merchant_id, id`,
)
const sealedUnder = statement<WebhookSecretRecord>(
  'list_secrets_of_other_keys',
  `select merchant_id as "merchantId", id, key_id as "keyId", sealed, created_at as "createdAt", expires_at as "expiresAt"
   from world.webhook_secrets where key_id <> $1 order by merchant_id, id limit $2 for update skip locked`,
)
const reseal = statement(
  'reseal_webhook_secret',
  'update world.webhook_secrets set key_id = $3, sealed = $4 where merchant_id = $1 and id = $2',
)

/** Returns the keys that encrypt stored secrets, each with one of its secrets. */
export async function listSealingKeys(db: Queryable): Promise<SealingKey[]> {
  return sealingKeys(db, [])
}

/**
 * Locks and returns up to `limit` secrets that are encrypted with any other key. They stay locked until the transaction ends.
 * Secrets that another transaction has locked are skipped.
 */
export async function lockSecretsOfOtherKeys(
  tx: Queryable,
  keyId: string,
  limit: number,
): Promise<WebhookSecretRecord[]> {
  return sealedUnder(tx, [keyId, limit])
}

export async function resealWebhookSecret(
  tx: Queryable,
  { merchantId, id, keyId, sealed }: Pick<WebhookSecretRecord, 'merchantId' | 'id' | 'keyId' | 'sealed'>,
): Promise<void> {
  await reseal(tx, [merchantId, id, keyId, sealed])
}

export async function insertWebhookSecret(db: Queryable, record: WebhookSecretRecord): Promise<void> {
  await insert(db, [
    record.merchantId,
    record.id,
    record.keyId,
    record.sealed,
    record.createdAt,
    record.expiresAt,
  ])
}

/** Returns the secrets of these merchants that sign now, newest first. */
export async function listLiveWebhookSecrets(
  db: Queryable,
  merchantIds: string[],
  at: Date,
): Promise<WebhookSecretRecord[]> {
  return live(db, [merchantIds, at])
}

/** Makes every secret of the merchant except `keptId` expire at `until` at the latest. */
export async function expireOtherWebhookSecrets(
  db: Queryable,
  merchantId: string,
  keptId: string,
  until: Date,
): Promise<void> {
  await expire(db, [merchantId, keptId, until])
}
