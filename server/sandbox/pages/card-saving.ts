/** The page of the simulated bank on which a buyer saves a card, and the choice of a card there. */

import { cost } from '../../limits/cost.ts'
import { type PlainKey, translate } from '../../messages/translate.ts'
import { html } from '../../pages/html.ts'
import type { LocaleLinks } from '../../pages/page.ts'
import type { Shown, Visit } from '../../pages/page-endpoint.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { CardOutcome } from '../bank/cards.ts'
import type { Sandbox } from '../sandbox.ts'
import { addressIn, type SandboxPage } from './endpoint.ts'
import { bankChoices, bankFacts, bankFrame, type Choice, wayBack } from './frame.ts'

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

/** In the order in which the page shows them. */
const OUTCOMES: Record<CardOutcome, Choice> = {
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
export function cardSavingPage(view: CardSavingView): string {
  const { locale, merchantName, reference, state, action, returnUrl } = view
  const { title, text } = STATE_CONTENT[state]
  const content = text
    ? html`<p class="lead">${translate(locale, text)}</p>`
    : bankChoices(locale, action, choicesOf(state))
  return bankFrame({
    ...view,
    title: translate(locale, title),
    testId: 'card-saving',
    facts: state === 'unknown' ? null : bankFacts(locale, { merchantName, reference }),
    content: html`${content}
      ${state === 'open' ? null : wayBack(locale, returnUrl)}`,
  })
}

const choicesOf = (state: CardSavingView['state']): Record<string, Choice> =>
  state === 'saved' ? { [REMOVED]: { label: 'bank.cardRemoved', text: 'bank.cardRemovedText' } } : OUTCOMES
