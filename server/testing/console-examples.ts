/**
 * What stands for each parameter in the addresses of the console's pages, for the tests that visit every page. Whoever adds a page
 * with a new parameter adds a line here. The key is the part of the address before the parameter, and the parameter.
 */
import { addOperator } from '../audit/people.ts'
import type { ConsolePage } from '../console/page.ts'
import { newSharedId } from '../id.ts'
import { setProduct } from '../merchants/product.ts'
import { insertProposal } from '../storage/audit/proposals.ts'
import { inTransaction } from '../storage/db.ts'
import { createSession, payAtBank, sessionRequest } from './calls.ts'
import type { Kassa, Shop } from './harness.ts'
import { createSubscription, openToken, subscriptionRequest } from './payments/subscriptions.ts'

/** `own`: of the first shop. `foreign`: of the other shop; null for what belongs to no shop. `unknown`: of the same form, and nobody's. */
export type Example = { own: string; foreign: string | null; unknown: string }
export type Examples = Record<string, Example>

const ENDS_UNKNOWN = /[a-z\d]{6}$/i

/** An example of two things of the same kind. */
const pair = (own: string, foreign: string): Example => ({
  ...{ own, foreign, unknown: foreign.replace(ENDS_UNKNOWN, '000000') },
})

export async function makeExamples({ ctx, url }: Kassa, shop: Shop, other: Shop): Promise<Examples> {
  const pay = async (of: Shop) => {
    const body = sessionRequest({ merchantOrderId: `example-${of.merchantId}` })
    const { body: session } = await createSession(url, of, { key: 'example', body })
    await payAtBank(session.providerCheckoutUrl, 'paid')
    return session.id as string
  }
  const sell = async ({ merchantId }: Shop, id: string) => {
    const price = { amountMinor: 100, currency: 'USD', provider: null } as const
    await setProduct(ctx, { merchantId, id, name: 'Example', ...price })
    return id
  }
  const payments = pair(await pay(shop), await pay(other))
  return {
    '/:world': { own: 'sandbox', foreign: null, unknown: 'nowhere' },
    'link/:token': { own: 'x'.repeat(43), foreign: null, unknown: 'y'.repeat(43) },
    'payments/:id': payments,
    'counter/:id': payments,
    ...(await operatingExamples(ctx, url, [shop, other])),
    'subscriptions/:subscription': pair(await subscribe(url, shop), await subscribe(url, other)),
    'products/:product': pair(await sell(shop, 'example-of-shop'), await sell(other, 'example-of-other')),
    'shops/:merchant': pair(shop.merchantId, other.merchantId),
  }
}

async function subscribe(url: string, of: Shop): Promise<string> {
  const body = subscriptionRequest(await openToken(url, of))
  return (await createSubscription(url, of, { body })).body.subscription.id
}

/** Of the screens for whoever operates the deployment. */
async function operatingExamples(
  ctx: Kassa['ctx'],
  url: string,
  [shop, other]: [Shop, Shop],
): Promise<Examples> {
  const leaveOpen = async (of: Shop) => {
    const body = sessionRequest({ merchantOrderId: `open-${of.merchantId}` })
    const { body: session } = await createSession(url, of, { key: 'open', body })
    await payAtBank(session.providerCheckoutUrl, 'unknown')
    return session.id as string
  }
  const { operator } = await addOperator(ctx, { name: 'Proposer', role: 'administrator' })
  const propose = async ({ merchantId }: Shop) => {
    const now = new Date()
    const id = newSharedId('apr', now)
    const sealed = ctx.vault.seal(JSON.stringify({ merchantId, url: 'https://shop.example/a' }), [
      ctx.world,
      id,
      'proposal',
    ])
    const times = { proposedAt: now, expiresAt: new Date(now.getTime() + 86_400_000) }
    const record = {
      id,
      what: 'callback set',
      about: 'an address',
      merchantId,
      proposedBy: operator.id,
      ...times,
    }
    await inTransaction(ctx.db, (tx) => insertProposal(tx, { ...record, ...sealed }))
    return id
  }
  return {
    'desk/:kind': { own: 'undecided', foreign: null, unknown: 'nothing' },
    ':kind/:case': pair(await leaveOpen(shop), await leaveOpen(other)),
    'approvals/:approval': pair(await propose(shop), await propose(other)),
  }
}

/** The parameters of a page's path, in their order. @throws Error for one that has no example */
export function parametersOf({ path }: Pick<ConsolePage, 'path'>, examples: Examples): string[] {
  const parts = path.split('/')
  return parts.flatMap((part, at) => {
    if (!part.startsWith(':')) return []
    const key = `${parts[at - 1]}/${part}`
    if (examples[key]) return [key]
    throw new Error(`${path}: add an example of "${key}" to server/testing/console-examples.ts`)
  })
}

/** The address of a page with an example for each parameter. */
export function addressOf(
  page: Pick<ConsolePage, 'path'>,
  examples: Examples,
  choose: (key: string, example: Example) => string = (_key, { own }) => own,
): string {
  const keys = parametersOf(page, examples)
  return page.path.replaceAll(/:\w+/g, () => {
    const key = keys.shift() as string
    return choose(key, examples[key] as Example)
  })
}
