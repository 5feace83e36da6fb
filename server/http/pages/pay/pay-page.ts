import type { Mode } from '../../../contract/health.ts'
import { amountOf, note, type PaymentFacts, previewOf, slip } from '../checkout/slip.ts'
import { OFFER } from '../checkout/status-face.ts'
import { html, type Markup } from '../html.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import { ownOrWebAddress } from '../web-address.ts'
import { type MessageKey, say } from '../words/messages.ts'

/** Why the form that was sent is not taken, and the buyer is asked once more. */
export type PayProblem = 'foreign' | 'stale' | 'changed'

export type PayView = PaymentFacts & {
  mode: Mode
  /** Where the form is posted to. */
  action: string
  token: string
  problem?: PayProblem
  localeLinks?: LocaleLinks
}

const PROBLEMS: Record<PayProblem, MessageKey> = {
  foreign: 'confirmHere',
  stale: 'confirmAgain',
  changed: 'priceChanged',
}

/** A product's own page, for buyers without a script: what it is, what it costs, and one button. */
export function payPage(view: PayView): string {
  const { locale, mode, merchantName, problem } = view
  const below = [
    problem ? html`<p class="alert" role="alert">${say(locale, PROBLEMS[problem])}</p>` : null,
    form(view),
    note(view, OFFER),
  ]
  return renderPage({
    locale,
    mode,
    namesItsOrigin: true,
    title: `${view.description} · ${merchantName}`,
    preview: previewOf(view),
    brand: view.brand,
    body: slip(view, OFFER, 'offer', below),
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

function form(view: PayView): Markup {
  const action = ownOrWebAddress(view.action)
  if (action === undefined) return null
  return html`<form method="post" action=${action}>
    <input type="hidden" name="token" value=${view.token} />
    <button class="button" type="submit" data-testid="pay">${say(view.locale, 'pay', { amount: amountOf(view) })}</button>
  </form>`
}
