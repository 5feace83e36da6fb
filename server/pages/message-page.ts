import type { Mode } from '../contract/health.ts'
import { type PlainKey, translate } from '../messages/translate.ts'
import type { Brand } from './brand/brand.ts'
import { shopContact, shopHead } from './brand/marks.ts'
import { wayBack } from './checkout/payment-frame.ts'
import type { Tone } from './checkout/status-content.ts'
import { html, type Markup } from './html.ts'
import { toneIcon } from './icon.ts'
import { type LocaleLinks, renderPage } from './page.ts'
import { ownOrWebAddress } from './web-address.ts'
import type { Locale } from './words/locale.ts'

export type MessageKind =
  | (
      | 'no_page'
      | 'not_found'
      | 'not_offered'
      | 'no_address'
      | 'return_refused'
      | 'too_long'
      | 'headers_too_large'
      | 'busy'
      | 'https_required'
      | 'error'
      | 'unavailable'
    )
  | ('token_pending' | 'token_active' | 'token_none' | 'token_revoked')

export type MessageView = {
  locale: Locale
  mode: Mode
  kind: MessageKind
  requestId?: string
  /** The merchant that the message is about, if there is one. */
  brand?: Brand
  /** The target of *Back to the shop*, if the shop is known. */
  backUrl?: string
  /** The page of the payment that the message is about. */
  paymentUrl?: string
  /** The same page over https. */
  secureUrl?: string
  localeLinks?: LocaleLinks
}

type Notice = { tone: Tone; title: PlainKey; text: PlainKey; mayChange?: true }

const NOTICES: Record<MessageKind, Notice> = {
  no_page: { tone: 'neutral', title: 'pages.noPageTitle', text: 'pages.noPageText' },
  not_found: { tone: 'neutral', title: 'pages.notFoundTitle', text: 'pages.notFoundText' },
  not_offered: { tone: 'neutral', title: 'pages.notOfferedTitle', text: 'pages.notOfferedText' },
  no_address: { tone: 'neutral', title: 'pages.noAddressTitle', text: 'pages.noAddressText' },
  return_refused: { tone: 'bad', title: 'pages.returnRefusedTitle', text: 'pages.returnRefusedText' },
  too_long: { tone: 'bad', title: 'pages.tooLongTitle', text: 'pages.tooLongText' },
  headers_too_large: { tone: 'bad', title: 'pages.cookiesTitle', text: 'pages.cookiesText', mayChange: true },
  busy: { tone: 'waiting', title: 'pages.busyTitle', text: 'pages.busyText', mayChange: true },
  https_required: { tone: 'bad', title: 'pages.httpsTitle', text: 'pages.httpsText' },
  // The browser must not repeat this request, because the request that failed may have been a payment.
  error: { tone: 'bad', title: 'pages.errorTitle', text: 'pages.errorText' },
  unavailable: {
    tone: 'waiting',
    title: 'pages.unavailableTitle',
    text: 'pages.unavailableText',
    mayChange: true,
  },
  token_pending: {
    tone: 'waiting',
    title: 'pages.tokenPendingTitle',
    text: 'pages.tokenPendingText',
    mayChange: true,
  },
  token_active: { tone: 'good', title: 'pages.tokenActiveTitle', text: 'pages.tokenActiveText' },
  token_none: { tone: 'neutral', title: 'pages.tokenNoneTitle', text: 'pages.tokenNoneText' },
  token_revoked: { tone: 'neutral', title: 'pages.tokenRevokedTitle', text: 'pages.tokenRevokedText' },
}

export const MESSAGE_KINDS = Object.keys(NOTICES) as MessageKind[]

/** A page without a payment. */
export function messagePage(view: MessageView): string {
  const { locale, mode, kind, requestId, brand, backUrl, paymentUrl, secureUrl } = view
  const notice = NOTICES[kind]
  const title = translate(locale, notice.title)
  const body = html`<div class="sheet">
    ${brand ? shopHead(brand) : null}
    <main class="slip" data-tone=${notice.tone} data-kind=${kind} data-testid="message">
      ${noticeHead(notice.tone, title, translate(locale, notice.text))}
      ${requestId ? html`<dl class="facts"><div class="long"><dt>${translate(locale, 'pages.requestId')}</dt><dd class="reference">${requestId}</dd></div></dl>` : null}
      ${ways(locale, { mayChange: notice.mayChange, backUrl, paymentUrl, secureUrl })}
    </main>
    ${shopContact(locale, brand)}
  </div>`
  return renderPage({
    locale,
    mode,
    title: brand ? `${title} · ${brand.name}` : title,
    body,
    brand,
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

function ways(
  locale: Locale,
  {
    mayChange,
    backUrl,
    paymentUrl,
    secureUrl,
  }: { mayChange: true | undefined } & Record<'backUrl' | 'paymentUrl' | 'secureUrl', string | undefined>,
): Markup {
  const secure = secureUrl && ownOrWebAddress(secureUrl)
  if (secure)
    return html`<div class="ways"><a class="button" href=${secure} data-testid="secure">${translate(locale, 'pages.httpsWay')}</a></div>`
  const payment = paymentUrl && ownOrWebAddress(paymentUrl)
  const back = wayBack(locale, backUrl, !mayChange && !payment)
  if (!mayChange && !payment && !back) return null
  return html`<div class="ways">
    ${mayChange ? html`<a class="button quiet" href="" data-testid="check-again">${translate(locale, 'pages.checkAgain')}</a>` : null}
    ${payment ? html`<a class=${mayChange ? 'way' : 'button'} href=${payment} data-testid="payment">${translate(locale, 'mails.way')}</a>` : null}
    ${back}
  </div>`
}

/** The text of a page that shows only a message. */
export function noticeHead(tone: Tone, title: string, text: string): Markup {
  return html`<div class="slip-head">
    <span class="disc">${toneIcon(tone)}</span>
    <h1>${title}</h1>
    <p class="lead">${text}</p>
  </div>`
}
