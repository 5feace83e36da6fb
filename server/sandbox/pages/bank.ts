/** The page of the simulated bank on which a buyer pays an order, and the choice of an outcome there. */

import type { SandboxFault } from '../../contract/faults.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { cost, FREE } from '../../limits/cost.ts'
import { type PlainKey, translate } from '../../messages/translate.ts'
import { html } from '../../pages/html.ts'
import type { LocaleLinks } from '../../pages/page.ts'
import type { Visit } from '../../pages/page-endpoint.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import type { BankEntry, Outcome } from '../bank/order.ts'
import { addressIn, type SandboxPage } from './endpoint.ts'
import { bankChoices, bankFacts, bankFrame, type Choice, wayBack } from './frame.ts'

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
const OUTCOMES: Record<Outcome, Choice> = {
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
  const { locale, state, merchantName, amountMinor, currency, reference, action, returnUrl, fault } = view
  const amount = formatAmount(amountMinor, currency, locale)
  const content =
    state === 'open'
      ? bankChoices(locale, action, choicesOf(view))
      : html`<p class="lead">${translate(locale, state === 'done' ? 'bank.bankDoneText' : 'bank.bankUnknownText')}</p>
        ${wayBack(locale, returnUrl)}`
  return bankFrame({
    ...view,
    title: translate(locale, TITLES[state]),
    testId: 'bank',
    facts: state === 'unknown-order' ? null : bankFacts(locale, { merchantName, amount, reference }),
    content: html`${content}
      ${fault ? html`<p class="bank-note">${translate(locale, 'bank.bankFault', { fault })}</p>` : null}`,
  })
}

const choicesOf = ({ twoStep }: BankView): Record<Outcome, Choice> =>
  twoStep ? { ...OUTCOMES, paid: { ...OUTCOMES.paid, text: 'bank.outcomePaidTwoStepText' } } : OUTCOMES
