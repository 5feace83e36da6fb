/** The act on the limit above which a second person is needed. Lowering it is free. Raising or removing it needs that person itself. */
import { CURRENCY_CODES, type CurrencyCode } from '../../contract/fields.ts'
import { versionOf } from '../../merchants/version.ts'
import type { Shown } from '../../operator/approvals/facts.ts'
import { presentLimit, setLimit } from '../../operator/approvals/limit.ts'
import { suggestedApproval } from '../../operator/approvals/suggested.ts'
import { decimalAmount } from '../../payments/money.ts'
import { listLimits } from '../../storage/audit/proposals.ts'
import type { Queryable } from '../../storage/db.ts'
import { type AnyRow, act } from '../act.ts'
import { amountOrNone, oneOfNeeded, seen } from '../input.ts'

const shown = (limitMinor: number | null, currency: CurrencyCode): Shown =>
  limitMinor === null ? { word: 'noLimit' } : { amountMinor: limitMinor, currency }
const seenNow = async (db: Queryable, currency: CurrencyCode): Promise<string> =>
  versionOf({ present: await presentLimit(db, currency) })

export const limit = act('approval limit', {
  currency: oneOfNeeded(CURRENCY_CODES, { placeholder: 'CUR' }),
  limitMinor: amountOrNone({ flag: 'amount', none: 'off', placeholder: '500.00', currencyOf: 'currency' }),
  seen: seen(),
})({
  place: 'deployment',
  current: async ({ db }) => ({ limits: await listLimits(db) }),
  // A page that suggests a limit names its currency.
  presets({ limits }, chosen) {
    const currency = CURRENCY_CODES.find((each) => each === chosen.currency)
    if (!currency || limits.some((each) => each.currency === currency)) return {}
    return { limitMinor: decimalAmount(suggestedApproval(currency), currency) }
  },
  shows: {
    currency: () => [],
    limitMinor: async ({ ctx, args: { currency, limitMinor } }) => [
      {
        name: 'limit',
        of: currency,
        after: shown(limitMinor, currency),
        before: shown(await presentLimit(ctx.db, currency), currency),
      },
    ],
    seen: 'bound',
  },
  secondPerson: {
    async stake(ctx, args) {
      const { currency, limitMinor } = args
      const present = await presentLimit(ctx.db, currency)
      const sum = limitMinor === null ? 'no limit' : decimalAmount(limitMinor, currency)
      const isRaised = present !== null && (limitMinor === null || limitMinor > present)
      return {
        money: null,
        merchantId: null,
        about: `${currency} ${sum}`,
        args: { ...args, seen: args.seen ?? versionOf({ present }) },
        isFree: !isRaised,
      }
    },
    hasMoved: async (ctx, args) =>
      args.seen !== undefined && args.seen !== (await seenNow(ctx.db, args.currency)),
  },
  run: setLimit,
  result: async (_ctx, done) => ({ facts: { ...done }, textValues: { limit: limitText(done) } }),
  helpExamples: ['--currency USD --amount 500.00', '--currency USD --off'],
  examples: async () => [{ currency: 'USD', limitMinor: 40_000 }],
})

const limitText = ({
  currency,
  limitMinor,
}: {
  currency: CurrencyCode
  limitMinor: number | null
}): string => (limitMinor === null ? 'none' : `${decimalAmount(limitMinor, currency)} ${currency}`)

export const APPROVAL_ACTS: readonly AnyRow[] = [limit]
