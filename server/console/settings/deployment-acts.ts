/** What belongs to the whole deployment: limits, buyers who want to be forgotten, and what waits after a restore. */
import { expectSeveral } from '../../audit/people.ts'
import { CURRENCY_CODES, type CurrencyCode } from '../../contract/fields.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { suggestedApproval } from '../../operator/approvals/suggested.ts'
import { type Forgotten, forgetCustomer } from '../../operator/forgetting/forget.ts'
import { decimalAmount } from '../../payments/money.ts'
import { readRestore, stopWaiting } from '../../payments/restored/report.ts'
import { type LimitRecord, listLimits } from '../../storage/audit/proposals.ts'
import { readAmount } from '../typed-amount.ts'
import { say } from '../words/say.ts'
import { type Given, type Label, type SettingAct, setting } from './act.ts'

type Limits = { limits: LimitRecord[] }

function limitOf({ currency, amount, off }: Given) {
  const code = currency as CurrencyCode
  const read = readAmount(amount, code)
  return { currency: code, limitMinor: off === 'yes' || typeof read === 'string' ? null : read }
}

export const limitText = ({ currency, limitMinor }: LimitRecord) =>
  `${decimalAmount(limitMinor, currency as CurrencyCode)} ${currency}`

/** The suggested amount in the currency that the address names, if it has no limit yet. */
function suggestedFor(wantedCurrency: string | undefined, limits: LimitRecord[]): string {
  const currency = CURRENCY_CODES.find((each) => each === wantedCurrency)
  if (!currency || limits.some((each) => each.currency === currency)) return ''
  return decimalAmount(suggestedApproval(currency), currency)
}

const limit = setting<Limits>({
  name: 'approval_limit',
  needs: 'approval limit',
  place: 'deployment',
  group: 'setLimits',
  present: async ({ ctx }) => ({ limits: await listLimits(ctx.db) }),
  fields: ({ limits }, { visit: { query } }) => [
    {
      name: 'currency',
      label: 'setCurrency',
      kind: 'choice',
      options: CURRENCY_CODES.map((code) => [code, code] as const),
    },
    {
      name: 'amount',
      label: 'setLimitAmount',
      kind: 'amount',
      hint: 'setLimitHint',
      isOptional: true,
      value: suggestedFor(query.currency, limits),
    },
    { name: 'off', label: 'setLimitOff', kind: 'tick' },
  ],
  check(given) {
    if (given.off === 'yes') return given.amount === '' ? {} : { amount: 'setLimitEither' }
    const read = readAmount(given.amount, given.currency as CurrencyCode)
    return typeof read === 'string' ? { amount: read === 'amountUnclear' ? 'amountWrong' : read } : {}
  },
  changes(given, { limits }) {
    const { currency, limitMinor } = limitOf(given)
    const before = limits.find((each) => each.currency === currency)
    const after = limitMinor === null ? null : limitText({ currency, limitMinor })
    return [[{ as: currency }, before ? limitText(before) : null, after]]
  },
  guarded: (given) => ({ name: 'approval limit', args: limitOf(given) }),
  async rehearse(ctx, { off }) {
    if (off !== 'yes') await expectSeveral(ctx)
    return []
  },
  async run(ctx, given, _scene, person) {
    const decided = await doOrPropose(ctx, person, 'approval limit', limitOf(given))
    return 'proposed' in decided ? 'proposed' : 'done'
  },
})

const buyerOf = ({ email, phone }: Given) => ({ email: email || undefined, phone: phone || undefined })

/** A shop does not get the events that were not delivered yet, so they are named. */
function forgottenLines({ payments = 0, undelivered = 0, ...rest }: Forgotten): [Label, string][] {
  const others = Object.values(rest).reduce((sum, count) => sum + count, 0)
  return [
    ['paymentsTitle', String(payments)],
    ['setUndelivered', String(undelivered)],
    ['setOtherRows', String(others)],
  ]
}

const forget = setting<object>({
  name: 'customer_forget',
  needs: 'customer forget',
  place: 'deployment',
  group: 'setBuyers',
  present: async () => ({}),
  fields: () => [
    { name: 'email', label: 'email', kind: 'email', isOptional: true, max: 320 },
    { name: 'phone', label: 'setPhone', kind: 'tel', hint: 'setPhoneHint', isOptional: true, max: 40 },
  ],
  check: ({ email, phone }) => (email === '' && phone === '' ? { email: 'setBuyerEmpty' } : {}),
  blames: 'email',
  changes: (given) => [
    ['email', given.email || null, null],
    ['setPhone', given.phone || null, null],
  ],
  async rehearse(ctx, given) {
    const found = await forgetCustomer(ctx, { ...buyerOf(given), dryRun: true })
    return forgottenLines(found).map(([label, count]) => [label, count, null] as const)
  },
  async run(ctx, given) {
    const found = await forgetCustomer(ctx, { ...buyerOf(given), dryRun: false })
    return { message: 'setForgotten', lines: forgottenLines(found) }
  },
})

type Restore = { restoredAt: Date | null; endedAt: Date | null }

const endRestore = setting<Restore>({
  name: 'restore_end',
  needs: 'restore end',
  place: 'deployment',
  group: 'setRestore',
  async present({ ctx }) {
    const view = await readRestore(ctx, 1)
    return { restoredAt: view?.restore.restoredAt ?? null, endedAt: view?.restore.endedAt ?? null }
  },
  whyNot: ({ restoredAt, endedAt }) => (restoredAt === null || endedAt !== null ? 'setRestoreNone' : null),
  fields: () => [{ name: 'why', label: 'why', kind: 'text', hint: 'setRestoreWhy', max: 240 }],
  changes: (_given, _present, { visit: { locale } }) => [
    ['setState', say(locale, 'setRestoreOpen'), say(locale, 'setRestoreEnded')],
  ],
  async run(ctx, { why: reason = '' }, { visit: { user } }) {
    await stopWaiting(ctx, { by: user.name, reason })
    return 'done'
  },
})

export const DEPLOYMENT_ACTS: readonly SettingAct[] = [limit, forget, endRestore]
