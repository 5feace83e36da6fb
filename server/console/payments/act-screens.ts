/** The two screens of an act: the form, and what will happen. */
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount } from '../../pages/words/locale.ts'
import { findPart } from '../../payments/decisions/part-taken.ts'
import { alertOf, backButton, field, hiddenFields, selectField } from '../form-parts.ts'
import type { OwnVisit, Screen } from '../page.ts'
import { backTo } from '../page-parts.ts'
import { typedAmount } from '../typed-amount.ts'
import { translate, translateAny } from '../words/translate.ts'
import { limitOf, numberOf, outcomesOf, seenOf } from './act-given.ts'
import { type ActFacts, type ActInput, type PaymentAct, surplusIn } from './acts.ts'

export function formScreen(act: PaymentAct, visit: OwnVisit, facts: ActFacts, problem?: string): Screen {
  const { locale } = visit
  const { currency } = facts.payment
  const amount = (minor: number) => formatAmount(minor, currency, locale)
  const limitMinor = act.maxMinor(facts)
  const limit = limitOf(act, facts)
  const takesPart = act.fields.includes('amount') && !act.isWhole
  const isBlocked = limit !== null && (limit === 0 || (!takesPart && limit < limitMinor))
  const whyNot = act.whyNot(facts)
  const title = translate(locale, `${act.name}Title`, { number: numberOf(facts) })
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    ${alertOf(problem)}
    <p class="lead">${translateAny(locale, whyNot ?? `${act.name}Lead`, { amount: amount(limitMinor) })}</p>
    ${surplusPart(act, visit, facts)}
    ${limit !== null && limit < limitMinor ? html`<p>${translate(locale, act.name === 'refund' ? 'aboveLimit' : 'aboveOwnLimit', { amount: amount(limit) })}</p>` : null}
    ${
      whyNot || isBlocked
        ? null
        : html`<form method="post" class="fields">
            ${hiddenFields({ seen: seenOf(facts) })}
            ${fieldsOf(act, visit, facts, limit === null ? limitMinor : Math.min(limitMinor, limit))}
            <button class="button">${translate(locale, 'next')}</button>
          </form>`
    }
    ${backToPayment(visit)}
  </div>`
  return { kind: 'screen', title, body, ...(problem !== undefined && { status: 422 }) }
}

function fieldsOf(act: PaymentAct, { locale, form }: OwnVisit, facts: ActFacts, usual: number): Markup[] {
  const { currency } = facts.payment
  const parts: Record<PaymentAct['fields'][number], () => Markup> = {
    amount: () =>
      field({
        name: 'amount',
        label: translate(locale, 'amountIn', { currency }),
        inputmode: 'decimal',
        value: form.amount ?? typedAmount(usual, currency),
      }),
    reference: () =>
      field({
        name: 'reference',
        label: translate(locale, 'reference'),
        hint: translate(locale, 'referenceHint'),
        value: form.reference ?? '',
      }),
    as: () =>
      selectField(
        'as',
        translate(locale, 'outcomeOf'),
        outcomesOf(facts).map((each) => [each, translate(locale, `status_${each}`)] as const),
        form.as ?? '',
      ),
    why: () =>
      field({
        name: 'why',
        label: translate(locale, 'why'),
        value: form.why ?? '',
        hint: translate(locale, 'whyHint'),
      }),
  }
  return act.fields.map((name) => parts[name]())
}

/** What came too much goes back first. It is no refund, so the payment stays as it is. */
function surplusPart({ name }: PaymentAct, { locale }: OwnVisit, facts: ActFacts): Markup {
  const surplus = name === 'returned' ? surplusIn(facts) : 0
  if (surplus === 0) return null
  const amount = formatAmount(surplus, facts.payment.currency, locale)
  return html`<p>${translate(locale, 'returnedSurplus', { amount })}</p>`
}

/** `factorForm`: what shows once more who the person is, where that is needed. `mailNotice`: what the buyer will be told. */
export function confirmScreen(
  act: PaymentAct,
  visit: OwnVisit,
  facts: ActFacts,
  { given, factorForm, mailNotice }: { given: ActInput; factorForm: Markup; mailNotice: Markup },
): Screen {
  const { locale } = visit
  const { payment } = facts
  const { currency } = payment
  const { amountMinor, why, reference, as } = given
  const amount = formatAmount(amountMinor, currency, locale)
  const rest = formatAmount(Math.max(0, act.maxMinor(facts) - amountMinor), currency, locale)
  const title = translate(locale, `${act.name}Sure`)
  const values = {
    amount,
    rest,
    reference,
    number: numberOf(facts),
    outcome: translate(locale, `status_${as}`),
  }
  const isOther = act.name === 'confirm' && amountMinor !== payment.amountMinor
  const part = act.name === 'resolve' ? findPart(payment, as) : null
  const amountText = formatAmount(payment.amountMinor, currency, locale)
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    <p class="sentence">${translate(locale, `${act.name}Will`, values)}</p>
    ${isOther ? html`<p class="alert">${translate(locale, 'confirmOther', { amount, asked: amountText })}</p>` : null}
    ${part ? html`<p class="alert">${translate(locale, 'resolvePart', { amount: formatAmount(part, currency, locale), asked: amountText })}</p>` : null}
    ${surplusPart(act, visit, facts)}
    ${mailNotice}
    <form method="post" class="fields">
      ${hiddenFields({
        seen: seenOf(facts),
        amount: typedAmount(amountMinor, currency),
        why,
        reference,
        as,
        ...(part && { accepts: String(part) }),
        confirm: 'yes',
      })}
      ${factorForm}
      <button class="button">${translate(locale, `${act.name}Do`, values)}</button>
      ${act.fields.length > 0 ? backButton(translate(locale, 'changeTyped')) : null}
    </form>
    ${backToPayment(visit)}
  </div>`
  return { kind: 'screen', title, body }
}

function backToPayment({ locale, params }: OwnVisit): Markup {
  return backTo(`/${params.world}/payments/${params.id}`, translate(locale, 'backToPayment'))
}
