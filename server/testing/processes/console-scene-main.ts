/**
 * Prepares the console of a running Kassa for a browser test: one example for each of its pages, and people with a session. It gets
 * Kassa's settings and its address, and prints one line: a ConsoleScene.
 */
import { openSession } from '../../access/sessions.ts'
import { addUser } from '../../access/users.ts'
import { readConfig } from '../../config.ts'
import type { ConsolePage } from '../../console/page.ts'
import { CONSOLE_PAGES } from '../../console/pages.ts'
import type { Context } from '../../context.ts'
import { askReview } from '../../operator/shop/reviews.ts'
import { openService } from '../../service.ts'
import { inTransaction } from '../../storage/db.ts'
import { createSession, payAtBank, sessionRequest } from '../calls.ts'
import { addressOf, makeExamples } from '../console-examples.ts'
import { openShop, type Shop } from '../harness.ts'
import { storeShortAddress } from '../pages/short-address.ts'

/** `pages`: every GET page for people who are signed in, with an address. `sessions`: the secrets of cookies. */
export type ConsoleScene = {
  pages: { path: string; address: string }[]
  sessions: Record<(typeof ROLES)[number], string>
  merchantId: string
}

const ROLES = ['administrator', 'shop', 'cashier'] as const
/** The payments on which an act can be done. The others are done on a paid one. */
const PAYMENTS = { capture: 'held', void: 'held', confirm: 'manual', resolve: 'unknown' } as const
type Kind = (typeof PAYMENTS)[keyof typeof PAYMENTS]

const [url = ''] = process.argv.slice(2)
const service = await openService(readConfig({ ...process.env, LOG_LEVEL: 'error' }), {
  own: false,
  logTo: 'stderr',
  localUrl: url,
})
const ctx = service.worlds.sandbox as Parameters<typeof openShop>[0]
const scene = await prepare(ctx)
await service.close()
process.stdout.write(`${JSON.stringify(scene)}\n`)

async function prepare(ctx: Context): Promise<ConsoleScene> {
  const [shop, other] = [await openShop(ctx), await openShop(ctx)]
  // The examples give the shop an account of its own, at which the bank's pages know no orders.
  const payments = await payAll(shop)
  const examples = await makeExamples({ ctx, url } as Parameters<typeof makeExamples>[0], shop, other)
  const { merchantId } = shop
  await askReview(ctx, merchantId, 'https://asked.example')
  await storeShortAddress(ctx.db, shop, { name: 'earl-grey' })
  const addressFor = (page: ConsolePage) => {
    const act = /payments\/:id\/(\w+)$/.exec(page.path)?.[1] as keyof typeof PAYMENTS | undefined
    const kind = act && PAYMENTS[act]
    return addressOf(page, examples, (key, { own }) =>
      kind && key === 'payments/:id' ? payments[kind] : own,
    )
  }
  const own = CONSOLE_PAGES.filter(({ method, needs }) => method === 'get' && needs !== 'nobody')
  const sessions: [string, string][] = []
  for (const role of ROLES)
    sessions.push([role, await signIn(ctx, role, role === 'administrator' ? null : merchantId)])
  return {
    pages: own.map((page) => ({ path: page.path, address: addressFor(page) })),
    sessions: Object.fromEntries(sessions) as ConsoleScene['sessions'],
    merchantId,
  }
}

async function payAll(shop: Shop): Promise<Record<Kind, string>> {
  const pay = async (order: string, changes: object, outcome?: string) => {
    const body = sessionRequest({ merchantOrderId: order, ...changes })
    const { body: session } = await createSession(url, shop, { key: order, body })
    if (outcome) await payAtBank(session.providerCheckoutUrl, outcome)
    return session.id as string
  }
  return {
    held: await pay('held', { provider: 'route_b' }, 'paid'),
    manual: await pay('manual', { provider: 'manual' }),
    unknown: await pay('unknown', {}, 'unknown'),
  }
}

async function signIn(
  ctx: Context,
  role: (typeof ROLES)[number],
  merchantId: string | null,
): Promise<string> {
  const values = { name: `Scene ${role}`, role, email: `${role}@scene.example`, merchantId }
  const { operator } = await addUser(ctx, values)
  return inTransaction(ctx.db, (tx) => openSession(tx, operator.id, '127.0.0.1'))
}
