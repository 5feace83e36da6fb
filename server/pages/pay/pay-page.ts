import { CURRENCIES } from '../../contract/currencies.ts'
import type { AmountChoice } from '../../merchants/product.ts'
import { smallestStep } from '../../merchants/sale-terms.ts'
import { type MessageKey, translate } from '../../messages/translate.ts'
import { decimalAmount, decimalsToRead } from '../../payments/money.ts'
import { routeButtons } from '../checkout/choice-form.ts'
import { EXAMPLE, emailField } from '../checkout/email-field.ts'
import { amountOf, note, previewOf, slip } from '../checkout/payment-frame.ts'
import { fieldInputs, fieldsAlert } from '../checkout/product-fields.ts'
import { CHOOSE, OFFER, OFFER_EACH } from '../checkout/status-content.ts'
import { html, type Markup } from '../html.ts'
import { renderPage } from '../page.ts'
import { ownOrWebAddress } from '../web-address.ts'
import { formatAmount } from '../words/locale.ts'
import { earlierNotice } from './earlier-notice.ts'
import type { PayProblem, PayView } from './pay-view.ts'

/** The notice of the earlier payment shows `begun`. The fields have an alert of their own. Only an amount has limits. */
const PROBLEMS = {
  foreign: 'pages.confirmHere',
  stale: 'pages.confirmAgain',
  changed: 'pages.priceChanged',
  amount: 'pages.amountRefused',
  quantity: 'pages.quantityRefused',
  email: 'pages.emailRefused',
  begun: null,
  fields: null,
} as const satisfies Record<PayProblem, MessageKey | null>

/** A product's own page, for buyers without a script: the product, its price, and one button. */
export function payPage(view: PayView): string {
  const { locale, mode, merchantName, problem, choice, currency, maxQuantity = 1 } = view
  const content = choice ? CHOOSE : maxQuantity > 1 ? OFFER_EACH : OFFER
  const format = (minor: number) => formatAmount(minor, currency, locale)
  const limits = { min: format(choice?.minMinor ?? 0), max: format(choice?.maxMinor ?? 0) }
  const refused = problem && PROBLEMS[problem]
  const action = [
    refused
      ? html`<p class="alert" role="alert">${translate(locale, refused, { ...limits, ...EXAMPLE })}</p>`
      : null,
    fieldsAlert(locale, view.fields),
    earlierNotice(locale, view.earlier),
    offerForm(view),
    note(view, content),
  ]
  return renderPage({
    locale,
    mode,
    namesItsOrigin: true,
    title: `${view.description} · ${merchantName}`,
    preview: choice ? { ...previewOf(view), ...chosenPreview(view) } : previewOf(view),
    brand: view.brand,
    body: slip(view, content, { testId: 'offer', action }),
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

/** The amount is not chosen yet. */
function chosenPreview({ locale, description = '', merchantName: name }: PayView) {
  return { title: description, text: translate(locale, 'pages.previewChosen', { name }) }
}

function offerForm(view: PayView): Markup {
  const action = ownOrWebAddress(view.action)
  if (action === undefined) return null
  if (view.choice) return amountForms(view, view.choice, action)
  const { locale, maxQuantity = 1, routes = [] } = view
  const hasRoutes = routes.length > 0
  const label =
    maxQuantity > 1
      ? translate(locale, 'pages.goOnToPay')
      : translate(locale, 'pages.pay', { amount: amountOf(view) })
  return html`<form class=${hasRoutes ? 'choices routes' : undefined} method="post" action=${action}>
    ${hasRoutes ? enterButton : null}
    ${tokenField(view)}
    ${maxQuantity > 1 ? quantityField(view, maxQuantity) : null}
    ${emailField(locale, view.email)}
    ${fieldInputs(locale, view.fields)}
    ${hasRoutes ? routeButtons(locale, routes) : html`<button class="button" type="submit" data-testid="pay">${label}</button>`}
  </form>`
}

/** Enter in a field presses the first button, and must not choose. The next page then asks how to pay. */
const enterButton = html`<button class="unseen" type="submit" tabindex="-1" aria-hidden="true"></button>`

/** `again`: the form is below the notice of an earlier payment, so it makes one more. */
const tokenField = ({ token, earlier }: PayView) => html`<input type="hidden" name="token" value=${token} />
  ${earlier ? html`<input type="hidden" name="again" value="1" />` : null}`

function quantityField({ locale, amountMinor, currency, typed }: PayView, maxQuantity: number): Markup {
  const chosen = typed?.quantity ?? '1'
  const options = Array.from({ length: maxQuantity }, (_, at) => at + 1).map((quantity) => {
    const total = formatAmount(amountMinor * quantity, currency, locale)
    const value = String(quantity)
    return html`<option value=${value} selected=${value === chosen}>${quantity} — ${total}</option>`
  })
  return html`<div class="field">
    <label for="quantity">${translate(locale, 'pages.quantity')}</label>
    <select id="quantity" name="quantity" data-testid="quantity">${options}</select>
  </div>`
}

/**
 * There are two forms, so that Enter in the field never sends a suggested amount. Where the page asks for
 * an e-mail address or another field there is one form.
 */
function amountForms(view: PayView, choice: AmountChoice, action: string): Markup {
  const { locale, email, fields = [] } = view
  const pay = html`<button class="button" type="submit" data-testid="pay">${translate(locale, 'pages.payChosen')}</button>`
  const suggested = (name: string) =>
    html`<ul>${choice.suggestedMinor.map((minor) => html`<li><button class="button quiet" type="submit" name=${name} value=${plainAmount(minor, view)} data-testid="suggested">${translate(locale, 'pages.pay', { amount: formatAmount(minor, view.currency, locale) })}</button></li>`)}</ul>`
  if (email || fields.length > 0)
    return html`<form class="choices" method="post" action=${action}>
      ${enterButton}
      ${tokenField(view)}
      ${emailField(locale, email)}
      ${fieldInputs(locale, fields)}
      ${choice.suggestedMinor.length > 0 ? suggested('suggested') : null}
      ${amountField(view, choice)}
      ${pay}
    </form>`
  return html`<div class="choices">
    ${
      choice.suggestedMinor.length > 0
        ? html`<form method="post" action=${action} aria-label=${translate(locale, 'pages.suggested')}>
            ${tokenField(view)}
            ${suggested('amount')}
          </form>`
        : null
    }
    <form method="post" action=${action}>
      ${tokenField(view)}
      ${amountField(view, choice)}
      ${pay}
    </form>
  </div>`
}

function amountField(view: PayView, { minMinor, maxMinor, stepMinor, suggestedMinor }: AmountChoice): Markup {
  const { locale, currency, typed, problem } = view
  const format = (minor: number) => formatAmount(minor, currency, locale)
  const limits = { min: format(minMinor), max: format(maxMinor), step: format(stepMinor) }
  const isWrong = problem === 'amount'
  return html`<div class="field">
    <label for="amount">${translate(locale, suggestedMinor.length > 0 ? 'pages.otherAmount' : 'pages.amount', { currency })}</label>
    <input id="amount" name="amount" inputmode=${CURRENCIES[currency].isWhole ? 'numeric' : 'decimal'} autocomplete="off" required maxlength="40"
      value=${typed?.amount ?? plainAmount(view.amountMinor, view)} aria-describedby="amount-hint" aria-invalid=${isWrong ? 'true' : undefined} autofocus=${isWrong} data-testid="amount-field" />
    <small id="amount-hint">${translate(locale, stepMinor > smallestStep(currency) ? 'pages.amountLimitsStep' : 'pages.amountLimits', limits)}</small>
  </div>`
}

/** Without separators and signs, as a number field needs it. */
function plainAmount(minor: number, { currency }: Pick<PayView, 'currency'>): string {
  const text = decimalAmount(minor, currency)
  return decimalsToRead(minor, currency).maximumFractionDigits === 0 ? (text.split('.')[0] ?? text) : text
}
