/** Accounts of merchants: whose money it is, new credentials, and how their health changes. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CURRENCY_CODES } from '../contract/fields.ts'
import { noteUnopenable } from '../operator/account-check.ts'
import { callProvider } from '../payments/provider-call.ts'
import { GATE_LIMITS } from '../providers/http/gate.ts'
import { countAccountHealth, listAccountHealth } from '../storage/accounts/health.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { createLink, createSession, linkRequest, readCapabilities, sessionRequest } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openScene } from '../testing/scene.ts'
import { findAccount } from './choice.ts'
import { openDirectory } from './directory.ts'
import { noteReach, noteUnwell, noteWell } from './health.ts'
import { rotateAccount, setAccount } from './set.ts'

const { kassa, shop } = await openScene()

/** The money of a merchant with an own account never goes to another owner, also while that account cannot be used. */
describe('the money of a merchant with an own account', () => {
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
})

/** When an account gets new credentials, a process drops everything that it has cached for the account. */
describe('new credentials', () => {
  const { ctx } = kassa
  let accountId: string
  beforeAll(async () => {
    const { merchantId } = await openShop(ctx)
    const written = { CUSTOMER: 'rotating', SECRET: 'old secret', ADDRESS: 'http://127.0.0.1:9' }
    const wanted = { merchantId, route: 'route_a', driver: 'sandbox', currencies: undefined } as const
    accountId = (await setAccount(ctx, { ...wanted, written })).accountId
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
})

/** How the health of an account changes when several processes report it, and when it changes all the time. */
describe('the health of an account', () => {
  let id: string
  beforeEach(async () => {
    const { merchantId } = await openShop(kassa.ctx)
    const CUSTOMER = `customer-${merchantId.slice(-8)}`
    const SECRET = kassa.ctx.sandbox.bank.customers.secretOf(CUSTOMER)
    const given = { merchantId, route: 'route_a', driver: 'sandbox', currencies: undefined } as const
    id = (await setAccount(kassa.ctx, { ...given, written: { CUSTOMER, SECRET } })).accountId
    await kassa.ctx.accounts.read()
  })

  const REFUSED = {
    state: 'refusing',
    refusal: 'credentials',
    reason: 'It does not accept the key.',
  } as const
  const stored = async () => (await listAccountHealth(kassa.ctx.db)).find(({ accountId }) => accountId === id)
  /** Another process on the same database, whose memory is of now and stays as it is. */
  async function otherProcess() {
    const accounts = openDirectory(kassa.ctx.db, kassa.ctx.vault)
    const then = await accounts.read()
    return { ...kassa.ctx, accounts: { ...accounts, recall: () => then } }
  }
  const afterwards = async (seconds: number) => {
    kassa.clock.advance(seconds * 1_000)
    kassa.ctx.accounts.forget()
    await kassa.ctx.accounts.read()
  }

  test('credentials that cannot be read are stored and counted, and another process that can read them does not hide that', async () => {
    const other = await otherProcess()
    await kassa.ctx.db.query(
      `update sandbox.account_credentials set sealed = '\\x00' where account_id = $1`,
      [id],
    )
    await kassa.ctx.db.query('update sandbox.accounts set version = version + 1 where id = $1', [id])
    await afterwards(0)
    await noteUnopenable(kassa.ctx)
    expect(await stored()).toMatchObject({
      state: 'unopenable',
      reason: expect.stringContaining('decrypted'),
    })
    expect(await countAccountHealth(kassa.ctx.db)).toContainEqual({ state: 'unopenable', count: 1 })
    const health = await stored()
    const entry = other.accounts.recall().byId.get(id)
    const able = { ...other, accounts: { ...other.accounts, read: async () => known, recall: () => known } }
    const known = { byId: new Map([[id, { ...entry, health }]]), byOwner: new Map() } as never
    await noteUnopenable(able)
    expect((await stored())?.state).toBe('unopenable')
    kassa.clock.advance(61_000)
    await noteUnopenable(able)
    expect((await stored())?.state).toBe('ok')
  })

  test('an answer from before a refusal does not end the refusal', async () => {
    await noteUnwell(kassa.ctx, id, { state: 'away', reason: 'The provider does not answer.' })
    const slow = await otherProcess()
    await noteUnwell(kassa.ctx, id, REFUSED)
    await noteReach(slow, id, { unanswered: 0 })
    expect((await stored())?.state).toBe('refusing')
  })

  test('a process whose breaker stays open reports it again after another process had an answer', async () => {
    const first = await otherProcess()
    await noteReach(first, id, { unanswered: 10 })
    await afterwards(1)
    const late = await otherProcess()
    await noteWell(kassa.ctx, id)
    await noteReach(late, id, { unanswered: 11 })
    expect((await stored())?.state).toBe('away')
  })

  test('an account that is refused and accepted in turns has been unwell since the first time', async () => {
    await noteUnwell(kassa.ctx, id, REFUSED)
    const begun = (await stored())?.unwellSince
    for (let turn = 0; turn < 5; turn++) {
      await afterwards(30)
      await noteWell(kassa.ctx, id)
      await afterwards(30)
      await noteUnwell(kassa.ctx, id, REFUSED)
    }
    expect(begun).toBeDefined()
    expect((await stored())?.unwellSince).toEqual(begun)
    await afterwards(0)
    await noteWell(kassa.ctx, id)
    await afterwards(3_600)
    await noteUnwell(kassa.ctx, id, REFUSED)
    expect((await stored())?.unwellSince).toEqual((await stored())?.since)
  })
})
