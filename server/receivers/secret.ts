/** The secrets that sign a merchant's events: made here, sealed in the database, opened only to sign. */
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

/** `whsec_` + base64 of 32 random bytes. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Makes a secret and stores it sealed. Answers it in clear, once. */
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
  const id = newId(ctx.world, 'sec', createdAt)
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
 * Makes a new secret, which signs at once; the ones before it sign beside it for `overlap`, so that a receiver that holds
 * either takes every event. Answers the new one in clear, once. The merchant exists.
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

/** The secrets that sign now, newest first. @throws Error when SECRETS_KEY is not the one they were sealed under. */
export async function listWebhookSecrets(ctx: Context, merchantId: string): Promise<string[]> {
  return (await readWebhookSecrets(ctx, [merchantId]))(merchantId)
}

/**
 * The same of many merchants, read at once; they are opened when they are asked for, so that one that cannot be opened is
 * in nobody else's way.
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

/** Whether the merchant has a secret that signs in this world. */
export async function hasReceiverSecret(ctx: Context, merchantId: string): Promise<boolean> {
  return (await listLiveWebhookSecrets(ctx.db, [merchantId], ctx.clock.now())).length > 0
}
