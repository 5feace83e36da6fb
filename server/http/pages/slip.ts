/** The slip: the frame that the checkout and a link's page share. Who is paid, how it stands, how much, and what for. */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import { html, type Markup } from './html.ts'
import { toneIcon } from './icon.ts'
import { formatAmount, formatMoment, type Locale } from './locale.ts'
import { say } from './messages.ts'
import type { Face } from './status-face.ts'

/** What every page of a payment says of it. */
export type PaymentFacts = {
  locale: Locale
  merchantName: string
  merchantOrderId: string
  description?: string
  amountMinor: number
  currency: CurrencyCode
  status: PaymentStatus
  /** ISO 8601. Shown while the payment can still be made. */
  expiresAt?: string
}

const FACT_LINE_CHARS = 30
/** References are set in a wider face, and break within a word. */
const REFERENCE_LINE_CHARS = 22
const AMOUNT_LINE_CHARS = 12

/** `below` follows the amount and the facts. */
export function slip(facts: PaymentFacts, face: Face, testId: string, below: Markup[]): Markup {
  const { locale, merchantName } = facts
  const amount = amountOf(facts)
  return html`<div class="sheet">
    <header class="shop">
      <span class="shop-mark" aria-hidden="true">${[...merchantName.trim()][0] ?? ''}</span>
      <p><span class="label">${say(locale, 'merchant')}</span> <bdi class="shop-name">${merchantName}</bdi></p>
    </header>
    <main class="slip" data-tone=${face.tone} data-status=${facts.status} data-testid=${testId}>
      <div class="slip-head">
        <span class="disc">${toneIcon(face.tone)}</span>
        <h1>${say(locale, face.title)}</h1>
        <p class=${amount.length > AMOUNT_LINE_CHARS ? 'amount long' : 'amount'} data-testid="amount">${amount}</p>
        ${face.tone === 'open' ? null : html`<p class="lead">${say(locale, face.text)}</p>`}
      </div>
      ${factList(facts, face)}
      ${below}
    </main>
  </div>`
}

/** What an open payment says under its control, where other states say theirs above. */
export function note(facts: PaymentFacts, face: Face): Markup {
  return face.tone === 'open' ? html`<p class="note">${say(facts.locale, face.text)}</p>` : null
}

export function amountOf({ amountMinor, currency, locale }: PaymentFacts): string {
  return formatAmount(amountMinor, currency, locale)
}

function factList({ locale, expiresAt, description, merchantOrderId }: PaymentFacts, face: Face): Markup {
  const moment =
    face.control === undefined || expiresAt === undefined ? undefined : formatMoment(expiresAt, locale)
  return html`<dl class="facts">
    ${description ? fact(say(locale, 'purpose'), description) : null}
    ${fact(say(locale, 'order'), merchantOrderId, 'reference')}
    ${moment ? fact(say(locale, 'payBefore'), moment) : null}
  </dl>`
}

/** Long text gets a line of its own under its label; `bdi` keeps its direction from reordering the page. */
function fact(label: string, text: string, kind?: 'reference'): Markup {
  const isLong = text.length > (kind === 'reference' ? REFERENCE_LINE_CHARS : FACT_LINE_CHARS)
  return html`<div class=${isLong ? 'long' : undefined}>
    <dt>${label}</dt>
    <dd class=${kind} data-testid=${kind}><bdi>${text}</bdi></dd>
  </div>`
}
