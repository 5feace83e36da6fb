import { cost, FREE } from '../../limits/cost.ts'
import type { Visit } from '../../pages/page-endpoint.ts'
import type { BankEntry } from '../bank/order.ts'
import { BANK_OUTCOMES, bankPage } from './bank-page.ts'
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
