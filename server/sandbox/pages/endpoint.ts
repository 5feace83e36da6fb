/** What a page of the simulated bank is given and what it returns. */
import type { PageEndpoint, Shown, Visit } from '../../pages/page-endpoint.ts'
import type { BankAddress } from '../bank/order.ts'
import type { Sandbox } from '../sandbox.ts'

export type SandboxPage = Pick<PageEndpoint, 'method' | 'path' | 'stranger'> & {
  handle(sandbox: Sandbox, visit: Visit, now: Date): Promise<Shown>
}

/** Returns the customer and the number of the order or card in a page's address. */
export function addressIn({ params }: Pick<Visit, 'params'>): BankAddress {
  return { customer: params.customer ?? '', reference: params.reference ?? '' }
}
