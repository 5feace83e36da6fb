import type { Mode } from '../../contract/health.ts'
import { html, type Markup } from './html.ts'
import { say } from './messages.ts'
import { type LocaleLinks, renderPage } from './page.ts'
import { qrCode } from './qr-code.ts'
import { amountOf, note, type PaymentFacts, slip } from './slip.ts'
import { type Face, MANUAL, STATUS_FACES } from './status-face.ts'
import { webAddress } from './web-address.ts'

export type LinkView = PaymentFacts & {
  mode: Mode
  /** The page's own address, which its QR code carries. */
  paymentUrl: string
  /** Where the one control leads. */
  checkoutUrl: string
  /** The link's time has passed, although nobody has said so of the payment yet. */
  isOver: boolean
  /** A person confirms the money, so there is nothing to press. */
  isManual: boolean
  returnUrl?: string
  localeLinks?: LocaleLinks
}

/**
 * The page of a payment link. It asks for money only while nobody has begun to pay: from then on it says how the
 * payment stands, and a buyer who was interrupted may go on with the same one.
 */
export function linkPage(view: LinkView): string {
  const face = faceOf(view)
  const { locale, mode, merchantName } = view
  const below = [control(view, face), note(view, face), ways(view, face), code(view, face)]
  return renderPage({
    locale,
    mode,
    title: `${say(locale, face.title)} · ${merchantName}`,
    body: slip(view, face, 'link', below),
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

function faceOf({ status, isOver, isManual }: LinkView): Face {
  const face: Face = STATUS_FACES[status]
  if (face.control === undefined) return face
  if (isOver) return STATUS_FACES.expired
  return isManual ? MANUAL : face
}

/** Open: nobody has been to the provider yet. */
const isOpen = (face: Face) => face.tone === 'open'

function control(view: LinkView, face: Face): Markup {
  const url = webAddress(view.checkoutUrl)
  if (!isOpen(face) || face.control === undefined || url === undefined) return null
  const label = say(view.locale, face.control, { amount: amountOf(view) })
  return html`<a class="button" href=${url} data-testid="pay">${label}</a>`
}

function ways(view: LinkView, face: Face): Markup {
  const { locale } = view
  const back = webAddress(view.returnUrl)
  const onward = isOpen(face) || face.control === undefined ? undefined : webAddress(view.checkoutUrl)
  if (!back && !onward && !face.mayChange) return null
  return html`<div class="ways">
    ${face.mayChange ? html`<a class="button quiet" href="" data-testid="check-again">${say(locale, 'checkAgain')}</a>` : null}
    ${onward && face.control ? html`<a class="way" href=${onward} data-testid="continue">${say(locale, face.control)}</a>` : null}
    ${back ? html`<a class="way" href=${back} data-testid="back">${say(locale, 'backToShop')}</a>` : null}
  </div>`
}

function code({ locale, paymentUrl }: LinkView, face: Face): Markup {
  if (!isOpen(face)) return null
  return html`<figure class="qr" data-testid="qr">
    ${qrCode(paymentUrl, say(locale, 'qrTitle'))}
    <figcaption class="note">${say(locale, 'qrText')}</figcaption>
  </figure>`
}
