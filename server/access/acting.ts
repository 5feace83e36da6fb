/** Gives what a person does in the console the database that it may have, as the command line does: reading, or with a row in the log. */
import { type Context, systemClock } from '../context.ts'
import { newSharedId } from '../id.ts'
import type { UserRecord } from '../storage/access/users.ts'
import { actingOn, readOnly } from '../storage/audit/act.ts'
import { type Act, appendAudit } from '../storage/audit/log.ts'
import { inTransaction } from '../storage/db.ts'

export type Actor = Pick<UserRecord, 'id' | 'name' | 'merchantId'>

/** PostgreSQL refuses each write. */
export function reading(ctx: Context): Context {
  return { ...ctx, db: readOnly(ctx.db) }
}

/** Whatever is written leaves a row with the person's name. `about`: the ids that it concerns. */
export function actAs(
  ctx: Context,
  actor: Actor,
  { address, what, about }: { address: string; what: string; about: string },
): { ctx: Context; act: Act } {
  const act = actOf(actor, address, what)
  const row = { act, merchantId: actor.merchantId, about }
  return { ctx: { ...ctx, db: actingOn(ctx.db, row, { isRecorded: false }) }, act }
}

/** A row for what changes nothing that the log shows, such as a sign-in, or for what was refused. */
export async function note(
  ctx: Context,
  actor: Actor,
  { address, what, about }: { address: string; what: string; about: string },
): Promise<void> {
  const { merchantId } = actor
  await inTransaction(ctx.db, (tx) =>
    appendAudit(tx, actOf(actor, address, what), { world: null, merchantId, about }),
  )
}

function actOf({ id, name }: Actor, address: string, what: string): Act {
  const now = systemClock.now()
  return { id: newSharedId('act', now), who: name, operator: id, from: `console ${address}`, what }
}
