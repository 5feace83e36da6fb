import { beforeAll, describe, expect, test } from 'vitest'
import { CURRENCY_CODES } from '../contract/fields.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { confirmPayment } from '../payments/decisions/payment.ts'
import { createVault } from '../secrets/vault.ts'
import { readRoutes } from '../settings/routes.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { createSession, readCapabilities, sessionRequest } from '../testing/calls.ts'
import { openShop, SECRETS_KEY, type Shop, startKassa } from '../testing/harness.ts'
import { allowManual, onboard, openLive } from '../testing/scene/live.ts'
import { openScene } from '../testing/scene.ts'
import { findAccount } from './choice.ts'
import { storeOwnAccounts } from './deployment.ts'
import { openDirectory } from './directory.ts'
import { allowAccount, listAccounts, retireAccount } from './manage.ts'
import { rotateAccount, setAccount } from './set.ts'

const { kassa, shop } = await openScene()
let other: Shop
beforeAll(async () => {
  other = await openShop(kassa.ctx)
})

let orders = 0
async function pay(of: Shop, changes: object = {}) {
  const key = `account-${++orders}`
  return createSession(kassa.url, of, { key, body: sessionRequest({ merchantOrderId: key, ...changes }) })
}
async function accountOf(of: Shop, changes: object = {}) {
  const { status, body } = await pay(of, changes)
  expect([status, body.error]).toEqual([201, undefined])
  return (await findPaymentById(kassa.ctx.db, body.id))?.attempt.accountId
}
const set = (of: Shop, CUSTOMER: string, changes: object = {}) =>
  setAccount(kassa.ctx, {
    merchantId: of.merchantId,
    route: 'route_a',
    driver: 'sandbox',
    currencies: undefined,
    written: { CUSTOMER, SECRET: `secret of ${CUSTOMER}` },
    ...changes,
  })

describe('a new payment', () => {
  test('uses the merchant’s own account, and other merchants’ payments keep their account', async () => {
    const own = kassa.ctx.routes.route_a.id
    expect(own).toMatch(/^acc_test_[0-9a-z]{36}$/)
    expect(await accountOf(shop)).toBe(own)
    const { accountId, outcome } = await set(shop, 'first')
    expect(outcome).toBe('created')
    expect(await accountOf(shop)).toBe(accountId)
    expect(await accountOf(other)).toBe(own)
    expect(await accountOf(shop, { provider: 'route_b' })).toBe(kassa.ctx.routes.route_b.id)
  })

  test('uses the account for its currency, or the deployment’s account if no account of the merchant accepts the currency', async () => {
    const dollars = await set(other, 'dollars', { currencies: ['USD'] })
    const euros = await set(other, 'euros', { currencies: ['EUR'] })
    expect(await accountOf(other, { currency: 'USD' })).toBe(dollars.accountId)
    expect(await accountOf(other, { currency: 'EUR' })).toBe(euros.accountId)
    expect(await accountOf(other, { currency: 'AMD', amountMinor: 190_000 })).toBe(
      kassa.ctx.routes.route_a.id,
    )
  })
})

describe('setting an account', () => {
  test('with the same contract rotates its credentials, with another contract retires the account, with the first contract again revives the first account', async () => {
    const first = await set(shop, 'first', { written: { CUSTOMER: 'first', SECRET: 'new secret' } })
    expect(first).toMatchObject({ outcome: 'rotated', retired: [] })
    expect((await findAccount(kassa.ctx, first.accountId))?.settings.SECRET).toBe('new secret')
    const second = await set(shop, 'second')
    expect(second).toMatchObject({ outcome: 'created', retired: [first.accountId] })
    expect(await accountOf(shop)).toBe(second.accountId)
    expect((await findAccount(kassa.ctx, first.accountId))?.settings.SECRET).toBe('new secret')
    expect(await set(shop, 'first')).toEqual({
      accountId: first.accountId,
      outcome: 'revived',
      retired: [second.accountId],
    })
    expect(await accountOf(shop)).toBe(first.accountId)
  })

  test('is rejected with another merchant’s contract, with the deployment’s contract, and with wrong settings', async () => {
    await expect(set(other, 'first')).rejects.toThrow(/This contract belongs to the merchant mer_/)
    await expect(set(shop, 'kassa')).rejects.toThrow(/This contract belongs to the deployment/)
    await expect(set(shop, 'x', { written: { STEPS: 'three' } })).rejects.toThrow(
      'STEPS must be one of one, two, not "three".',
    )
    await expect(set(shop, 'x', { written: { KEY: '1' } })).rejects.toThrow(
      'KEY: the driver sandbox has no such',
    )
    await expect(set(shop, 'x', { driver: 'nobody' })).rejects.toThrow('There is no driver "nobody"')
    await expect(set(shop, 'x', { merchantId: 'mer_0' })).rejects.toThrow('There is no merchant mer_0.')
  })

  test('is rejected in the sandbox with credentials for real money', async () => {
    const written = { CUSTOMER: 'real', SECRET: 'live_abc' }
    await expect(set(shop, 'real', { written })).rejects.toThrow('These credentials are for real money')
    const { accountId } = await set(other, 'euros', { currencies: ['EUR'] })
    await expect(rotateAccount(kassa.ctx, accountId, { SECRET: 'live_abc' })).rejects.toThrow(
      'These credentials are for real money',
    )
  })

  test('shows no secret afterwards, and stores no secret unencrypted', async () => {
    const accounts = await listAccounts(kassa.ctx, { all: true })
    expect(accounts.length).toBeGreaterThan(6)
    expect(JSON.stringify(accounts)).not.toMatch(/secret of|new secret|bks_test_/)
    const { rows } = await kassa.ctx.db.query(
      'select a::text as row, c.sealed from sandbox.accounts a left join sandbox.account_credentials c on c.account_id = a.id',
    )
    for (const { row, sealed } of rows) expect(`${row}${sealed ?? ''}`).not.toMatch(/secret of|new secret/)
  })
})

describe('rotating credentials', () => {
  test('keeps the account and its other settings, and is rejected with another contract', async () => {
    const { accountId } = await set(shop, 'first', {
      written: { CUSTOMER: 'first', SECRET: 'a', STEPS: 'two' },
    })
    await rotateAccount(kassa.ctx, accountId, { SECRET: 'b' })
    const { settings } = (await findAccount(kassa.ctx, accountId)) ?? {}
    expect(settings).toMatchObject({ CUSTOMER: 'first', SECRET: 'b', STEPS: 'two' })
    await expect(rotateAccount(kassa.ctx, accountId, { CUSTOMER: 'third' })).rejects.toThrow(
      'These settings belong to another contract',
    )
    await expect(rotateAccount(kassa.ctx, kassa.ctx.routes.route_a.id, { SECRET: 'b' })).rejects.toThrow(
      /ROUTE_A_\* of the service/,
    )
  })
})

test('an encrypted value can be decrypted only in its own row', async () => {
  const { accountId: one } = await set(shop, 'first')
  const { accountId: two } = await set(other, 'dollars', { currencies: ['USD'] })
  const { db } = kassa.ctx
  const swap = () =>
    db.query(
      `update sandbox.account_credentials c set sealed = o.sealed from sandbox.account_credentials o
       where c.account_id = any($1) and o.account_id = any($1) and o.account_id <> c.account_id`,
      [[one, two]],
    )
  const open = async () => (await openDirectory(db, createVault([SECRETS_KEY])).read()).byId
  expect((await open()).get(one)?.account?.settings.SECRET).toBe('secret of first')
  await swap()
  for (const id of [one, two]) {
    const entry = (await open()).get(id)
    expect(entry?.account).toBeNull()
    expect(entry?.problem).toMatch(/cannot be decrypted/)
  }
  await swap()
  expect((await open()).get(one)?.account).not.toBeNull()
})

test('another process notices a new account, and a retired one, within a second', async () => {
  const far = openDirectory(kassa.ctx.db, createVault([SECRETS_KEY]))
  const elsewhere = { ...kassa.ctx, accounts: far }
  await far.read()
  const { accountId } = await set(shop, 'noticed')
  await expect.poll(async () => (await far.read()).byId.has(accountId)).toBe(true)
  await retireAccount(kassa.ctx, accountId)
  const isActive = async () => (await far.read()).byId.get(accountId)?.record.retiredAt === null
  await expect.poll(isActive).toBe(false)
  expect(await findAccount(elsewhere, accountId)).not.toBeNull()
})

describe('a closed account of the deployment', () => {
  test('may be used by a merchant who is the only one at its first use, and by others after they are allowed', async () => {
    const live = await openLive()
    const open = () => openShop(live.live, { onboard: (merchantId) => onboard(live, merchantId) })
    const manualOf = async (of: Shop) =>
      (await readCapabilities(live.url, of)).body.providers.find(({ id }: { id: string }) => id === 'manual')
    const create = async (of: Shop) => {
      const key = `live-${++orders}`
      return (await createSession(live.url, of, { key, body: sessionRequest({ merchantOrderId: key }) }))
        .status
    }
    const first = await open()
    expect((await manualOf(first)).readiness.enabledForPaymentCreation).toBe(true)
    expect(await create(first)).toBe(201)
    const second = await open()
    expect(await manualOf(second)).toMatchObject({
      readiness: {
        enabledForPaymentCreation: false,
        missingEnv: [],
        reason: 'No provider account of this route is open to this merchant.',
      },
    })
    expect(await create(second)).toBe(503)
    expect(await create(first)).toBe(201)
    await allowManual(live, second.merchantId)
    expect([await create(first), await create(second)]).toEqual([201, 201])
    const id = live.live.routes.manual.id
    await allowAccount(live.live, { accountId: id, merchantId: second.merchantId, allowed: false })
    expect([await create(first), await create(second)]).toEqual([201, 503])
  })

  test('stays closed if several merchants exist before its first use', async () => {
    const live = await openLive()
    await createMerchant(live.live, { name: 'Silent' })
    const late = await openShop(live.live, { onboard: (merchantId) => onboard(live, merchantId) })
    expect((await createSession(live.url, late, { key: 'late' })).status).toBe(503)
  })
})

test('one bank reference confirms one payment of an account', async () => {
  const manual = async () => (await pay(shop, { provider: 'manual' })).body.id
  const [first, second] = [await manual(), await manual()]
  const confirm = (id: string, reference: string) =>
    confirmPayment(kassa.ctx, id, { reference, actor: 'Ani' })
  expect(await confirm(first, 'TRF-1')).toMatchObject({ confirmed: true })
  expect(await confirm(first, 'TRF-1')).toMatchObject({ confirmed: false })
  await expect(confirm(second, 'TRF-1')).rejects.toThrow(`TRF-1 has confirmed the payment ${first}`)
  expect((await findPaymentById(kassa.ctx.db, second))?.status).toBe('pending_redirect')
  expect(await confirm(second, 'TRF-2')).toMatchObject({ confirmed: true })
})

describe('at the start', () => {
  const restart = async (given: Record<string, string>) => {
    const ctx = { ...kassa.ctx, routes: readRoutes('sandbox', given) }
    await storeOwnAccounts(ctx)
    return ctx.routes
  }

  test('the same contract keeps its account, another contract retires it, and the first contract again revives it', async () => {
    const before = kassa.ctx.routes
    expect((await restart({})).route_a.id).toBe(before.route_a.id)
    const rotated = await restart({ ROUTE_A_DRIVER: 'sandbox', ROUTE_A_SECRET: 'rotated' })
    expect(rotated.route_a.id).toBe(before.route_a.id)
    const rebound = await restart({ ROUTE_A_DRIVER: 'sandbox', ROUTE_A_CUSTOMER: 'another' })
    expect(rebound.route_a.id).not.toBe(before.route_a.id)
    const stored = (await listAccounts(kassa.ctx, { all: true })).find(
      ({ accountId }) => accountId === before.route_a.id,
    )
    expect(stored?.retiredAt).not.toBeNull()
    const elsewhere = { ...kassa.ctx, routes: rebound }
    expect((await findAccount(elsewhere, before.route_a.id))?.settings.SECRET).toBe('rotated')
    expect((await restart({})).route_a.id).toBe(before.route_a.id)
  })

  test('an account of an earlier version gets the currencies that its driver supports now, and is not stored again', async () => {
    const { id } = kassa.ctx.routes.route_a
    await kassa.ctx.db.query(`update sandbox.accounts set currencies = '{USD}' where id = $1`, [id])
    const read = async () =>
      (await kassa.ctx.db.query('select currencies, version from sandbox.accounts where id = $1', [id]))
        .rows[0]
    await restart({})
    const stored = await read()
    expect(stored.currencies).toEqual(CURRENCY_CODES)
    await restart({})
    expect(await read()).toEqual(stored)
  })

  test('several processes that start together store the same accounts', async () => {
    const fresh = await startKassa()
    try {
      await fresh.ctx.db.query('delete from sandbox.account_credentials')
      await fresh.ctx.db.query('delete from sandbox.accounts')
      const starts = Array.from({ length: 5 }, async () => {
        const ctx = { ...fresh.ctx, routes: readRoutes('sandbox', {}) }
        await storeOwnAccounts(ctx)
        return Object.values(ctx.routes).map(({ id }) => id)
      })
      const [first, ...rest] = await Promise.all(starts)
      for (const each of rest) expect(each).toEqual(first)
    } finally {
      await fresh.close()
    }
  })

  test('an operator’s command with other settings changes no account, and uses the accounts of the service', async () => {
    const given = { ROUTE_A_DRIVER: 'sandbox', ROUTE_A_CUSTOMER: 'of-the-shell' }
    const ctx = { ...kassa.ctx, routes: readRoutes('sandbox', given) }
    await storeOwnAccounts(ctx, { byCommand: true })
    expect(ctx.routes.route_a.id).toBe(kassa.ctx.routes.route_a.id)
    expect(ctx.routes.route_a.settings.CUSTOMER).toBe('kassa')
  })
})
