import type { Mode } from '../../contract/health.ts'
import { html } from './html.ts'
import { toneIcon } from './icon.ts'
import type { Locale } from './locale.ts'
import { type MessageKey, say } from './messages.ts'
import { type LocaleLinks, renderPage } from './page.ts'
import type { Tone } from './status-face.ts'
import { webAddress } from './web-address.ts'

export type MessageKind = 'not_found' | 'error' | 'unavailable' | 'undecided'

export type MessageView = {
  locale: Locale
  mode: Mode
  kind: MessageKind
  requestId?: string
  returnUrl?: string
  localeLinks?: LocaleLinks
}

type Notice = { tone: Tone; title: MessageKey; text: MessageKey; mayChange: boolean }

const NOTICES: Record<MessageKind, Notice> = {
  not_found: { tone: 'neutral', title: 'notFoundTitle', text: 'notFoundText', mayChange: false },
  // Not to be asked for again: the request that failed may have been a payment.
  error: { tone: 'bad', title: 'errorTitle', text: 'errorText', mayChange: false },
  unavailable: { tone: 'waiting', title: 'unavailableTitle', text: 'unavailableText', mayChange: true },
  undecided: { tone: 'unsure', title: 'unknownTitle', text: 'unknownText', mayChange: true },
}

/** A page for when there is no payment to show, or no answer about it yet. */
export function messagePage(view: MessageView): string {
  const { locale, mode, kind, requestId } = view
  const notice = NOTICES[kind]
  const back = webAddress(view.returnUrl)
  const title = say(locale, notice.title)
  const body = html`<div class="sheet">
    <main class="slip" data-tone=${notice.tone} data-kind=${kind} data-testid="message">
      <div class="slip-head">
        <span class="disc">${toneIcon(notice.tone)}</span>
        <h1>${title}</h1>
        <p class="lead">${say(locale, notice.text)}</p>
      </div>
      ${requestId ? html`<dl class="facts"><div><dt>${say(locale, 'requestId')}</dt><dd class="reference">${requestId}</dd></div></dl>` : null}
      ${
        notice.mayChange || back
          ? html`<div class="ways">
              ${notice.mayChange ? html`<a class="button quiet" href="" data-testid="check-again">${say(locale, 'checkAgain')}</a>` : null}
              ${back ? html`<a class=${notice.mayChange ? 'way' : 'button'} href=${back} data-testid="back">${say(locale, 'backToShop')}</a>` : null}
            </div>`
          : null
      }
    </main>
  </div>`
  return renderPage({ locale, mode, title, body, ...(view.localeLinks && { localeLinks: view.localeLinks }) })
}
