/**
 * Two merchants, four accounts and three currencies at a bank with separate books for each customer. Whatever happens to the
 * accounts, each order's money stays in its account.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Snapshot } from '../providers/driver.ts'
import { DRIVERS } from '../providers/registry.ts'
import { readRoutes } from '../settings/routes.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { createSubscription, createToken, subscriptionRequest } from '../testing/payments/subscriptions.ts'
import { type HouseBank, openHouseBank } from '../testing/providers/house-bank.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { storeOwnAccounts } from './deployment.ts'
import { retireAccount } from './manage.ts'
import { rotateAccount, setAccount } from './set.ts'

const DAY_MS = 86_400_000
const OWN = { ROUTE_A_DRIVER: 'house', ROUTE_A_FISCAL: 'sandbox' }

let bank: HouseBank
let kassa: Kassa
let one: Shop
let two: Shop
beforeAll(async () => {
  bank = openHouseBank()
  for (const customer of ['own', 'own-b', 'usd-1', 'amd-1', 'eur-2', 'eur-2b'])
    bank.secrets.set(customer, `secret of ${customer}`)
  kassa = await startKassa({ settings: { ...OWN, ROUTE_A_CUSTOMER: 'own', ROUTE_A_SECRET: 'secret of own' } })
  one = await openShop(kassa.ctx)
  two = await openShop(kassa.ctx)
})
afterAll(async () => {
  // Other test files in this process compare the table of drivers with the settings.
  delete DRIVERS.house
  await kassa.close()
})

async function set(of: Shop, CUSTOMER: string, currency: 'USD' | 'AMD' | 'EUR'): Promise<string> {
  const fiscal = { FISCAL: 'sandbox', FISCAL_REGISTER: `register of ${CUSTOMER}` }
  const written = { CUSTOMER, SECRET: `secret of ${CUSTOMER}`, ...fiscal }
  const wanted = { merchantId: of.merchantId, route: 'route_a', driver: 'house', written } as const
  return (await setAccount(kassa.ctx, { ...wanted, currencies: [currency] })).accountId
}

let orders = 0
async function pay(of: Shop, currency: string): Promise<AttemptedPayment> {
  const key = `whose-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, currency, amountMinor: 190_000 })
  const { id } = (await createSession(kassa.url, of, { key, body })).body
  expect((await lookUp(kassa.url, of, id)).body.status).toBe('paid')
  return (await findPaymentById(kassa.ctx.db, id)) as AttemptedPayment
}
async function refund(of: Shop, { id }: AttemptedPayment, amountMinor: number): Promise<void> {
  const request = { key: `refund-${id}-${++orders}`, body: { amountMinor, reason: 'r' } }
  expect((await askOperation(kassa.url, of, id, 'refunds', request)).status).toBe(201)
}
const order = (
  customer: string,
  { attempt: { reference: providerReference } }: AttemptedPayment,
): Snapshot | undefined => bank.books.get(customer)?.get(providerReference)
/** Restarts the service with these ROUTE_* settings. */
async function restart(given: Record<string, string>): Promise<void> {
  Object.assign(kassa.ctx.routes, readRoutes('sandbox', { ...OWN, ...given }))
  await storeOwnAccounts(kassa.ctx)
}
/** Returns how many receipts each register printed for each account. */
async function printed(): Promise<Record<string, number>> {
  const { rows } = await kassa.ctx.db.query(
    `select account_id || ' ' || register as at, count(*)::int as n from sandbox.receipts where status = 'issued' group by 1`,
  )
  return Object.fromEntries(rows.map(({ at, n }) => [at, n]))
}

test('every order, refund, renewal and receipt stays with its account, also after rotation, retirement, rebinding and a restart', async () => {
  const own = kassa.ctx.routes.route_a.id
  const [usd, amd, eur] = [
    await set(one, 'usd-1', 'USD'),
    await set(one, 'amd-1', 'AMD'),
    await set(two, 'eur-2', 'EUR'),
  ]
  const paid = {
    usd: await pay(one, 'USD'),
    amd: await pay(one, 'AMD'),
    eur: await pay(two, 'EUR'),
    own: await pay(two, 'USD'),
  }
  expect([paid.usd, paid.amd, paid.eur, paid.own].map(({ attempt: { accountId } }) => accountId)).toEqual([
    usd,
    amd,
    eur,
    own,
  ])

  const saved = await createToken(kassa.url, one)
  await kassa.ctx.db.query('update sandbox.saved_methods set due_at = created_at')
  await SWEEPS.cardSavings(kassa.ctx)
  const subscribed = await createSubscription(kassa.url, one, {
    body: subscriptionRequest(saved.body.token.id, { interval: 'day', currency: 'USD' }),
  })
  expect([subscribed.status, subscribed.body.error]).toEqual([201, undefined])
  await SWEEPS.renewals(kassa.ctx)
  const charged = () => bank.books.get('usd-1')?.size
  expect(charged()).toBe(2)

  bank.secrets.set('usd-1', 'rotated')
  await rotateAccount(kassa.ctx, usd, { SECRET: 'rotated' })
  await retireAccount(kassa.ctx, amd, { inFavourOfDeployment: true })
  const eurAfter = await set(two, 'eur-2b', 'EUR')
  await restart({ ROUTE_A_CUSTOMER: 'own-b', ROUTE_A_SECRET: 'secret of own-b' })
  const ownAfter = kassa.ctx.routes.route_a.id
  expect(new Set([eur, eurAfter, own, ownAfter]).size).toBe(4)

  for (const [of, payment] of [
    [one, paid.usd],
    [one, paid.amd],
    [two, paid.eur],
    [two, paid.own],
  ] as const)
    await refund(of, payment, 100)
  await SWEEPS.moneyOperations(kassa.ctx)
  for (const [customer, payment] of [
    ['usd-1', paid.usd],
    ['amd-1', paid.amd],
    ['eur-2', paid.eur],
    ['own', paid.own],
  ] as const)
    expect([customer, order(customer, payment)?.refundedMinor]).toEqual([customer, 100])

  const later = {
    usd: await pay(one, 'USD'),
    amd: await pay(one, 'AMD'),
    eur: await pay(two, 'EUR'),
    own: await pay(two, 'USD'),
  }
  expect([later.usd, later.amd, later.eur, later.own].map(({ attempt: { accountId } }) => accountId)).toEqual(
    [
      usd,
      // The merchant's own account is retired in favour of the deployment's account.
      ownAfter,
      eurAfter,
      ownAfter,
    ],
  )
  const before = charged() ?? 0
  kassa.clock.advance(DAY_MS + 1_000)
  await retireAccount(kassa.ctx, usd)
  await SWEEPS.renewals(kassa.ctx)
  expect(charged()).toBe(before + 1)

  await SWEEPS.fiscalReceipts(kassa.ctx)
  const [first, second] = [one.merchantId, two.merchantId]
  expect(await printed()).toEqual({
    // Two sales, two renewals and a refund.
    [`${usd} ${first}/register of usd-1`]: 5,
    [`${amd} ${first}/register of amd-1`]: 2,
    [`${eur} ${second}/register of eur-2`]: 2,
    [`${eurAfter} ${second}/register of eur-2b`]: 1,
    [`${own} sandbox`]: 2,
    [`${ownAfter} sandbox`]: 2,
  })

  await restart({ ROUTE_A_CUSTOMER: 'own', ROUTE_A_SECRET: 'secret of own' })
  expect(kassa.ctx.routes.route_a.id).toBe(own)
  await refund(two, later.own, 50)
  await SWEEPS.moneyOperations(kassa.ctx)
  expect(order('own-b', later.own)?.refundedMinor).toBe(50)
  expect(bank.wrong).toEqual([])
})
