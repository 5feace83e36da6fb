/**
 * The acts on a payment, for the engine of all acts. What the person saw is part of the key: two forms that saw the same do it once,
 * however often and from wherever they are sent.
 */
import { doAct, oneActOf, rehearseAct } from '../../acts/do.ts'
import { shortNumber } from '../../id.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount } from '../../pages/words/locale.ts'
import { findPart } from '../../payments/decisions/part-taken.ts'
import { DECIDED_STATUSES, type DecidedStatus } from '../../payments/decisions/payment.ts'
import type { FormAct, ScreenTexts, Seen } from '../acts/act.ts'
import { actPages } from '../acts/engine.ts'
import type { Field, FieldValues, Label } from '../acts/fields.ts'
import { amountValues, readAmount, typedAmount } from '../typed-amount.ts'
import { translate, translateAny } from '../words/translate.ts'
import { factsOf, stateOf } from './act-facts.ts'
import {
  type ActFacts,
  type ActInput,
  type FieldName,
  PAYMENT_ACTS,
  type PaymentAct,
  surplusIn,
} from './acts.ts'
import { buyerMailNotice } from './buyer-mail-notice.ts'
import { findOwnPayment } from './payment.ts'

type SeenPayment = Seen<ActFacts>

const TEXT_CHARS_MAX = 240
/** A payment that still waits can only be given up. One whose outcome is unknown may have ended in any way. */
const GIVEN_UP: readonly DecidedStatus[] = ['failed', 'cancelled', 'expired']

const outcomesOf = ({ payment }: ActFacts): readonly DecidedStatus[] =>
  payment.status === 'status_unknown' ? DECIDED_STATUSES : GIVEN_UP

/** An amount of the payment as the person reads it. */
const amountText = ({ present, visit }: SeenPayment, minor: number): string =>
  formatAmount(minor, present.payment.currency, visit.locale)

const takesPart = ({ fields, isWhole }: PaymentAct): boolean => fields.includes('amount') && !isWhole

/** What the person's own limit leaves; null if none counts for this act. */
const leftOf = ({ limit }: PaymentAct, { present }: SeenPayment): number | null =>
  limit === undefined ? null : present.left[limit]

/** The same, where it is less than the act would move. */
function lessOf(act: PaymentAct, seen: SeenPayment): number | null {
  const left = leftOf(act, seen)
  return left === null || left >= act.maxMinor(seen.present) ? null : left
}

const limitText = ({ name }: PaymentAct, seen: SeenPayment, minor: number): string =>
  translate(seen.visit.locale, name === 'refund' ? 'aboveLimit' : 'aboveOwnLimit', {
    amount: amountText(seen, minor),
  })

function whyNotOf(act: PaymentAct, seen: SeenPayment): Label | null {
  const whyNot = act.whyNot(seen.present)
  if (whyNot) return whyNot
  const less = lessOf(act, seen)
  return less === null || (less > 0 && takesPart(act)) ? null : { as: limitText(act, seen, less) }
}

/** What came too much goes back first. It is no refund, so the payment stays as it is. */
function surplusPart({ name }: PaymentAct, seen: SeenPayment): Markup {
  const surplus = name === 'returned' ? surplusIn(seen.present) : 0
  if (surplus === 0) return null
  return html`<p>${translate(seen.visit.locale, 'returnedSurplus', { amount: amountText(seen, surplus) })}</p>`
}

function formTexts(act: PaymentAct, seen: SeenPayment): ScreenTexts {
  const { present, visit } = seen
  const { locale } = visit
  const [whyNot, less] = [whyNotOf(act, seen), lessOf(act, seen)]
  const amount = amountText(seen, act.maxMinor(present))
  return {
    title: translate(locale, `${act.name}Title`, { number: shortNumber(present.payment.id) }),
    lead: act.whyNot(present) ? null : translateAny(locale, `${act.name}Lead`, { amount }),
    notes: html`${surplusPart(act, seen)} ${less === null || whyNot ? null : html`<p>${limitText(act, seen, less)}</p>`}`,
    button: translate(locale, 'next'),
  }
}

function fieldsOf(act: PaymentAct, seen: SeenPayment): Field[] {
  const { present, visit } = seen
  const { locale } = visit
  const { currency } = present.payment
  const usual = lessOf(act, seen) ?? act.maxMinor(present)
  const fields: Record<FieldName, Omit<Field, 'name'>> = {
    amount: {
      kind: 'amount',
      label: { as: translate(locale, 'amountIn', { currency }) },
      value: typedAmount(usual, currency),
    },
    reference: { kind: 'text', label: 'reference', hint: 'referenceHint', max: TEXT_CHARS_MAX },
    as: {
      kind: 'choice',
      label: 'outcomeOf',
      options: outcomesOf(present).map((each) => [each, translate(locale, `status_${each}`)] as const),
    },
    why: { kind: 'text', label: 'why', hint: 'whyHint', max: TEXT_CHARS_MAX },
  }
  return act.fields.map((name) => ({ name, ...fields[name] }))
}

const amountOf = (act: PaymentAct, { amount }: FieldValues, { present }: SeenPayment) =>
  act.fields.includes('amount')
    ? readAmount(amount, present.payment.currency, act.maxMinor(present))
    : act.maxMinor(present)

/** A transfer may bring more than was asked for, but the person's own limit counts for all of it. */
function amountProblem(act: PaymentAct, given: FieldValues, seen: SeenPayment): Label | undefined {
  const { present, visit } = seen
  const { locale } = visit
  const amountMinor = amountOf(act, given, seen)
  if (typeof amountMinor === 'string')
    return { as: translateAny(locale, amountMinor, amountValues(given.amount, present.payment.currency)) }
  const left = leftOf(act, seen)
  if (left !== null && amountMinor > left) return { as: limitText(act, seen, left) }
  const restMinor = act.maxMinor(present)
  if (!takesPart(act) || amountMinor <= restMinor) return undefined
  const [typed, amount] = [amountText(seen, amountMinor), amountText(seen, restMinor)]
  return { as: translate(locale, 'aboveRest', { typed, amount }) }
}

/** `given`: what was checked. */
function inputOf(act: PaymentAct, given: FieldValues, seen: SeenPayment): ActInput {
  const { payment } = seen.present
  const { form } = seen.visit
  const { why = '', reference = '' } = given
  const as = outcomesOf(seen.present).find((each) => each === given.as) ?? 'failed'
  return {
    paymentId: payment.id,
    version: payment.version,
    key: `console ${stateOf(seen.present)}`,
    amountMinor: Number(amountOf(act, given, seen)),
    why,
    reference,
    as,
    // The first press shows the sum beside the whole amount, and only the second press that carries it accepts it.
    accepts: (form.confirm === 'yes' ? Number(form.accepts) : findPart(payment, as)) || undefined,
  }
}

async function sureTexts(act: PaymentAct, input: ActInput, seen: SeenPayment, mail: Markup) {
  const { present, visit } = seen
  const { locale } = visit
  const { amountMinor, reference, as, accepts } = input
  const asked = amountText(seen, present.payment.amountMinor)
  const amount = amountText(seen, amountMinor)
  const values = {
    amount,
    rest: amountText(seen, Math.max(0, act.maxMinor(present) - amountMinor)),
    reference,
    number: shortNumber(present.payment.id),
    outcome: translate(locale, `status_${as}`),
  }
  const isOther = act.name === 'confirm' && amountMinor !== present.payment.amountMinor
  return {
    title: translate(locale, `${act.name}Sure`),
    lead: translate(locale, `${act.name}Will`, values),
    notes: html`${isOther ? html`<p class="alert">${translate(locale, 'confirmOther', { amount, asked })}</p>` : null}
      ${accepts ? html`<p class="alert">${translate(locale, 'resolvePart', { amount: amountText(seen, accepts), asked })}</p>` : null}
      ${surplusPart(act, seen)} ${mail}`,
    button: translate(locale, `${act.name}Do`, values),
    ...(accepts && { carried: { accepts: `${accepts}` } }),
  }
}

const formActOf = (act: PaymentAct): FormAct<ActFacts> => ({
  name: act.name,
  title: `${act.name}Name`,
  lead: `${act.name}Lead`,
  needs: act.row.name,
  what: act.row.name,
  place: 'payment',
  isRecordedBefore: false,
  isKeyed: true,
  async present({ visit }) {
    const { view, timeline } = await findOwnPayment(visit)
    return factsOf(view.ctx, visit.user, timeline)
  },
  stateOf,
  whyNot: (seen) => whyNotOf(act, seen),
  texts: (seen) => formTexts(act, seen),
  fields: (seen) => fieldsOf(act, seen),
  check: (given, seen) => ({ amount: amountProblem(act, given, seen) }),
  blames: () => undefined,
  factorOf: (given, seen) => oneActOf(seen.ctx, act.row, act.args(inputOf(act, given, seen))),
  async rehearse(ctx, given, seen) {
    const input = inputOf(act, given, seen)
    await rehearseAct(ctx, seen.visit.user, act.row, act.args(input))
    const mail = await buyerMailNotice(ctx, seen.visit, seen.present, { act, given: input })
    return sureTexts(act, input, seen, mail)
  },
  async run(ctx, given, seen, person) {
    const outcome = await doAct(ctx, person, act.row, act.args(inputOf(act, given, seen)))
    return 'proposed' in outcome ? 'proposed' : 'done'
  },
})

export const PAYMENT_ACT_PAGES = PAYMENT_ACTS.map(formActOf).flatMap(actPages)
