/** Who changes the same thing at the same moment, and that every process knows a change about money when its command says that it is done. */
import { afterAll, describe, expect, test } from 'vitest'
import { findPaymentById } from '../storage/payments/payments.ts'
import { clickWidget, createSession, sessionRequest } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'
import { type ServedHere, serveHere } from '../testing/serve-here.ts'
import { oneAtATime } from './one-at-a-time.ts'

const kassa = await openKassa()

const processes: ServedHere[] = []
const settings = { DATABASE_URL: kassa.databaseUrl }
for (let count = 0; count < 2; count++) processes.push(await serveHere(settings))
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()))
})

let orders = 0
const fresh = () => `known-${++orders}`
async function run(...args: string[]) {
  const { stdout, stderr } = await operateHere(async () => kassa.ctx, [...args, '--json'])
  if (!stdout) throw new Error(stderr)
  const { ok, error, ...result } = JSON.parse(stdout)
  expect([ok, error]).toEqual([true, undefined])
  return result
}

async function accountOf(url: string, shop: Shop): Promise<string | undefined> {
  const key = fresh()
  const { body } = await createSession(url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })
  return (await findPaymentById(kassa.ctx.db, body.id))?.attempt.accountId
}
async function statusOf(url: string, shop: Shop): Promise<number> {
  const key = fresh()
  return (await createSession(url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })).status
}
async function priceOf(url: string, shop: Shop): Promise<number> {
  return (await clickWidget(url, shop, { body: { clientReference: fresh() } })).body.amountMinor
}
async function routeOf(url: string, shop: Shop): Promise<string> {
  const key = fresh()
  return (await createSession(url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })).body
    .provider
}

const of = ({ merchantId }: Shop) => ['--merchant', merchantId]
const setAccount = async (shop: Shop) => {
  const settings = ['--set', `CUSTOMER=${shop.merchantId}`, '--set', 'SECRET=secret of own']
  return (await run('account', 'set', ...of(shop), '--route', 'route_a', '--driver', 'sandbox', ...settings))
    .accountId
}

/** `asks`: what a process decides by what it has in memory. `act`: returns what it must decide from then on. */
type Redirection = {
  name: string
  before?: (shop: Shop) => Promise<unknown>
  asks: (url: string, shop: Shop) => Promise<unknown>
  act: (shop: Shop) => Promise<unknown>
}
const REDIRECTIONS: Redirection[] = [
  { name: 'account set', asks: accountOf, act: setAccount },
  {
    name: 'account retire',
    before: setAccount,
    asks: accountOf,
    async act(shop) {
      const { accounts } = await run('account', 'list', ...of(shop))
      const own = accounts.find(({ owner }: { owner: string | null }) => owner === shop.merchantId)
      await run('account', 'retire', '--account', own.accountId, '--in-favour-of-deployment')
      return kassa.ctx.routes.route_a.id
    },
  },
  {
    name: 'merchant routes',
    asks: routeOf,
    async act(shop) {
      await run('merchant', 'routes', ...of(shop), '--route', 'route_b=Card')
      return 'route_b'
    },
  },
  {
    name: 'product set',
    asks: priceOf,
    async act(shop) {
      const price = ['--id', 'tea', '--name', 'Tea', '--amount', '25.00', '--currency', 'USD']
      await run('product', 'set', ...of(shop), ...price)
      return 2500
    },
  },
  {
    name: 'merchant pause',
    asks: statusOf,
    async act(shop) {
      await run('merchant', 'pause', ...of(shop), '--why', 'a test')
      return 503
    },
  },
  {
    name: 'token revoke',
    asks: statusOf,
    async act(shop) {
      const { tokens } = await run('token', 'list', ...of(shop))
      await run('token', 'revoke', '--token', tokens[0].tokenId)
      return 401
    },
  },
]

describe('two processes know what changed when the command is done', () => {
  test.each(REDIRECTIONS)('$name', async ({ before, asks, act }) => {
    const shop = await openShop(kassa.ctx)
    await before?.(shop)
    const decide = () => Promise.all(processes.map(({ url }) => asks(url, shop)))
    const [known] = await decide()
    expect(await decide()).toEqual([known, known])
    const wanted = await act(shop)
    expect(wanted).not.toBe(known)
    expect(await decide()).toEqual([wanted, wanted])
  })
})

/** Of two people who change the same thing at the same moment, one is told to look again. */
describe('two people who change the same thing', () => {
  test('a second one is refused until the first has ended, also by a failure', async () => {
    const { ctx } = kassa
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = oneAtATime(ctx, 'mer_1', async () => {
      begun.resolve()
      await held.promise
      throw new Error('It has failed.')
    })
    await begun.promise
    await expect(oneAtATime(ctx, 'mer_1', async () => 'done')).rejects.toMatchObject({
      details: { reason: 'changed_meanwhile' },
    })
    expect(await oneAtATime(ctx, 'mer_2', async () => 'done')).toBe('done')
    held.resolve()
    await expect(first).rejects.toThrow('It has failed.')
    expect(await oneAtATime(ctx, 'mer_1', async () => 'done')).toBe('done')
  })
})
