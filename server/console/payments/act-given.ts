/** Reads the form of an act: what the person has seen, and what the person wants. */
import type { Context } from '../../context.ts'
import { shortNumber } from '../../id.ts'
import { limitIn } from '../../merchants/token-limits.ts'
import { returnerBy } from '../../operator/approvals/stake.ts'
import { ownIn } from '../../operator/approvals/weigh.ts'
import type { Timeline } from '../../operator/payment-timeline.ts'
import { formatAmount } from '../../pages/words/locale.ts'
import { DECIDED_STATUSES, type DecidedStatus } from '../../payments/decisions/payment.ts'
import { isReturnedByHand } from '../../payments/decisions/returned.ts'
import { readBounds, returnedOf } from '../../payments/return-limits.ts'
import type { OwnVisit } from '../page.ts'
import { amountValues, readAmount } from '../typed-amount.ts'
import { translate, translateAny } from '../words/translate.ts'
import type { ActFacts, ActInput, OwnLimitsLeft, PaymentAct } from './acts.ts'

export const TEXT_CHARS_MAX = 240
/** An outcome that nobody knows may be any. What a person waits for in vain can only be given up. */
const GIVEN_UP: readonly DecidedStatus[] = ['failed', 'cancelled', 'expired']

/** Counts what has happened to the payment. Whoever has seen less has not seen the present state. */
export const seenOf = ({ payment, operations }: ActFacts): string => `${payment.version}.${operations.length}`

export function outcomesOf({ payment }: ActFacts): readonly DecidedStatus[] {
  return payment.status === 'status_unknown' ? DECIDED_STATUSES : GIVEN_UP
}

export async function factsOf(ctx: Context, user: OwnVisit['user'], timeline: Timeline): Promise<ActFacts> {
  const isByHand = await isReturnedByHand(ctx, timeline.payment)
  return { ...timeline, isByHand, left: await leftOf(ctx, user, timeline) }
}

/** Returns what the person's own limits leave of this payment. What others gave back of it counts too. */
async function leftOf(
  ctx: Context,
  { id, refundLimits, refundLimitsDay }: OwnVisit['user'],
  { payment, entries }: Timeline,
): Promise<OwnLimitsLeft> {
  if (refundLimits === null && refundLimitsDay === null) return { once: null, by_day: null }
  const beforeMinor = returnedOf(payment, entries)
  const once = limitIn(refundLimits, payment.currency)
  const bounds = await readBounds(ctx, returnerBy({ id, isApproved: false }), { ...payment, beforeMinor })
  return {
    once: once === null ? null : Math.max(0, once - beforeMinor),
    by_day: ownIn(bounds)?.restMinor ?? null,
  }
}

export const limitOf = ({ limit }: PaymentAct, { left }: ActFacts): number | null =>
  limit === undefined ? null : left[limit]

/** Returns what is wrong as a text for the person. */
export function readGiven(act: PaymentAct, { form, locale }: OwnVisit, facts: ActFacts): ActInput | string {
  const { payment } = facts
  if (form.seen !== seenOf(facts)) return translate(locale, 'refundChanged')
  const has = (name: PaymentAct['fields'][number]) => act.fields.includes(name)
  const { currency } = payment
  const amountMinor = has('amount')
    ? readAmount(form.amount, currency, act.maxMinor(facts))
    : act.maxMinor(facts)
  if (typeof amountMinor === 'string')
    return translateAny(locale, amountMinor, amountValues(form.amount, currency))
  const [why, reference] = [form.why?.trim() ?? '', form.reference?.trim() ?? '']
  const isText = (text: string) => text !== '' && [...text].length <= TEXT_CHARS_MAX
  const chars = TEXT_CHARS_MAX
  if (has('why') && !isText(why)) return translate(locale, 'whyWrong', { chars })
  if (has('reference') && !isText(reference)) return translate(locale, 'referenceWrong', { chars })
  const as = outcomesOf(facts).find((each) => each === form.as)
  if (has('as') && !as) return translate(locale, 'outcomeWrong')
  const limit = limitOf(act, facts)
  const movedMinor = act.isWhole ? Math.max(amountMinor, act.maxMinor(facts)) : amountMinor
  if (limit !== null && movedMinor > limit)
    return translate(locale, act.name === 'refund' ? 'aboveLimit' : 'aboveOwnLimit', {
      amount: formatAmount(limit, payment.currency, locale),
    })
  // A transfer may bring more than was asked for.
  const rest = has('amount') && !act.isWhole ? act.maxMinor(facts) : null
  if (rest !== null && amountMinor > rest) {
    const [typed, amount] = [
      formatAmount(amountMinor, currency, locale),
      formatAmount(rest, currency, locale),
    ]
    return translate(locale, 'aboveRest', { typed, amount })
  }
  const { id: paymentId, version } = payment
  const accepts = Number(form.accepts) || undefined
  const key = `console ${form.seen}`
  return { paymentId, version, key, amountMinor, why, reference, as: as ?? 'failed', accepts }
}

export const numberOf = ({ payment }: ActFacts): string => shortNumber(payment.id)
