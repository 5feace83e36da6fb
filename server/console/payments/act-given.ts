/** Reads the form of an act: what the person has seen, and what the person wants. */
import { shortNumber } from '../../id.ts'
import { formatAmount } from '../../pages/words/locale.ts'
import { DECIDED_STATUSES, type DecidedStatus } from '../../payments/decisions/payment.ts'
import { returnedOf } from '../../payments/moved.ts'
import type { UserRecord } from '../../storage/access/users.ts'
import type { OwnVisit } from '../page.ts'
import { readAmount } from '../typed-amount.ts'
import { say } from '../words/say.ts'
import type { Facts, Given, PaymentAct } from './acts.ts'

export const TEXT_CHARS_MAX = 240
/** An outcome that nobody knows may be any. What a person waits for in vain can only be given up. */
const GIVEN_UP: readonly DecidedStatus[] = ['failed', 'cancelled', 'expired']

/** Counts what has happened to the payment. Whoever has seen less has not seen the present state. */
export const seenOf = ({ payment, operations }: Facts): string => `${payment.version}.${operations.length}`

export function outcomesOf({ payment }: Facts): readonly DecidedStatus[] {
  return payment.status === 'status_unknown' ? DECIDED_STATUSES : GIVEN_UP
}

/** What the person may still move of this payment; null without a limit. What others gave back of it counts too. */
export function limitOf(
  act: PaymentAct,
  user: Pick<UserRecord, 'refundLimits'>,
  { payment, entries }: Facts,
): number | null {
  const limit = totalLimitOf(act, user, payment.currency)
  return limit === null ? null : Math.max(0, limit - returnedOf(payment, entries))
}

const totalLimitOf = (
  { isLimited }: PaymentAct,
  { refundLimits }: Pick<UserRecord, 'refundLimits'>,
  currency: string,
): number | null => (refundLimits && isLimited ? (refundLimits[currency] ?? 0) : null)

/** Returns what is wrong as a text for the person. */
export function readGiven(act: PaymentAct, { form, user, locale }: OwnVisit, facts: Facts): Given | string {
  const { payment } = facts
  if (form.seen !== seenOf(facts)) return say(locale, 'refundChanged')
  const has = (name: PaymentAct['fields'][number]) => act.fields.includes(name)
  const { currency } = payment
  const amountMinor = has('amount') ? readAmount(form.amount, currency, act.most(facts)) : act.most(facts)
  if (typeof amountMinor === 'string') return say(locale, amountMinor, { currency })
  const [why, reference] = [form.why?.trim() ?? '', form.reference?.trim() ?? '']
  const isText = (text: string) => text !== '' && [...text].length <= TEXT_CHARS_MAX
  const chars = String(TEXT_CHARS_MAX)
  if (has('why') && !isText(why)) return say(locale, 'whyWrong', { chars })
  if (has('reference') && !isText(reference)) return say(locale, 'referenceWrong', { chars })
  const as = outcomesOf(facts).find((each) => each === form.as)
  if (has('as') && !as) return say(locale, 'outcomeWrong')
  const limit = limitOf(act, user, facts)
  const movedMinor = act.isWhole ? Math.max(amountMinor, act.most(facts)) : amountMinor
  if (limit !== null && movedMinor > limit)
    return say(locale, act.name === 'refund' ? 'aboveLimit' : 'aboveOwnLimit', {
      amount: formatAmount(limit, payment.currency, locale),
    })
  const { id: paymentId, version } = payment
  const totalMaxMinor = totalLimitOf(act, user, currency) ?? undefined
  const accepts = Number(form.accepts) || undefined
  const key = `console ${form.seen}`
  return { paymentId, version, key, amountMinor, why, reference, as: as ?? 'failed', accepts, totalMaxMinor }
}

export const numberOf = ({ payment }: Facts): string => shortNumber(payment.id)
