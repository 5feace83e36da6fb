/**
 * A value for each parameter in the addresses of the console's pages, for the tests that visit every page. A page with a new parameter
 * needs a line here. The key is the part of the address before the parameter, and the parameter.
 */
import { addUser } from '../access/users.ts'
import type { ConsolePage } from '../console/page.ts'
import { setProduct } from '../merchants/product.ts'
import { inTransaction } from '../storage/db.ts'
import { openOrder } from '../storage/orders/orders.ts'
import { storeOrderPayment } from '../storage/orders/payments.ts'
import { createSession, payAtBank, sessionRequest } from './calls.ts'
import type { Kassa, Shop } from './harness.ts'
import { operatingExamples } from './operating-examples.ts'

/** `own`: of the first shop. `foreign`: of the other shop; null for what belongs to no shop. `unknown`: of the same form, and nobody's. */
export type Example = { own: string; foreign: string | null; unknown: string }
export type Examples = Record<string, Example>

const ENDS_UNKNOWN = /[a-z\d]{6}$/i

/** An example of two things of the same kind. */
const pair = (own: string, foreign: string): Example => ({
  own,
  foreign,
  unknown: foreign.replace(ENDS_UNKNOWN, '000000'),
})

const pairs = (own: Record<string, string>, foreign: Record<string, string>): Examples =>
  Object.fromEntries(Object.entries(own).map(([key, id]) => [key, pair(id, foreign[key] ?? '')]))

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
  const order = async (of: Shop, number: string) => {
    const { merchantId } = of
    // Several tests may prepare examples for one service.
    const own = `example${merchantId.slice(-12)}${number}`
    const id = `ord_test_${own}`
    const now = ctx.clock.now()
    const named = { merchantId, reference: id, paymentId: `pay_test_${own}` }
    const sums = { amountMinor: 100, capturedMinor: 100, refundedMinor: 0, currency: 'USD' } as const
    const sale = { ...named, ...sums, sequence: 1, status: 'paid', buyer: null, takenBack: false } as const
    await storeOrderPayment(ctx.db, { ...sale, eventAt: now }, now)
    const sold = { number: `example${number}`, title: 'Example', productId: null, quantity: 1 }
    await inTransaction(ctx.db, (tx) => openOrder(tx, { ...named, ...sold, id, createdAt: now }))
    return id
  }
  const [ofShop, ofOther] = [
    await operatingExamples(ctx, url, shop),
    await operatingExamples(ctx, url, other),
  ]
  return {
    '/:world': { own: 'sandbox', foreign: null, unknown: 'nowhere' },
    'link/:token': { own: 'x'.repeat(43), foreign: null, unknown: 'y'.repeat(43) },
    'orders/:order': pair(await order(shop, '111111'), await order(other, '222222')),
    'payments/:id': payments,
    'counter/:id': payments,
    ...pairs(ofShop, ofOther),
    'statements/:account': pair(ofShop['accounts/:account'] ?? '', ofOther['accounts/:account'] ?? ''),
    'users/:user': { own: await person(ctx), foreign: null, unknown: 'usr_unknown' },
    'desk/:kind': { own: 'undecided', foreign: null, unknown: 'nothing' },
    'products/:product': pair(await sell(shop, 'example-of-shop'), await sell(other, 'example-of-other')),
    'shops/:merchant': pair(shop.merchantId, other.merchantId),
  }
}

async function person(ctx: Kassa['ctx']): Promise<string> {
  const values = { name: 'An example', role: 'administrator', email: 'example@pay.example' } as const
  return (await addUser(ctx, values)).operator.id
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
