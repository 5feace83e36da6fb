import { type Queryable, statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'

const FIELDS = fieldsOf('webhook_secrets', ['merchantId', 'id', 'keyId', 'sealed', 'createdAt', 'expiresAt'])
/** A merchant's webhook secret as stored: encrypted with the key that `keyId` names. */
export type WebhookSecretRecord = RecordOf<'webhook_secrets', typeof FIELDS>

const COLUMNS = selected(FIELDS)

/** A key that encrypts `count` secrets, and the first of these secrets. */
export type SealingKey = Pick<WebhookSecretRecord, 'merchantId' | 'id' | 'keyId' | 'sealed'> & {
  count: number
}

/** Returns the keys that encrypt stored secrets, each with one of its secrets. */
export const listSealingKeys = statement<SealingKey>(
  'list_sealing_keys',
  `select distinct on (key_id) merchant_id as "merchantId", id, key_id as "keyId", sealed,
     (count(*) over (partition by key_id))::int as count
   from world.webhook_secrets order by key_id, merchant_id, id`,
).all()

/**
 * Locks and returns up to `limit` secrets that are encrypted with any other key. They stay locked until the transaction ends.
 * Secrets that another transaction has locked are skipped.
 */
export const lockSecretsOfOtherKeys = statement<WebhookSecretRecord>(
  'list_secrets_of_other_keys',
  `select ${COLUMNS}
   from world.webhook_secrets where key_id <> $1 order by merchant_id, id limit $2 for update skip locked`,
).all((keyId: string, limit: number) => [keyId, limit])

export const resealWebhookSecret = statement(
  'reseal_webhook_secret',
  'update world.webhook_secrets set key_id = $3, sealed = $4 where merchant_id = $1 and id = $2',
).run(
  ({
    merchantId,
    id,
    keyId,
    sealed,
  }: Pick<WebhookSecretRecord, 'merchantId' | 'id' | 'keyId' | 'sealed'>) => [merchantId, id, keyId, sealed],
)

export const insertWebhookSecret = statement(
  'insert_webhook_secret',
  insertInto('webhook_secrets', FIELDS),
).run(valuesOf('webhook_secrets', FIELDS))

/** Returns the secrets of these merchants that sign now, newest first. */
export const listValidSecretRecords = statement<WebhookSecretRecord>(
  'list_live_webhook_secrets',
  `select ${COLUMNS}
   from world.webhook_secrets where merchant_id = any($1::text[]) and (expires_at is null or expires_at > $2)
   order by created_at desc, id desc`,
).all((merchantIds: string[], at: Date) => [merchantIds, at])

/** Makes every secret of the merchant except `keptId` expire at `until` at the latest. */
export const expireOtherWebhookSecrets = statement(
  'expire_webhook_secrets',
  `update world.webhook_secrets set expires_at = $3
   where merchant_id = $1 and id <> $2 and (expires_at is null or expires_at > $3)`,
).run((merchantId: string, keptId: string, until: Date) => [merchantId, keptId, until])

export const expireWebhookSecret = statement(
  'expire_webhook_secret',
  'update world.webhook_secrets set expires_at = $3 where merchant_id = $1 and id = $2',
).run((merchantId: string, id: string, until: Date) => [merchantId, id, until])

const expireReplaced = statement<{ id: string }>(
  'expire_replaced_webhook_secrets',
  `update world.webhook_secrets set expires_at = $2 where merchant_id = $1 and expires_at > $2 returning id`,
)

/** Ends the secrets of the merchant that have an end already. Returns how many there were. */
export async function expireReplacedSecrets(db: Queryable, merchantId: string, now: Date): Promise<number> {
  return (await expireReplaced(db, [merchantId, now])).length
}
