/** The page of the simulated bank on which a buyer pays an order, and the choice of an outcome there. */

import type { SandboxFault } from '../../contract/faults.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { cost, FREE } from '../../limits/cost.ts'
import { type PlainKey, say } from '../../messages/say.ts'
import { html, type Markup } from '../../pages/html.ts'
import { type LocaleLinks, renderPage } from '../../pages/page.ts'
import type { Visit } from '../../pages/page-endpoint.ts'
import { ownOrWebAddress } from '../../pages/web-address.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import type { BankEntry, Outcome } from '../bank/order.ts'
import { addressIn, type SandboxPage } from './endpoint.ts'

/** A buyer arrives at the simulated bank with an order in the address. */
export const bankArrival: SandboxPage = {
  method: 'get',
  path: '/sandbox/bank/orders/:customer/:reference',
  stranger: { body: 0, once: FREE, flood: FREE },
  async handle({ bank }, visit, now) {
    const entry = await bank.arrive(addressIn(visit), visit.query.order ?? '', now)
    return { kind: 'page', html: render(visit, entry), status: entry ? 200 : 404 }
  },
}

/** The buyer chooses an outcome. The bank redirects the browser to the order's return address. */
export const bankChoice: SandboxPage = {
  method: 'post',
  path: '/sandbox/bank/orders/:customer/:reference',
  stranger: { body: 4_096, once: cost(2), flood: cost(1) },
  async handle({ bank }, visit, now) {
    const outcome = BANK_OUTCOMES.find((each) => each === visit.form.outcome)
    const at = addressIn(visit)
    if (!outcome) return { kind: 'page', html: render(visit, await bank.find(at, now)), status: 422 }
    const entry = await bank.choose(at, outcome, now)
    return entry
      ? { kind: 'redirect', url: entry.returnUrl }
      : { kind: 'page', html: render(visit, null), status: 404 }
  },
}

const NO_ORDER = {
  customer: '',
  merchantName: '',
  reference: '',
  amountMinor: 0,
  currency: 'AMD',
  twoStep: false,
  fault: undefined,
} as const

function render({ locale, localeLinks }: Visit, entry: BankEntry | null): string {
  const { customer, merchantName, reference, amountMinor, currency, twoStep, fault } = entry ?? NO_ORDER
  const isClosed = entry !== null && (entry.outcome !== null || entry.withdrawn || entry.lapsed)
  const state = !entry ? 'unknown-order' : isClosed ? 'done' : 'open'
  const action = `/sandbox/bank/orders/${encodeURIComponent(customer)}/${encodeURIComponent(reference)}`
  return bankPage({
    locale,
    localeLinks,
    merchantName,
    reference,
    amountMinor,
    currency,
    action,
    state,
    twoStep,
    ...(fault && { fault }),
    ...(entry && { returnUrl: entry.returnUrl }),
  })
}

export type BankView = {
  locale: Locale
  merchantName: string
  /** The bank's number of the order. */
  reference: string
  amountMinor: number
  currency: CurrencyCode
  /** The address to which the chosen outcome is posted. */
  action: string
  state: 'open' | 'done' | 'unknown-order'
  /** Where the bank sends the buyer after the choice. Absent for an unknown order. */
  returnUrl?: string
  /** The bank only authorizes the money. The merchant captures it later. */
  twoStep: boolean
  /** The fault that the payment names. */
  fault?: SandboxFault
  localeLinks?: LocaleLinks
}

/** In the order in which the page shows them. */
const OUTCOMES: Record<Outcome, { label: PlainKey; text: PlainKey }> = {
  paid: { label: 'bank.outcomePaid', text: 'bank.outcomePaidText' },
  declined: { label: 'bank.outcomeDeclined', text: 'bank.outcomeDeclinedText' },
  cancelled: { label: 'bank.outcomeCancelled', text: 'bank.outcomeCancelledText' },
  pending: { label: 'bank.outcomePending', text: 'bank.outcomePendingText' },
  held_then_paid: { label: 'bank.outcomeHeldPaid', text: 'bank.outcomeHeldPaidText' },
  held_then_declined: { label: 'bank.outcomeHeldDeclined', text: 'bank.outcomeHeldDeclinedText' },
  unknown: { label: 'bank.outcomeUnknown', text: 'bank.outcomeUnknownText' },
}

export const BANK_OUTCOMES = Object.keys(OUTCOMES) as Outcome[]

const TITLES: Record<BankView['state'], PlainKey> = {
  open: 'bank.bankTitle',
  done: 'bank.bankDoneTitle',
  'unknown-order': 'bank.bankUnknownTitle',
}

/** The simulated bank: a form whose buttons are the possible choices. It works without a script. */
export function bankPage(view: BankView): string {
  const { locale, state } = view
  const title = say(locale, TITLES[state])
  const body = html`<header class="bank-head">
      <p class="bank-name">${say(locale, 'bank.bankName')}</p>
      <p class="bank-note">${say(locale, 'bank.bankNoMoney')}</p>
    </header>
    <main class="bank-desk" data-state=${state} data-testid="bank">
      ${state === 'unknown-order' ? null : order(view)}
      <h1>${title}</h1>
      ${state === 'open' ? outcomes(view) : closed(view)}
      ${view.fault ? html`<p class="bank-note">${say(locale, 'bank.bankFault', { fault: view.fault })}</p>` : null}
    </main>`
  return renderPage({
    locale,
    mode: 'sandbox',
    look: 'bank',
    title: `${title} · ${say(locale, 'bank.bankName')}`,
    body,
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

function order(view: BankView): Markup {
  const { locale } = view
  return html`<dl class="bank-order">
    <div><dt>${say(locale, 'bank.bankMerchant')}</dt><dd><bdi>${view.merchantName}</bdi></dd></div>
    <div><dt>${say(locale, 'bank.bankAmount')}</dt><dd data-testid="amount">${formatAmount(view.amountMinor, view.currency, locale)}</dd></div>
    <div><dt>${say(locale, 'bank.bankReference')}</dt><dd class="reference">${view.reference}</dd></div>
  </dl>`
}

function outcomes(view: BankView): Markup {
  const action = ownOrWebAddress(view.action)
  // A form without an action would post to the page's own address. So a form with an invalid address is left out.
  if (action === undefined) return null
  return html`<form method="post" action=${action} class="outcomes">
    ${BANK_OUTCOMES.map((outcome) => outcomeRow(view, outcome))}
  </form>`
}

function outcomeRow({ locale, twoStep }: BankView, outcome: Outcome): Markup {
  const { label, text } = OUTCOMES[outcome]
  const id = `outcome-${outcome}`
  const explanation = outcome === 'paid' && twoStep ? 'bank.outcomePaidTwoStepText' : text
  return html`<div class="outcome">
    <button type="submit" name="outcome" value=${outcome} aria-describedby=${id}>${say(locale, label)}</button>
    <p id=${id}>${say(locale, explanation)}</p>
  </div>`
}

function closed({ locale, state, returnUrl }: BankView): Markup {
  return html`<p class="lead">${say(locale, state === 'done' ? 'bank.bankDoneText' : 'bank.bankUnknownText')}</p>
    ${wayBack(locale, returnUrl)}`
}

/** Leads on somebody who has come here by the browser's *back*. */
export function wayBack(locale: Locale, returnUrl: string | undefined): Markup {
  const href = returnUrl && ownOrWebAddress(returnUrl)
  return href ? html`<p><a class="button" href=${href}>${say(locale, 'bank.bankBack')}</a></p>` : null
}
