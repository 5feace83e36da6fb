/** The money of a merchant with an own account never goes to another owner, also while that account cannot be used. */
import { expect, test } from 'vitest'
import { CURRENCY_CODES } from '../contract/fields.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { createLink, createSession, linkRequest, readCapabilities, sessionRequest } from '../testing/calls.ts'
import { operateHere } from '../testing/operator.ts'
import { openScene } from '../testing/scene.ts'
import { setAccount } from './set.ts'

const { kassa, shop } = await openScene()

let orders = 0
async function pay(changes: object = {}) {
  const key = `own-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, ...changes })
  return createSession(kassa.url, shop, { key, body })
}
async function payAt(changes: object = {}): Promise<string | undefined> {
  const { status, body } = await pay(changes)
  expect([status, body.error]).toEqual([201, undefined])
  return (await findPaymentById(kassa.ctx.db, body.id))?.attempt.accountId
}
async function set(CUSTOMER: string, currencies?: ('USD' | 'EUR' | 'AMD')[]): Promise<string> {
  const written = { CUSTOMER, SECRET: `secret of ${CUSTOMER}` }
  const wanted = { merchantId: shop.merchantId, route: 'route_a', driver: 'sandbox', written } as const
  return (await setAccount(kassa.ctx, { ...wanted, currencies })).accountId
}
const run = (...args: string[]) => operateHere(async () => kassa.ctx, ['account', ...args])
async function json(...args: string[]) {
  return JSON.parse((await run(...args, '--json')).stdout)
}
async function routeA() {
  const { providers } = (await readCapabilities(kassa.url, shop)).body
  return providers.find(({ id }: { id: string }) => id === 'route_a')
}
/** Damages the stored credentials, as a restore with another key would. */
async function damage(accountId: string): Promise<void> {
  await kassa.ctx.db.query(
    "update sandbox.account_credentials set sealed = decode('00', 'hex') || substring(sealed from 2) where account_id = $1",
    [accountId],
  )
  await kassa.ctx.db.query('update sandbox.accounts set version = version + 1 where id = $1', [accountId])
  kassa.ctx.accounts.forget()
}

const REFUSED = {
  code: 'provider_unavailable',
  message: 'Your own provider account on route_a cannot take payments in USD now.',
  requestId: expect.any(String),
  retryable: false,
  hint: 'Ask whoever runs your payment service. Your money does not go to another account meanwhile.',
}

test('while the credentials of an own account cannot be decrypted, no payment in its currency is created, named or not', async () => {
  const accountId = await set('dollars', ['USD'])
  expect(await payAt()).toBe(accountId)
  await damage(accountId)
  for (const changes of [{}, { provider: 'route_a' }]) {
    const { status, body, headers } = await pay(changes)
    expect([status, body]).toEqual([503, { ok: false, error: REFUSED }])
    expect(headers.get('retry-after')).toBeNull()
  }
  expect(await payAt({ currency: 'EUR' })).toBe(kassa.ctx.routes.route_a.id)
  const { status, body } = await createLink(kassa.url, shop, {
    key: 'own-link',
    body: linkRequest({ providerRoute: 'route_a' }),
  })
  expect([status, body.error?.code]).toEqual([503, 'provider_unavailable'])
})

test('the capabilities leave out that currency, and give the merchant the reason', async () => {
  const { currencies, readiness } = await routeA()
  expect(currencies).toEqual(CURRENCY_CODES.filter((code) => code !== 'USD'))
  expect(readiness).toEqual({
    enabledForPaymentCreation: true,
    reason: 'Ready, but not in USD: your own provider account cannot take payments now.',
    missingEnv: [],
  })
})

test('the operator finds the account in the log and in the list of accounts', async () => {
  const { accounts } = await json('list')
  const shown = accounts.find(({ owner }: { owner: string | null }) => owner === shop.merchantId)
  expect(shown).toMatchObject({ blocks: ['USD'] })
  expect(shown.problem).toMatch(/^Its stored credentials cannot be decrypted/)
  expect((await run('list')).stdout).toMatch(/blocks payments in USD/)
})

test('with all currencies blocked the route is not ready for the merchant', async () => {
  const accountId = await set('everything')
  await damage(accountId)
  const { currencies, readiness } = await routeA()
  expect(currencies).toEqual([])
  expect(readiness).toEqual({
    enabledForPaymentCreation: false,
    reason: 'Your own provider account on this route cannot take payments now.',
    missingEnv: [],
  })
})

test('an account that another own account replaces blocks nothing', async () => {
  const accountId = await set('replacement')
  expect(await payAt()).toBe(accountId)
  expect((await routeA()).readiness.reason).toBe('Ready.')
})

test('a retired own account blocks its currencies until the operator gives them to the deployment', async () => {
  const accountId = await set('replacement', ['USD', 'EUR', 'AMD'])
  await run('retire', '--account', accountId)
  expect((await pay()).status).toBe(503)
  expect((await pay({ provider: 'route_a' })).body.error).toEqual(REFUSED)
  const { accounts } = await json('list')
  expect(accounts.find((each: { accountId: string }) => each.accountId === accountId).blocks).toEqual([
    'AMD',
    'USD',
    'EUR',
  ])
  const retired = await json('retire', '--account', accountId, '--in-favour-of-deployment')
  expect(retired).toMatchObject({ blocks: [] })
  expect(await payAt()).toBe(kassa.ctx.routes.route_a.id)
})

test('an account that is set again takes its payments back', async () => {
  const accountId = await set('replacement', ['USD'])
  expect(await payAt()).toBe(accountId)
  expect(await payAt({ currency: 'EUR' })).toBe(kassa.ctx.routes.route_a.id)
  await run('retire', '--account', accountId)
  expect((await pay()).status).toBe(503)
})
