/** The list of the simulated bank's pages. They exist only in the sandbox, whatever their addresses name. */
import type { PageEndpoint } from '../../pages/page-endpoint.ts'
import { bankArrival, bankChoice } from './bank.ts'
import { cardArrival, cardChoice } from './card-saving.ts'

export const SANDBOX_PAGES: readonly PageEndpoint[] = [bankArrival, bankChoice, cardArrival, cardChoice].map(
  ({ handle, ...page }) => ({
    ...page,
    world: 'sandbox',
    handle: async ({ sandbox, clock }, visit) =>
      sandbox ? handle(sandbox, visit, clock.now()) : { kind: 'not_found' },
  }),
)
