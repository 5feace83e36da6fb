/** The secrets that sign a merchant's events: made here, sealed in the database, opened only to sign. */
import { randomBytes } from 'node:crypto'
import { type Context, newId } from '../context.ts'
import type { Queryable } from '../storage/db.ts'
import { insertWebhookSecret, listLiveWebhookSecrets } from '../storage/webhook-secrets.ts'

const SECRET_BYTES = 32

/** Makes a secret (`whsec_` + base64 of 32 bytes) and stores it sealed. Answers it in clear, once. */
export async function addWebhookSecret(ctx: Context, db: Queryable, merchantId: string): Promise<string> {
  const createdAt = ctx.clock.now()
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
  const id = newId('sec', createdAt)
  await insertWebhookSecret(db, { merchantId, id, ...ctx.vault.seal(secret), createdAt, expiresAt: null })
  return secret
}

/** The secrets that sign now, newest first. @throws Error when SECRETS_KEY is not the one they were sealed under. */
export async function listWebhookSecrets(ctx: Context, merchantId: string): Promise<string[]> {
  const records = await listLiveWebhookSecrets(ctx.db, merchantId, ctx.clock.now())
  return records.map((record) => ctx.vault.open(record))
}
