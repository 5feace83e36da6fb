/**
 * The return address that is set up at a provider and is the same for every buyer. It finds the payment by the cookie of the buyer's
 * browser only: whoever could name an order here would find the page of somebody else's payment.
 */
import { FREE } from '../../limits/cost.ts'
import { PAYING, PAYMENT_ID } from '../buyer-cookies.ts'
import type { PageEndpoint } from '../page-endpoint.ts'

const PATH = '/returns/:accountId'

export const fixedReturn: PageEndpoint = {
  method: 'get',
  path: PATH,
  stranger: { body: 0, once: FREE, flood: FREE },
  // The same as for the return of a payment.
  limited: 'return',
  async handle(_ctx, { cookies, chosenLocale }) {
    const paymentId = cookies[PAYING] ?? ''
    if (!PAYMENT_ID.test(paymentId)) return { kind: 'not_found' }
    return { kind: 'redirect', url: `/checkout/${paymentId}/return${chosenLocale}` }
  },
}

/** Some providers post. Browsers send no cookie of ours with a form of another site, but they do with the address that follows. */
export const fixedReturnForm: PageEndpoint = {
  ...fixedReturn,
  method: 'post',
  stranger: { body: 4_096, once: FREE, flood: FREE },
  handle: async (_ctx, { path }) => ({ kind: 'redirect', url: path }),
}
