/** The limit above which a second person is needed. Lowering it is free; raising or removing it needs the second person itself. */
import { expectSeveral, isDecider } from '../../audit/people.ts'
import { type Context, systemClock } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { expectSeen } from '../../merchants/version.ts'
import { notifyPeople } from '../../notices/notify.ts'
import { listUsers } from '../../storage/access/users.ts'
import { lockOperators } from '../../storage/audit/operators.ts'
import { listLimits, noteDeclinedLimit, storeLimit } from '../../storage/audit/proposals.ts'
import { inTransaction, type Queryable } from '../../storage/db.ts'

/** Null: there is none. */
export const presentLimit = async (db: Queryable, code: CurrencyCode): Promise<number | null> =>
  (await listLimits(db)).find(({ currency }) => currency === code)?.limitMinor ?? null

export type Limit = { currency: CurrencyCode; limitMinor: number | null }

/** `limitMinor`: null removes the limit. `seen`: the version of the limit as the proposer saw it. @throws AppError validation_failed */
export function setLimit(
  ctx: Context,
  { currency, limitMinor, seen }: Limit & { seen?: string | undefined },
): Promise<Limit> {
  return inTransaction(ctx.db, async (tx) => {
    // Whoever removes a person at the same moment waits, and then sees the limit.
    await lockOperators(tx)
    if (limitMinor !== null) await expectSeveral({ db: tx })
    const present = await presentLimit(tx, currency)
    if (seen !== undefined) expectSeen({ present }, seen)
    await storeLimit(tx, currency, limitMinor)
    // Whoever wants no limit is not asked again.
    await noteDeclinedLimit(tx, currency, limitMinor === null ? systemClock.now() : null)
    const approvers = (await listUsers(tx)).filter(isDecider)
    if (present !== limitMinor) await notifyPeople(ctx, tx, approvers, { change: 'approval_limit' })
    return { currency, limitMinor }
  })
}
