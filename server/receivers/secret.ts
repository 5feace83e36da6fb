/** Creates, stores and reads the secrets that sign a merchant's events. They are encrypted in the database. */
import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { type Overlap, overlapEnd } from '../merchants/overlap.ts'
import { notifyOwner } from '../notices/notify.ts'
import { inTransaction, type Queryable } from '../storage/db.ts'
import {
  expireOtherWebhookSecrets,
  expireReplacedSecrets,
  expireWebhookSecret,
  insertWebhookSecret,
  listValidSecretRecords,
  type WebhookSecretRecord,
} from '../storage/events/webhook-secrets.ts'

const SECRET_BYTES = 32

/** Returns `whsec_` and 32 random bytes in base64. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Stores a new secret, encrypted. Returns the plain text, which nobody can read again later. */
export async function addWebhookSecret(
  ctx: Context,
  db: Queryable,
  merchantId: string,
  secret = makeWebhookSecret(),
): Promise<string> {
  return (await insertNewSecret(ctx, db, merchantId, secret)).secret
}

async function insertNewSecret(
  ctx: Context,
  db: Queryable,
  merchantId: string,
  secret: string,
): Promise<{ id: string; secret: string }> {
  const createdAt = ctx.clock.now()
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
 * accepts every event. Returns the plain text, which nobody can read again later. The merchant must exist. `secret`: one that was
 * made before and that nobody has read yet. The overlap begins when somebody reads it, with `beginOverlap`.
 */
export async function rotateWebhookSecret(
  ctx: Context,
  merchantId: string,
  overlap: Overlap,
  { secret: made }: { secret?: string | undefined } = {},
): Promise<{ webhookSecret: string; oldUntil: Date }> {
  const oldUntil = overlapEnd(ctx, overlap)
  return inTransaction(ctx.db, async (tx) => {
    const { id, secret } = await insertNewSecret(ctx, tx, merchantId, made ?? makeWebhookSecret())
    if (made === undefined) await expireOtherWebhookSecrets(tx, merchantId, id, oldUntil)
    await notifyOwner(ctx, tx, merchantId, 'event_secret')
    return { webhookSecret: secret, oldUntil }
  })
}

/** Begins the overlap of a rotation whose secret was just read. */
export async function beginOverlap(
  ctx: Context,
  tx: Queryable,
  { merchantId, secret, overlap }: { merchantId: string; secret: string; overlap: Overlap },
): Promise<void> {
  const id = await findSecretId(ctx, tx, merchantId, secret)
  if (id !== null) await expireOtherWebhookSecrets(tx, merchantId, id, overlapEnd(ctx, overlap))
}

/**
 * Ends a secret that nobody has read. If no other secret signs the events, a new one does that nobody has read either, so the events
 * stay signed until somebody rotates the secret.
 */
export async function endUnreadSecret(
  ctx: Context,
  tx: Queryable,
  { merchantId, secret }: { merchantId: string; secret: string },
): Promise<void> {
  const id = await findSecretId(ctx, tx, merchantId, secret)
  if (id === null) return
  await expireWebhookSecret(tx, merchantId, id, ctx.clock.now())
  if (!(await hasReceiverSecret(ctx, merchantId, tx))) await addWebhookSecret(ctx, tx, merchantId)
}

async function findSecretId(
  ctx: Context,
  tx: Queryable,
  merchantId: string,
  secret: string,
): Promise<string | null> {
  const records = await listValidSecretRecords(tx, [merchantId], ctx.clock.now())
  const isMeant = (record: WebhookSecretRecord) =>
    ctx.vault.open(record, [ctx.world, merchantId, record.id]) === secret
  return records.find(isMeant)?.id ?? null
}

/**
 * Ends the secrets that a rotation has replaced and that would sign until the end of the overlap. Returns how many there were.
 * @throws AppError validation_failed if no secret was replaced
 */
export async function endReplacedSecrets(ctx: Context, merchantId: string): Promise<number> {
  const count = await expireReplacedSecrets(ctx.db, merchantId, ctx.clock.now())
  if (count > 0) return count
  throw new AppError('validation_failed', {
    reason: 'secret_alone',
    message: 'Only one callback secret signs the events, and no replaced one. Rotate the secret first.',
  })
}

/** Returns the secrets that sign now, newest first. @throws Error if SECRETS_KEY lacks the key that encrypted them */
export async function openWebhookSecrets(ctx: Context, merchantId: string): Promise<string[]> {
  return (await readSecretsOfMerchants(ctx, [merchantId]))(merchantId)
}

/**
 * Reads the secrets of many merchants in one query. Each merchant's secrets are decrypted only when the returned function is
 * called, so that a secret that cannot be decrypted fails only for its own merchant, and only once for all events that are sent.
 */
export async function readSecretsOfMerchants(
  ctx: Context,
  merchantIds: string[],
): Promise<(merchantId: string) => string[]> {
  const records = await listValidSecretRecords(ctx.db, merchantIds, ctx.clock.now())
  const opened = new Map<string, string[]>()
  return (merchantId) => {
    const known = opened.get(merchantId)
    if (known) return known
    const secrets = records
      .filter((record) => record.merchantId === merchantId)
      .map((record) => ctx.vault.open(record, [ctx.world, merchantId, record.id]))
    opened.set(merchantId, secrets)
    return secrets
  }
}

/** Returns whether the merchant has a secret that signs in this world. `db`: the transaction that holds the merchant's lock. */
export async function hasReceiverSecret(
  ctx: Context,
  merchantId: string,
  db: Queryable = ctx.db,
): Promise<boolean> {
  return (await listValidSecretRecords(db, [merchantId], ctx.clock.now())).length > 0
}
