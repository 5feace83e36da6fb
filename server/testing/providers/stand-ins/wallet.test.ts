/**
 * A provider that only proves payments by itself, in a whole service: what its buyers pay is stored before it is told so, one order
 * is paid once, and an order that nobody pays ends.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { getAccountView } from '../../../accounts/manage.ts'
import { DRIVERS } from '../../../providers/registry.ts'
import { listEntries } from '../../../storage/payments/entries.ts'
import { listPaymentWarnings } from '../../../storage/payments/payment-warnings.ts'
import { findPayment } from '../../../storage/payments/payments.ts'
import { storeProof } from '../../../storage/payments/provider-orders.ts'
import { SWEEPS } from '../../../worker/sweeps.ts'
import { createSession, lookUp, readPage, sessionRequest } from '../../calls.ts'
import { openShop } from '../../harness.ts'
import { closeAfter, openKassa } from '../../scene.ts'
import { routeSettings } from '../route-settings.ts'
import { walletDriver } from './wallet.ts'
import { startWallet } from './wallet-server.ts'

const MINUTE_MS = 60_000
const ACCOUNT = { shop: 'tea-shop', secret: 'local-test-secret' }
DRIVERS.wallet = { driver: walletDriver, settings: walletDriver.settings }
const wallet = closeAfter(await startWallet(ACCOUNT))
const { shop: SHOP, secret: SECRET } = ACCOUNT
const own = { DRIVER: 'wallet', ADDRESS: wallet.address, SHOP, SECRET }
const kassa = await openKassa({ settings: routeSettings('ROUTE_A', own) })
const shop = await openShop(kassa.ctx)
wallet.resultUrl = `${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`
afterAll(async () => {
  delete DRIVERS.wallet
})

let number = 0
async function open(): Promise<{ id: string; bill: string; url: string }> {
  const key = `wallet-${++number}`
  const { body } = await createSession(kassa.url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key, amountMinor: 1900 }),
  })
  const payment = await stored(body.id)
  return { id: body.id, bill: payment.attempt.reference, url: body.checkoutUrl }
}
async function stored(id: string) {
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  if (!payment) throw new Error('no such payment')
  return payment
}
const statusOf = async (id: string) => (await stored(id)).status
const warningsOf = async (id: string) =>
  (await listPaymentWarnings(kassa.ctx.db, shop.merchantId, id)).map(({ detail }) => detail)
const capturedBy = async (id: string) =>
  (await listEntries(kassa.ctx.db, await stored(id))).filter(({ kind }) => kind === 'taken')
async function later(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await SWEEPS.statusSync(kassa.ctx)
}

describe('a buyer', () => {
  test('posts the form to the wallet, pays, and comes back to the one address that the wallet knows', async () => {
    const { id, bill, url } = await open()
    const { html } = await readPage(url)
    expect(html).toContain(`value="${bill}"`)
    const form = new URLSearchParams({ SHOP: ACCOUNT.shop, BILL: bill, AMOUNT: '19.00' })
    const left = await fetch(`${url}/continue`, { method: 'POST', body: form, redirect: 'manual' })
    expect([left.status, left.headers.get('location')]).toEqual([307, `${wallet.address}/pay`])
    await fetch(`${wallet.address}/pay`, { method: 'POST', body: form })
    expect(await wallet.pay(bill)).toBe(true)

    const cookie = left.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    const at = `${kassa.url}/returns/${kassa.ctx.routes.route_a.id}`
    const { returnUrl } = await getAccountView(kassa.ctx, kassa.ctx.routes.route_a.id)
    expect(returnUrl).toBe(`${kassa.ctx.baseUrl}/returns/${kassa.ctx.routes.route_a.id}`)
    const posted = await fetch(at, { method: 'POST', redirect: 'manual' })
    expect([posted.status, posted.headers.get('location')]).toEqual([303, new URL(at).pathname])
    const back = await fetch(at, { headers: { cookie }, redirect: 'manual' })
    expect(back.headers.get('location')).toBe(`/checkout/${id}/return`)
    expect((await lookUp(kassa.url, shop, id)).body).toMatchObject({ status: 'paid', capturedMinor: 1900 })
  })

  test('who comes back without our cookie learns of no payment, whatever the address says', async () => {
    const { id, bill } = await open()
    const at = `${kassa.url}/returns/${kassa.ctx.routes.route_a.id}`
    for (const cookie of ['', 'kassa_paying=pay_test_nobody', 'kassa_paying=//evil.example']) {
      const answer = await fetch(`${at}?BILL=${bill}`, { headers: { cookie }, redirect: 'manual' })
      expect(`${answer.headers.get('location')} ${await answer.text()}`).not.toContain(id)
      expect(answer.headers.get('location') ?? '').not.toContain('evil')
    }
  })
})

describe('a pre-check', () => {
  test('lets nobody pay another amount, an unknown order or an order whose time is over', async () => {
    const { id, bill } = await open()
    expect(await wallet.precheck(bill, '18.99')).toBe(false)
    expect(await wallet.precheck('nobody')).toBe(false)
    expect(await statusOf(id)).toBe('pending_redirect')
    kassa.clock.advance(3 * 3_600_000)
    expect(await wallet.precheck(bill)).toBe(false)
  })

  test('that is allowed moves no money, and proves nothing', async () => {
    const { id, bill } = await open()
    expect(await wallet.precheck(bill)).toBe(true)
    expect(await stored(id)).toMatchObject({ status: 'pending_payment', capturedMinor: 0 })
    expect(await capturedBy(id)).toEqual([])
  })

  test('of ten at once is allowed once, and again later for a buyer whose payment failed', async () => {
    const { bill } = await open()
    const all = await Promise.all(Array.from({ length: 10 }, () => wallet.precheck(bill)))
    expect(all.filter((isAllowed) => isAllowed)).toHaveLength(1)
    kassa.clock.advance(2 * MINUTE_MS)
    expect(await wallet.precheck(bill)).toBe(true)
    expect((await wallet.confirm(bill)).state).toBe('taken')
    kassa.clock.advance(2 * MINUTE_MS)
    expect(await wallet.precheck(bill)).toBe(false)
  })
})

describe('a proof', () => {
  test('that arrives ten times at once is taken each time, and the money is entered once', async () => {
    const { id, bill } = await open()
    const all = await Promise.all(Array.from({ length: 10 }, () => wallet.confirm(bill, { id: 'same' })))
    expect(all.map(({ state }) => state)).toEqual(Array(10).fill('taken'))
    expect(await capturedBy(id)).toHaveLength(1)
    expect(await statusOf(id)).toBe('paid')
  })

  test('of two transactions at once keeps one, and a person learns of the other', async () => {
    const { id, bill } = await open()
    const two = await Promise.all(
      ['one', 'two'].map((name) => wallet.confirm(bill, { id: `${bill}-${name}` })),
    )
    expect(two.map(({ state }) => state).sort()).toEqual(['returned', 'taken'])
    const taken = two.find(({ state }) => state === 'taken')
    const other = two.find(({ state }) => state === 'returned')
    expect(await capturedBy(id)).toHaveLength(1)
    expect((await stored(id)).attempt.facts).toMatchObject({ providerTransactionId: taken?.id })
    expect((await warningsOf(id)).join()).toContain(`${other?.id}`)
  })

  test('for another amount is not kept, and a person decides', async () => {
    const { id, bill } = await open()
    expect((await wallet.confirm(bill, { amount: '18.00' })).state).toBe('returned')
    expect(await stored(id)).toMatchObject({ status: 'status_unknown' })
    expect((await wallet.confirm(bill)).state).toBe('taken')
    expect(await statusOf(id)).toBe('paid')
  })

  test('of an order that is not stored, or with a wrong checksum, is not kept', async () => {
    const { id, bill } = await open()
    expect((await wallet.confirm('not-stored-yet')).state).toBe('returned')
    const forged = { SHOP: ACCOUNT.shop, BILL: bill, AMOUNT: '19.00', TRANSACTION: 'x', CHECKSUM: 'y' }
    expect((await wallet.post(forged)).text).not.toBe('OK')
    expect(await statusOf(id)).toBe('pending_redirect')
  })
})

describe('a late or interrupted proof', () => {
  test('that comes after the expiry counts, because the buyer has paid', async () => {
    const { id, bill } = await open()
    await later(3 * 3_600_000)
    expect(await statusOf(id)).toBe('expired')
    expect((await wallet.confirm(bill)).state).toBe('taken')
    expect(await statusOf(id)).toBe('paid')
  })

  test('that was stored by a process that died is applied by the worker', async () => {
    const { id, bill } = await open()
    const { attempt } = await stored(id)
    const money = { authorizedMinor: 1900, capturedMinor: 1900, refundedMinor: 0 }
    const order = { order: 'completed', reference: bill, amountMinor: 1900, currency: 'USD' }
    const dueAt = new Date(kassa.clock.now().getTime() + MINUTE_MS)
    const proof = { ...order, ...money, providerTransactionId: 'before-the-crash' }
    await storeProof(kassa.ctx.db, attempt, { proof, transactionId: 'before-the-crash', dueAt })
    await later(2 * MINUTE_MS)
    expect(await statusOf(id)).toBe('paid')
    // The wallet sends it again, because it got no reply.
    expect((await wallet.confirm(bill, { id: 'before-the-crash' })).state).toBe('taken')
    expect((await wallet.confirm(bill, { id: 'another' })).state).toBe('returned')
    expect(await capturedBy(id)).toHaveLength(1)
  })
})

describe('an order that nobody pays', () => {
  test('ends at its expiry, although nobody can be asked', async () => {
    const { id } = await open()
    await later(3 * 3_600_000)
    expect(await statusOf(id)).toBe('expired')
  })

  test('but was allowed to be paid, is left to a person some time after its expiry', async () => {
    const { id, bill } = await open()
    expect(await wallet.precheck(bill)).toBe(true)
    const { expiresAt } = await stored(id)
    await later(expiresAt.getTime() - kassa.clock.now().getTime())
    expect(await statusOf(id)).toBe('pending_payment')
    await later(16 * MINUTE_MS)
    expect(await stored(id)).toMatchObject({ status: 'status_unknown', capturedMinor: 0 })
    expect((await wallet.confirm(bill)).state).toBe('taken')
    expect(await statusOf(id)).toBe('paid')
  })
})
