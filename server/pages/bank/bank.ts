import type { BankAddress, BankEntry } from '../../providers/sandbox/simulator/order.ts'
import type { PageEndpoint, Visit } from '../page-endpoint.ts'
import { BANK_OUTCOMES, bankPage } from './bank-page.ts'

/** A buyer arrives at the simulated bank with an order in the address. */
export const bankArrival: PageEndpoint = {
  method: 'get',
  path: '/sandbox/bank/orders/:customer/:reference',
  async handle(ctx, visit) {
    const entry = await ctx.bank.arrive(addressIn(visit), visit.query.order ?? '', ctx.clock.now())
    return { kind: 'page', html: render(visit, entry), status: entry ? 200 : 404 }
  },
}

/** The buyer chooses an outcome. The bank redirects the browser to the order's return address. */
export const bankChoice: PageEndpoint = {
  method: 'post',
  path: '/sandbox/bank/orders/:customer/:reference',
  async handle(ctx, visit) {
    const outcome = BANK_OUTCOMES.find((each) => each === visit.form.outcome)
    const at = addressIn(visit)
    const now = ctx.clock.now()
    if (!outcome) return { kind: 'page', html: render(visit, await ctx.bank.find(at, now)), status: 422 }
    const entry = await ctx.bank.choose(at, outcome, now)
    return entry
      ? { kind: 'redirect', url: entry.returnUrl }
      : { kind: 'page', html: render(visit, null), status: 404 }
  },
}

/** Returns the customer and the number of the order or card in a page's address. */
export function addressIn({ params }: Pick<Visit, 'params'>): BankAddress {
  return { customer: params.customer ?? '', reference: params.reference ?? '' }
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
  })
}
