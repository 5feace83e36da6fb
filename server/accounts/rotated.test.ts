/** When an account gets new credentials, a process drops everything that it has cached for the account. */
import { afterAll, expect, test } from 'vitest'
import { callProvider } from '../payments/provider-call.ts'
import { GATE_LIMITS } from '../providers/http/gate.ts'
import { openShop, startKassa } from '../testing/harness.ts'
import { findAccount } from './choice.ts'
import { rotateAccount, setAccount } from './set.ts'

const kassa = await startKassa()
const { ctx } = kassa
const shop = await openShop(ctx)
afterAll(() => kassa.close())

const written = { CUSTOMER: 'rotating', SECRET: 'old secret', ADDRESS: 'http://127.0.0.1:9' }
const { accountId } = await setAccount(ctx, {
  merchantId: shop.merchantId,
  route: 'route_a',
  driver: 'sandbox',
  currencies: undefined,
  written,
})

async function getAccount() {
  const account = await findAccount(ctx, accountId)
  if (!account) throw new Error(`The account ${accountId} cannot be used.`)
  return account
}

/** Returns the access token that a driver would get for the account's secret. */
async function token(account: Awaited<ReturnType<typeof getAccount>>): Promise<string> {
  const calling = { lane: 'buyer', timeoutMs: 1_000, about: null } as const
  return callProvider(ctx, account, calling, ({ account: { cache }, settings }) =>
    cache.get('token', async () => ({ value: `for ${settings.SECRET}`, lifetimeMs: 3_600_000 })),
  )
}

/** Returns why a request to the bank fails: nobody listens at its address. */
async function ask(): Promise<string> {
  const calling = { lane: 'buyer', timeoutMs: 1_000, about: null } as const
  const request = { method: 'GET', url: 'http://127.0.0.1:9/bank/api/customer' }
  const account = await getAccount()
  return callProvider(ctx, account, calling, ({ http }) => http.request(request)).then(
    () => 'answered',
    (error: Error) => error.message,
  )
}

test('an access token of the old credentials is not used after a rotation, even if it arrives later', async () => {
  const old = await getAccount()
  expect(await token(old)).toBe('for old secret')
  await rotateAccount(ctx, accountId, { SECRET: 'new secret' })
  // A call that began before the rotation may end after it.
  expect(await token(await getAccount())).toBe('for new secret')
  expect(await token(old)).toBe('for old secret')
  expect(await token(await getAccount())).toBe('for new secret')
})

test('a circuit breaker that opened with the old settings does not block calls with the new settings', async () => {
  for (let failures = 0; failures < GATE_LIMITS.failures; failures++)
    expect(await ask()).toMatch(/cannot be reached/)
  expect(await ask()).toMatch(/not called for a while/)
  await rotateAccount(ctx, accountId, { SECRET: 'newest secret' })
  expect(await ask()).toMatch(/cannot be reached/)
})
