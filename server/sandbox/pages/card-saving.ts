/** The page of the simulated bank on which a buyer saves a card, and the choice of a card there. */

import { cost } from '../../limits/cost.ts'
import { type PlainKey, say } from '../../messages/say.ts'
import { html, type Markup } from '../../pages/html.ts'
import { type LocaleLinks, renderPage } from '../../pages/page.ts'
import type { Shown, Visit } from '../../pages/page-endpoint.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { CardOutcome } from '../bank/cards.ts'
import type { Sandbox } from '../sandbox.ts'
import { wayBack } from './bank.ts'
import { addressIn, type SandboxPage } from './endpoint.ts'

/** A buyer arrives at the simulated bank to save a card. */
export const cardArrival: SandboxPage = {
  method: 'get',
  path: '/sandbox/bank/cards/:customer/:reference',
  stranger: { body: 0, once: cost(2), flood: cost(1) },
  handle: (sandbox, visit, now) => show(sandbox, visit, now),
}

/** The buyer chooses a kind of card. The bank redirects the browser to the return address. */
export const cardChoice: SandboxPage = {
  method: 'post',
  path: '/sandbox/bank/cards/:customer/:reference',
  stranger: { body: 4_096, once: cost(2), flood: cost(1) },
  async handle(sandbox, visit, now) {
    const { cards } = sandbox
    if (visit.form.outcome === REMOVED) {
      await cards.giveUp(addressIn(visit), now)
      return show(sandbox, visit, now)
    }
    const outcome = CARD_SAVING_OUTCOMES.find((each) => each === visit.form.outcome)
    if (!outcome) return show(sandbox, visit, now, 422)
    const card = await cards.choose(addressIn(visit), outcome, now)
    return card ? { kind: 'redirect', url: card.returnUrl } : show(sandbox, visit, now)
  },
}

async function show(
  { cards }: Sandbox,
  { locale, localeLinks, params }: Visit,
  now: Date,
  status = 200,
): Promise<Shown> {
  const at = addressIn({ params })
  const { reference } = at
  const card = await cards.find(at)
  const merchantName = card?.merchantName ?? ''
  const state = card ? cards.stateOf(card, now) : 'unknown'
  const html = cardSavingPage({
    locale,
    localeLinks,
    merchantName,
    reference,
    state: state === 'open' || state === 'saved' || state === 'unknown' ? state : 'done',
    action: `/sandbox/bank/cards/${encodeURIComponent(at.customer)}/${encodeURIComponent(reference)}`,
    ...(card && { returnUrl: card.returnUrl }),
  })
  return { kind: 'page', html, status: card ? status : 404 }
}

export type CardSavingView = {
  locale: Locale
  merchantName: string
  /** The bank's number of the card. */
  reference: string
  /** `saved`: the buyer can remove the card again. */
  state: 'open' | 'saved' | 'done' | 'unknown'
  /** The address to which the chosen outcome is posted. */
  action: string
  /** Where the bank sends the buyer after the choice. Absent for an unknown card. */
  returnUrl?: string
  localeLinks?: LocaleLinks
}

type Row = { label: PlainKey; text: PlainKey }

/** In the order in which the page shows them. */
const OUTCOMES: Record<CardOutcome, Row> = {
  saved: { label: 'bank.cardSaved', text: 'bank.cardSavedText' },
  saved_then_declines: { label: 'bank.cardDeclines', text: 'bank.cardDeclinesText' },
  saved_then_hard_declines: { label: 'bank.cardHardDeclines', text: 'bank.cardHardDeclinesText' },
  cancelled: { label: 'bank.cardCancelled', text: 'bank.cardCancelledText' },
}

export const CARD_SAVING_OUTCOMES = Object.keys(OUTCOMES) as CardOutcome[]
/** The value that the form of a saved card sends. */
const REMOVED = 'removed'

const STATE_CONTENT: Record<CardSavingView['state'], { title: PlainKey; text: PlainKey | null }> = {
  open: { title: 'bank.cardTitle', text: null },
  saved: { title: 'bank.cardKeptTitle', text: null },
  done: { title: 'bank.cardDoneTitle', text: 'bank.cardDoneText' },
  unknown: { title: 'bank.cardUnknownTitle', text: 'bank.bankUnknownText' },
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
  returnUrl,
  localeLinks,
}: CardSavingView): string {
  const { title: key, text } = STATE_CONTENT[state]
  const title = say(locale, key)
  const body = html`<header class="bank-head">
      <p class="bank-name">${say(locale, 'bank.bankName')}</p>
      <p class="bank-note">${say(locale, 'bank.bankNoMoney')}</p>
    </header>
    <main class="bank-desk" data-state=${state} data-testid="card-saving">
      ${state === 'unknown' ? null : facts(locale, merchantName, reference)}
      <h1>${title}</h1>
      ${text ? html`<p class="lead">${say(locale, text)}</p>` : outcomes(locale, action, rowsOf(state))}
      ${state === 'open' ? null : wayBack(locale, returnUrl)}
    </main>`
  return renderPage({
    locale,
    mode: 'sandbox',
    look: 'bank',
    title: `${title} · ${say(locale, 'bank.bankName')}`,
    body,
    ...(localeLinks && { localeLinks }),
  })
}

function facts(locale: Locale, merchantName: string, reference: string): Markup {
  return html`<dl class="bank-order">
    <div><dt>${say(locale, 'bank.bankMerchant')}</dt><dd><bdi>${merchantName}</bdi></dd></div>
    <div><dt>${say(locale, 'bank.bankReference')}</dt><dd class="reference">${reference}</dd></div>
  </dl>`
}

function rowsOf(state: CardSavingView['state']): Record<string, Row> {
  return state === 'saved'
    ? { [REMOVED]: { label: 'bank.cardRemoved', text: 'bank.cardRemovedText' } }
    : OUTCOMES
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
