import type { Mode } from '../../../contract/health.ts'
import type { Ended } from '../../../payments/creation/checkout.ts'
import { html, type Markup } from '../html.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import { qrFigure } from '../qr-code.ts'
import { webAddress } from '../web-address.ts'
import { say } from '../words/messages.ts'
import { type ChoiceControl, choiceForm } from './choice-form.ts'
import { type AskedEmail, emailField } from './email-field.ts'
import { type LookAgain, lookingAgain } from './look-again.ts'
import { closedFace, otherFace, otherPayment, type PaidOtherwise } from './paid-otherwise.ts'
import { amountOf, note, type PaymentFacts, previewOf, slip, wayBack, wayToReceipt } from './slip.ts'
import { type Face, MANUAL, OVER, STATUS_FACES, tryAgainFace } from './status-face.ts'

export type LinkView = Required<Pick<PaymentFacts, 'status'>> &
  PaymentFacts & {
    mode: Mode
    /** The page's own address, for its QR code. */
    paymentUrl: string
    /** The target of the only control. */
    checkoutUrl: string
    /** Present if the buyer chooses the route first. */
    choice?: ChoiceControl
    /** The link's time has passed, although the provider has not closed the payment yet. */
    isOver: boolean
    /** A person confirms the money, so there is no control. */
    isManual: boolean
    /** How the last attempt ended without money. Present if another attempt can be opened. */
    ended?: Ended | null
    /** Why the last attempt was declined, if the provider tells it. */
    declineCategory?: Ended['declineCategory']
    /** Another payment has paid this order, or may have paid it. */
    paidOtherwise?: PaidOtherwise
    /** Present if the page asks for the buyer's e-mail address. */
    email?: AskedEmail | undefined
    lookAgain?: LookAgain
    returnUrl?: string
    localeLinks?: LocaleLinks
  }

/**
 * The page of a payment link. It asks for money only until somebody begins to pay. After that it shows the payment's status,
 * and a buyer who was interrupted can go on with the same payment.
 */
export function linkPage(view: LinkView): string {
  const face = linkFace(view)
  const { locale, mode, merchantName } = view
  const below = [
    otherPayment(view),
    control(view, face),
    note(view, face),
    ways(view, face),
    isOpen(face) ? qrFigure(view.paymentUrl, locale) : null,
  ]
  return renderPage({
    locale,
    mode,
    title: `${say(locale, face.title)} · ${merchantName}`,
    preview: previewOf(view),
    brand: view.brand,
    body: slip(view, face, 'link', below),
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

export function linkFace(
  view: Pick<LinkView, 'status' | 'isOver' | 'isManual' | 'ended' | 'declineCategory' | 'paidOtherwise'>,
): Face {
  const face: Face = STATUS_FACES[view.status]
  if (face.control === undefined) return closedFace(view)
  if (view.isOver) return OVER
  if (view.isManual) return MANUAL
  if (view.paidOtherwise) return otherFace(view.paidOtherwise)
  return view.ended ? tryAgainFace(view.ended) : face
}

/** Open: the buyer has not been sent to the provider yet. */
const isOpen = (face: Face) => face.tone === 'open'

const isTryAgain = (face: Face) => face.control === 'tryAgain'

function control(view: LinkView, face: Face): Markup {
  const url = webAddress(view.checkoutUrl)
  if ((!isOpen(face) && !isTryAgain(face)) || face.control === undefined || url === undefined) return null
  if (view.choice) return choiceForm(view.locale, view.choice, view.email)
  const label = say(view.locale, face.control, { amount: amountOf(view) })
  if (!view.email) return html`<a class="button" href=${url} data-testid="pay">${label}</a>`
  return html`<form method="post" action=${url}>
    ${emailField(view.locale, view.email)}
    <button class="button" type="submit" data-testid="pay">${label}</button>
  </form>`
}

function ways(view: LinkView, face: Face): Markup {
  const { locale } = view
  const isEnd = face.control === undefined && face.mayChange === undefined
  const onward =
    isOpen(face) || isTryAgain(face) || face.control === undefined ? undefined : webAddress(view.checkoutUrl)
  return html`<div class="ways">
    ${face.mayChange && view.lookAgain ? lookingAgain(locale, view.lookAgain) : null}
    ${onward && face.control ? html`<a class="way" href=${onward} data-testid="continue">${say(locale, face.control)}</a>` : null}
    ${wayBack(locale, view.returnUrl, isEnd)}
    ${wayToReceipt(locale, view.receiptAddress)}
  </div>`
}
