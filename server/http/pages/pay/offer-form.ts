/** The form of a pay page. Without a script: each suggested amount is a button, and each quantity names its total. */
import type { AmountChoice } from '../../../merchants/product.ts'
import { decimalAmount, decimalsToRead } from '../../../payments/money.ts'
import { amountOf } from '../checkout/slip.ts'
import { html, type Markup } from '../html.ts'
import { ownOrWebAddress } from '../web-address.ts'
import { formatAmount } from '../words/locale.ts'
import { say } from '../words/messages.ts'
import type { PayView } from './pay-view.ts'

export function offerForm(view: PayView): Markup {
  const action = ownOrWebAddress(view.action)
  if (action === undefined) return null
  if (view.choice) return amountForms(view, view.choice, action)
  const { locale, maxQuantity = 1 } = view
  const label = maxQuantity > 1 ? say(locale, 'goOnToPay') : say(locale, 'pay', { amount: amountOf(view) })
  return html`<form method="post" action=${action}>
    ${tokenField(view)}
    ${maxQuantity > 1 ? quantityField(view, maxQuantity) : null}
    <button class="button" type="submit" data-testid="pay">${label}</button>
  </form>`
}

/** `again`: the form stands below the notice of an earlier payment, so its buyer wants one more. */
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
    <label for="quantity">${say(locale, 'quantity')}</label>
    <select id="quantity" name="quantity" data-testid="quantity">${options}</select>
  </div>`
}

/** Two forms, so that Enter in the field never sends a suggested amount. */
function amountForms(view: PayView, choice: AmountChoice, action: string): Markup {
  const { locale, currency, typed, problem } = view
  const format = (minor: number) => formatAmount(minor, currency, locale)
  const { minMinor, maxMinor, stepMinor, suggestedMinor } = choice
  const limits = { min: format(minMinor), max: format(maxMinor), step: format(stepMinor) }
  const isWrong = problem === 'amount'
  return html`<div class="choices">
    ${
      suggestedMinor.length > 0
        ? html`<form method="post" action=${action} aria-label=${say(locale, 'suggested')}>
            ${tokenField(view)}
            <ul>${suggestedMinor.map((minor) => html`<li><button class="button quiet" type="submit" name="amount" value=${plainAmount(minor, view)} data-testid="suggested">${say(locale, 'pay', { amount: format(minor) })}</button></li>`)}</ul>
          </form>`
        : null
    }
    <form method="post" action=${action}>
      ${tokenField(view)}
      <div class="field">
        <label for="amount">${say(locale, suggestedMinor.length > 0 ? 'otherAmount' : 'amount', { currency })}</label>
        <input id="amount" name="amount" inputmode=${currency === 'AMD' ? 'numeric' : 'decimal'} autocomplete="off" required maxlength="40"
          value=${typed?.amount ?? plainAmount(view.amountMinor, view)} aria-describedby="amount-hint" aria-invalid=${isWrong ? 'true' : undefined} autofocus=${isWrong} data-testid="amount-field" />
        <small id="amount-hint">${say(locale, stepMinor > smallest(view) ? 'amountLimitsStep' : 'amountLimits', limits)}</small>
      </div>
      <button class="button" type="submit" data-testid="pay">${say(locale, 'payChosen')}</button>
    </form>
  </div>`
}

const smallest = ({ currency }: PayView) => (currency === 'AMD' ? 100 : 1)

/** Without groups and signs, as a field holds it. */
function plainAmount(minor: number, { currency }: Pick<PayView, 'currency'>): string {
  const { maximumFractionDigits } = decimalsToRead(minor, currency)
  return maximumFractionDigits === 0 ? String(minor / 100) : decimalAmount(minor, currency)
}
