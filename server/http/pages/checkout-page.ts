import type { Mode } from '../../contract/health.ts'
import { html, type Markup } from './html.ts'
import { type MessageKey, say } from './messages.ts'
import { type LocaleLinks, renderPage } from './page.ts'
import { amountOf, note, type PaymentFacts, slip } from './slip.ts'
import { type Face, MANUAL, PROCESSING, STATUS_FACES } from './status-face.ts'
import { ownOrWebAddress, webAddress } from './web-address.ts'

/** How the buyer gets to the provider. `none`: there is nothing to press (the manual route, or a closed payment). */
export type CheckoutControl =
  | { kind: 'link'; url: string }
  | { kind: 'form'; action: string; fields: Record<string, string> }
  | { kind: 'none' }

export type CheckoutView = PaymentFacts & {
  mode: Mode
  control: CheckoutControl
  /** Set for a route where a person confirms the money; an open payment without a control implies it. */
  isManual?: boolean
  returnUrl?: string
  localeLinks?: LocaleLinks
}

/** The hosted checkout: one page for every state of a payment, with at most one control that takes the buyer on. */
export function checkoutPage(view: CheckoutView): string {
  const face = faceOf(view)
  const { locale, mode, merchantName } = view
  const below = [control(view, face), note(view, face), wayBack(view, face)]
  return renderPage({
    locale,
    mode,
    title: `${say(locale, face.title)} · ${merchantName}`,
    body: slip(view, face, 'checkout', below),
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

function faceOf(view: CheckoutView): Face {
  const face: Face = STATUS_FACES[view.status]
  if (face.control === undefined || safeControl(view.control) !== null) return face
  return view.status === 'pending_payment' && !view.isManual ? PROCESSING : MANUAL
}

/** The control with an address that may be followed, or null where there is none. */
function safeControl(control: CheckoutControl): CheckoutControl | null {
  if (control.kind === 'none') return null
  if (control.kind === 'link') {
    const url = ownOrWebAddress(control.url)
    return url === undefined ? null : { kind: 'link', url }
  }
  const action = ownOrWebAddress(control.action)
  return action === undefined ? null : { ...control, action }
}

function control(view: CheckoutView, face: Face): Markup {
  const safe = face.control === undefined ? null : safeControl(view.control)
  if (safe === null || safe.kind === 'none') return null
  const label = say(view.locale, face.control as MessageKey, { amount: amountOf(view) })
  if (safe.kind === 'link') return html`<a class="button" href=${safe.url} data-testid="pay">${label}</a>`
  return html`<form method="post" action=${safe.action}>
    ${Object.entries(safe.fields).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    <button class="button" type="submit" data-testid="pay">${label}</button>
  </form>`
}

/** Going back has no effect on the payment, so it is offered in every state; it leads where nothing else does. */
function wayBack(view: CheckoutView, face: Face): Markup {
  const back = webAddress(view.returnUrl)
  if (back === undefined && face.mayChange === undefined) return null
  const isMain = face.control === undefined && face.mayChange === undefined
  return html`<div class="ways">
    ${face.mayChange ? html`<a class="button quiet" href="" data-testid="check-again">${say(view.locale, 'checkAgain')}</a>` : null}
    ${back ? html`<a class=${isMain ? 'button' : 'way'} href=${back} data-testid="back">${say(view.locale, 'backToShop')}</a>` : null}
  </div>`
}
