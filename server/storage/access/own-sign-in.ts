/** By what one person signs in, as this person sees and changes it. */
import { type Queryable, statement } from '../db.ts'

/** `host`: the host name that it belongs to. `usedAt`: null if it has signed nobody in yet. */
export type OwnPasskey = { id: string; host: string; createdAt: Date; usedAt: Date | null }

const lock = statement(
  'lock_console_user',
  'select from kassa.console_users where operator_id = $1 for no key update',
)
const passkeys = statement<OwnPasskey>(
  'list_own_passkeys',
  `select id, host, created_at as "createdAt", used_at as "usedAt" from kassa.passkeys where operator_id = $1 order by created_at, id`,
)
const remove = statement(
  'delete_own_passkey',
  'delete from kassa.passkeys where operator_id = $1 and id = $2',
)
const codes = statement<{ count: number }>(
  'count_recovery_codes',
  'select count(*)::int as count from kassa.recovery_codes where operator_id = $1',
)

/** Until the transaction ends, nobody else changes by what this person signs in. */
export async function lockUser(tx: Queryable, operatorId: string): Promise<void> {
  await lock(tx, [operatorId])
}

/** The oldest first. */
export async function listOwnPasskeys(db: Queryable, operatorId: string): Promise<OwnPasskey[]> {
  return passkeys(db, [operatorId])
}

export async function deletePasskey(tx: Queryable, operatorId: string, id: string): Promise<void> {
  await remove(tx, [operatorId, id])
}

export async function countRecoveryCodes(db: Queryable, operatorId: string): Promise<number> {
  return (await codes(db, [operatorId]))[0]?.count ?? 0
}
