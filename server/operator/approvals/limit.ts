/** The limit above which a second person is needed. Lowering it is free; raising or removing it needs the second person itself. */
import { expectSeveral, isDecider } from '../../audit/people.ts'
import { systemClock } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import { notifyPeople } from '../../notices/notify.ts'
import { decimalAmount } from '../../payments/money.ts'
import { listUsers } from '../../storage/access/users.ts'
import { lockOperators } from '../../storage/audit/operators.ts'
import { listLimits, noteDeclinedLimit, storeLimit } from '../../storage/audit/proposals.ts'
import { inTransaction, type Queryable } from '../../storage/db.ts'
import type { Shown } from './facts.ts'
import type { Guarded } from './stake.ts'

/** `limitMinor`: null removes the limit. `seen`: the limit as the proposer saw it. */
type Limit = { currency: CurrencyCode; limitMinor: number | null; seen?: string }

const presentOf = async (db: Queryable, code: CurrencyCode): Promise<number | null> =>
  (await listLimits(db)).find(({ currency }) => currency === code)?.limitMinor ?? null

const shown = (limitMinor: number | null, currency: CurrencyCode): Shown =>
  limitMinor === null ? { word: 'noLimit' } : { amountMinor: limitMinor, currency }

export const limit: Guarded<Limit, { currency: CurrencyCode; limitMinor: number | null }> = {
  // Somebody may set the first limit between the weighing and the change.
  isBound: true,
  async stake(ctx, args) {
    const { currency, limitMinor } = args
    const present = await presentOf(ctx.db, currency)
    const text = limitMinor === null ? 'no limit' : decimalAmount(limitMinor, currency)
    const isRaised = present !== null && (limitMinor === null || limitMinor > present)
    return {
      money: null,
      merchantId: null,
      about: `${currency} ${text}`,
      args: { ...args, seen: args.seen ?? versionOf({ present }) },
      isFree: !isRaised,
    }
  },
  hasMoved: async (ctx, { currency, seen }) =>
    seen !== undefined && seen !== versionOf({ present: await presentOf(ctx.db, currency) }),
  shows: {
    currency: () => [],
    limitMinor: async ({ ctx, args: { currency, limitMinor } }) => [
      {
        name: 'limit',
        of: currency,
        after: shown(limitMinor, currency),
        before: shown(await presentOf(ctx.db, currency), currency),
      },
    ],
    seen: 'bound',
  },
  run: (ctx, { currency, limitMinor, seen }) =>
    inTransaction(ctx.db, async (tx) => {
      // Whoever removes a person at the same moment waits, and then sees the limit.
      await lockOperators(tx)
      if (limitMinor !== null) await expectSeveral({ db: tx })
      const present = await presentOf(tx, currency)
      if (seen !== undefined) expectSeen({ present }, seen)
      await storeLimit(tx, currency, limitMinor)
      // Whoever wants no limit is not asked again.
      await noteDeclinedLimit(tx, currency, limitMinor === null ? systemClock.now() : null)
      const approvers = (await listUsers(tx)).filter(isDecider)
      if (present !== limitMinor) await notifyPeople(ctx, tx, approvers, { change: 'approval_limit' })
      return { currency, limitMinor }
    }),
}
