/** Creates, stores and reads the secrets that sign a merchant's events. They are encrypted in the database. */
import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import { type Overlap, overlapEnd } from '../merchants/overlap.ts'
import { inTransaction, type Queryable } from '../storage/db.ts'
import {
  expireOtherWebhookSecrets,
  insertWebhookSecret,
  listLiveWebhookSecrets,
} from '../storage/events/webhook-secrets.ts'

const SECRET_BYTES = 32

/** Returns `whsec_` and 32 random bytes in base64. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Creates a secret and stores it encrypted. Returns the plain text, which nobody can read again later. */
export async function addWebhookSecret(ctx: Context, db: Queryable, merchantId: string): Promise<string> {
  return (await insertNewSecret(ctx, db, merchantId)).secret
}

async function insertNewSecret(
  ctx: Context,
  db: Queryable,
  merchantId: string,
): Promise<{ id: string; secret: string }> {
  const createdAt = ctx.clock.now()
  const secret = makeWebhookSecret()
  const id = newId(ctx.world, 'sec', merchantId, createdAt)
  await insertWebhookSecret(db, {
    merchantId,
    id,
    ...ctx.vault.seal(secret, [ctx.world, merchantId, id]),
    createdAt,
    expiresAt: null,
  })
  return { id, secret }
}

/**
 * Creates a new secret that signs at once. For `overlap`, earlier secrets also sign, so that a receiver with either secret
 * accepts every event. Returns the plain text, which nobody can read again later. The merchant must exist.
 */
export async function rotateWebhookSecret(
  ctx: Context,
  merchantId: string,
  overlap: Overlap,
): Promise<{ webhookSecret: string; oldUntil: Date }> {
  const oldUntil = overlapEnd(ctx, overlap)
  return inTransaction(ctx.db, async (tx) => {
    const { id, secret } = await insertNewSecret(ctx, tx, merchantId)
    await expireOtherWebhookSecrets(tx, merchantId, id, oldUntil)
    return { webhookSecret: secret, oldUntil }
  })
}

/** Returns the secrets that sign now, newest first. @throws Error if SECRETS_KEY lacks the key that encrypted them */
export async function listWebhookSecrets(ctx: Context, merchantId: string): Promise<string[]> {
  return (await readWebhookSecrets(ctx, [merchantId]))(merchantId)
}

/**
 * Reads the secrets of many merchants in one query. Each merchant's secrets are decrypted only when the returned function is
 * called, so that a secret that cannot be decrypted fails only for its own merchant.
 */
export async function readWebhookSecrets(
  ctx: Context,
  merchantIds: string[],
): Promise<(merchantId: string) => string[]> {
  const records = await listLiveWebhookSecrets(ctx.db, merchantIds, ctx.clock.now())
  return (merchantId) =>
    records
      .filter((record) => record.merchantId === merchantId)
      .map((record) => ctx.vault.open(record, [ctx.world, merchantId, record.id]))
}

/** Returns whether the merchant has a secret that signs in this world. `db`: the transaction that holds the merchant's lock. */
export async function hasReceiverSecret(
  ctx: Context,
  merchantId: string,
  db: Queryable = ctx.db,
): Promise<boolean> {
  return (await listLiveWebhookSecrets(db, [merchantId], ctx.clock.now())).length > 0
}
