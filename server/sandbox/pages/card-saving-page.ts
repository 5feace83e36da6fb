import { html, type Markup } from '../../pages/html.ts'
import { type LocaleLinks, renderPage } from '../../pages/page.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { type MessageKey, say } from '../../pages/words/messages.ts'
import type { CardOutcome } from '../bank/cards.ts'

export type CardSavingView = {
  locale: Locale
  merchantName: string
  /** The bank's number of the card. */
  reference: string
  /** `saved`: the buyer can remove the card again. */
  state: 'open' | 'saved' | 'done' | 'unknown'
  /** The address to which the chosen outcome is posted. */
  action: string
  localeLinks?: LocaleLinks
}

type Row = { label: MessageKey; text: MessageKey }

/** In the order in which the page shows them. */
const OUTCOMES: Record<CardOutcome, Row> = {
  saved: { label: 'cardSaved', text: 'cardSavedText' },
  saved_then_declines: { label: 'cardDeclines', text: 'cardDeclinesText' },
  saved_then_hard_declines: { label: 'cardHardDeclines', text: 'cardHardDeclinesText' },
  cancelled: { label: 'cardCancelled', text: 'cardCancelledText' },
}

export const CARD_SAVING_OUTCOMES = Object.keys(OUTCOMES) as CardOutcome[]
/** The value that the form of a saved card sends. */
export const REMOVED = 'removed'

const STATE_CONTENT: Record<CardSavingView['state'], { title: MessageKey; text: MessageKey | null }> = {
  open: { title: 'cardTitle', text: null },
  saved: { title: 'cardKeptTitle', text: null },
  done: { title: 'cardDoneTitle', text: 'cardDoneText' },
  unknown: { title: 'cardUnknownTitle', text: 'bankUnknownText' },
}

/**
 * The page where the simulated bank's buyers save a card: a form whose buttons are the kinds of card. It works without a
 * script.
 */
export function cardSavingPage({
  locale,
  merchantName,
  reference,
  state,
  action,
  localeLinks,
}: CardSavingView): string {
  const { title: key, text } = STATE_CONTENT[state]
  const title = say(locale, key)
  const body = html`<header class="bank-head">
      <p class="bank-name">${say(locale, 'bankName')}</p>
      <p class="bank-note">${say(locale, 'bankNoMoney')}</p>
    </header>
    <main class="bank-desk" data-state=${state} data-testid="card-saving">
      ${state === 'unknown' ? null : facts(locale, merchantName, reference)}
      <h1>${title}</h1>
      ${text ? html`<p class="lead">${say(locale, text)}</p>` : outcomes(locale, action, rowsOf(state))}
    </main>`
  return renderPage({
    locale,
    mode: 'sandbox',
    look: 'bank',
    title: `${title} · ${say(locale, 'bankName')}`,
    body,
    ...(localeLinks && { localeLinks }),
  })
}

function facts(locale: Locale, merchantName: string, reference: string): Markup {
  return html`<dl class="bank-order">
    <div><dt>${say(locale, 'bankMerchant')}</dt><dd><bdi>${merchantName}</bdi></dd></div>
    <div><dt>${say(locale, 'bankReference')}</dt><dd class="reference">${reference}</dd></div>
  </dl>`
}

function rowsOf(state: CardSavingView['state']): Record<string, Row> {
  return state === 'saved' ? { [REMOVED]: { label: 'cardRemoved', text: 'cardRemovedText' } } : OUTCOMES
}

function outcomes(locale: Locale, action: string, rows: Record<string, Row>): Markup {
  return html`<form method="post" action=${action} class="outcomes">
    ${Object.entries(rows).map(([outcome, row]) => outcomeRow(locale, outcome, row))}
  </form>`
}

function outcomeRow(locale: Locale, outcome: string, { label, text }: Row): Markup {
  const id = `outcome-${outcome}`
  return html`<div class="outcome">
    <button type="submit" name="outcome" value=${outcome} aria-describedby=${id}>${say(locale, label)}</button>
    <p id=${id}>${say(locale, text)}</p>
  </div>`
}
