import { type MessageKey, translate } from '../../messages/translate.ts'
import { EXAMPLE } from '../checkout/email-field.ts'
import { note, previewOf, slip } from '../checkout/payment-frame.ts'
import { fieldsAlert } from '../checkout/product-fields.ts'
import { CHOOSE, OFFER, OFFER_EACH } from '../checkout/status-content.ts'
import { html } from '../html.ts'
import { renderPage } from '../page.ts'
import { formatAmount } from '../words/locale.ts'
import { earlierNotice } from './earlier-notice.ts'
import { offerForm } from './offer-form.ts'
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
