/**
 * The secrets that granted acts make, such as a token.
 * Rule: a secret is shown once, to whoever has proposed the act, at the console or the command line. Whoever grants it never sees it. If
 * nobody has seen it after a day it is deleted, and what it opens is revoked.
 */
import type { Person } from '../../audit/people.ts'
import { type Context, systemClock } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { revokeTokenText } from '../../merchants/api-key.ts'
import type { Overlap } from '../../merchants/overlap.ts'
import { beginOverlap, endUnreadSecret } from '../../receivers/secret.ts'
import {
  findSecret,
  lockUnseenSecret,
  putSecret,
  type SealedSecret,
  takeSecret,
} from '../../storage/audit/granted-secrets.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { expectNamed } from './refusal.ts'
import type { Secret } from './stake.ts'

/** Whoever has proposed it has this long to look. */
export const SEEN_WITHIN_MS = 24 * 3_600_000
const BATCH = 100

const placeOf = ({ world }: Context, id: string) => [world, id, 'granted secret'] as const

const opened = (ctx: Context, id: string, { keyId, sealed }: SealedSecret): Secret =>
  JSON.parse(ctx.vault.open({ keyId, sealed }, placeOf(ctx, id)))

/** Returns the secret of the proposal. One that was interrupted while it was carried out keeps the one that it has. */
export async function keepSecret(
  ctx: Context,
  tx: Tx,
  id: string,
  make: () => Promise<Secret | null>,
): Promise<Secret | null> {
  const found = await findSecret(tx, id)
  if (found) return opened(ctx, id, found)
  const secret = await make()
  if (secret) await putSecret(tx, id, ctx.vault.seal(JSON.stringify(secret), placeOf(ctx, id)))
  return secret
}

/** Deletes the secret of an act that was not done, so that it opens nothing. */
export const dropSecret = (tx: Tx, id: string): Promise<void> => putSecret(tx, id, null)

/**
 * Shows the secret, this once. The overlap of a rotation begins now.
 * @throws AppError not_found for a proposal of somebody else, one that has made no secret, or one that was shown
 */
export async function revealSecret(ctx: Context, person: Person, id: string): Promise<Secret> {
  const proposedBy = expectNamed(person)
  return inTransaction(ctx.db, async (tx) => {
    const found = await takeSecret(tx, { id, proposedBy, now: systemClock.now() })
    if (!found)
      throw new AppError('not_found', {
        message: `The proposal ${id} has no secret for you. It is shown once, to whoever has proposed it, within a day after it was granted.`,
      })
    const secret = opened(ctx, id, found)
    const { kind, text, merchantId, overlap } = secret
    if (kind === 'webhookSecret' && overlap !== undefined)
      await beginOverlap(ctx, tx, { merchantId, secret: text, overlap: overlap as Overlap })
    return secret
  })
}

/** Deletes the secrets that nobody has seen within a day, and revokes what they open. */
export async function revokeUnseenSecrets(ctx: Context): Promise<void> {
  const before = new Date(systemClock.now().getTime() - SEEN_WITHIN_MS)
  for (let count = 0; count < BATCH; count++) if (!(await revokeOne(ctx, before))) return
}

function revokeOne(ctx: Context, before: Date): Promise<boolean> {
  return inTransaction(ctx.db, async (tx) => {
    const found = await lockUnseenSecret(tx, before)
    if (!found) return false
    const { kind, text, merchantId } = opened(ctx, found.id, found)
    if (kind === 'webhookSecret') await endUnreadSecret(ctx, tx, { merchantId, secret: text })
    else await revokeTokenText(ctx, tx, text)
    await putSecret(tx, found.id, null)
    return true
  })
}
