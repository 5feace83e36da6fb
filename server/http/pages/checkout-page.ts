import type { CurrencyCode } from '../../contract/fields.ts'
import type { Mode } from '../../contract/health.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import { html, type Markup } from './html.ts'
import { toneIcon } from './icon.ts'
import { formatAmount, formatMoment, type Locale } from './locale.ts'
import { type MessageKey, say } from './messages.ts'
import { type LocaleLinks, renderPage } from './page.ts'
import { type Face, MANUAL, PROCESSING, STATUS_FACES } from './status-face.ts'
import { ownOrWebAddress, webAddress } from './web-address.ts'

/** How the buyer gets to the provider. `none`: there is nothing to press (the manual route, or a closed payment). */
export type CheckoutControl =
  | { kind: 'link'; url: string }
  | { kind: 'form'; action: string; fields: Record<string, string> }
  | { kind: 'none' }

export type CheckoutView = {
  locale: Locale
  mode: Mode
  merchantName: string
  merchantOrderId: string
  description?: string
  amountMinor: number
  currency: CurrencyCode
  status: PaymentStatus
  control: CheckoutControl
  /** Set for a route where a person confirms the money; an open payment without a control implies it. */
  isManual?: boolean
  returnUrl?: string
  /** ISO 8601. Shown while the payment can still be made. */
  expiresAt?: string
  localeLinks?: LocaleLinks
}

const FACT_LINE_CHARS = 30
const AMOUNT_LINE_CHARS = 12

/** The hosted checkout: one page for every state of a payment, with at most one control that takes the buyer on. */
export function checkoutPage(view: CheckoutView): string {
  const face = faceOf(view)
  const { locale, mode, merchantName } = view
  const title = say(locale, face.title)
  const amount = amountOf(view)
  const body = html`<div class="sheet">
    <header class="shop">
      <span class="shop-mark" aria-hidden="true">${[...merchantName.trim()][0] ?? ''}</span>
      <p><span class="label">${say(locale, 'merchant')}</span> <bdi class="shop-name">${merchantName}</bdi></p>
    </header>
    <main class="slip" data-tone=${face.tone} data-status=${view.status} data-testid="checkout">
      <div class="slip-head">
        <span class="disc">${toneIcon(face.tone)}</span>
        <h1>${title}</h1>
        <p class=${amount.length > AMOUNT_LINE_CHARS ? 'amount long' : 'amount'} data-testid="amount">${amount}</p>
        ${face.tone === 'open' ? null : html`<p class="lead">${say(locale, face.text)}</p>`}
      </div>
      ${details(view, face)}
      ${control(view, face)}
      ${face.tone === 'open' ? html`<p class="note">${say(locale, face.text)}</p>` : null}
      ${wayBack(view, face)}
    </main>
  </div>`
  return renderPage({
    locale,
    mode,
    title: `${title} · ${merchantName}`,
    body,
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

function details(view: CheckoutView, face: Face): Markup {
  const { locale, expiresAt, description } = view
  const moment =
    face.control === undefined || expiresAt === undefined ? undefined : formatMoment(expiresAt, locale)
  return html`<dl class="facts">
    ${description ? fact(say(locale, 'purpose'), description) : null}
    ${fact(say(locale, 'order'), view.merchantOrderId, 'reference')}
    ${moment ? fact(say(locale, 'payBefore'), moment) : null}
  </dl>`
}

/** Long text gets a line of its own under its label; `bdi` keeps its direction from reordering the page. */
function fact(label: string, text: string, kind?: 'reference'): Markup {
  const isLong = text.length > FACT_LINE_CHARS
  return html`<div class=${isLong ? 'long' : undefined}>
    <dt>${label}</dt>
    <dd class=${kind} data-testid=${kind}><bdi>${text}</bdi></dd>
  </div>`
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

function amountOf(view: CheckoutView): string {
  return formatAmount(view.amountMinor, view.currency, view.locale)
}
