/**
 * A wallet gives the money back unless it reads exactly one word. Where our server cannot take a confirmation, the wallet reads what its
 * protocol has for that, and never a page of ours that leaves the money with nobody.
 */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { DRIVERS } from '../../../providers/registry.ts'
import { findPayment } from '../../../storage/payments/payments.ts'
import { createSession, sessionRequest } from '../../calls.ts'
import { openShop } from '../../harness.ts'
import { closeAfter, openKassa } from '../../scene.ts'
import { routeSettings } from '../route-settings.ts'
import { walletDriver } from './wallet.ts'
import { startWallet } from './wallet-server.ts'

const ACCOUNT = { shop: 'tea-shop', secret: 'local-test-secret' }
DRIVERS.wallet = { driver: walletDriver, settings: walletDriver.settings }
const wallet = closeAfter(await startWallet(ACCOUNT))
const own = { DRIVER: 'wallet', ADDRESS: wallet.address, SHOP: ACCOUNT.shop, SECRET: ACCOUNT.secret }
const kassa = await openKassa({
  settings: {
    ...routeSettings('ROUTE_A', own),
    ...routeSettings('ROUTE_B', { ...own, SHOP: 'known-shop', CALLERS: '127.0.0.0/8 ::1' }),
    RATE_LIMITS: 'callback=0.001:5',
  },
})
const shop = await openShop(kassa.ctx)
afterAll(async () => {
  delete DRIVERS.wallet
})
const callTo = (route: 'route_a' | 'route_b') => {
  wallet.resultUrl = `${kassa.url}/callbacks/${kassa.ctx.routes[route].id}`
}
beforeEach(() => callTo('route_a'))

let keys = 0
async function open(): Promise<{ id: string; bill: string }> {
  const key = `unheard-${++keys}`
  const { body } = await createSession(kassa.url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key, amountMinor: 1900 }),
  })
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, body.id)
  return { id: body.id, bill: payment?.attempt.reference ?? '' }
}

describe('a confirmation that our server cannot take', () => {
  test('because the database is away is not kept by the wallet, and is taken when it is sent again', async () => {
    const { id, bill } = await open()
    const { connect, query } = kassa.ctx.db
    const away = () => Promise.reject(new Error('the database is away'))
    Object.assign(kassa.ctx.db, { connect: away, query: away })
    const first = await wallet.confirm(bill, { id: `${bill}-1` })
    Object.assign(kassa.ctx.db, { connect, query })
    expect(first.state).toBe('returned')
    const again = await wallet.confirm(bill, { id: `${bill}-2` })
    expect(again.state).toBe('taken')
    expect((await findPayment(kassa.ctx.db, shop.merchantId, id))?.status).toBe('paid')
  })

  test('because it is too large, or none of ours, is not kept', async () => {
    const { bill } = await open()
    const large = { SHOP: ACCOUNT.shop, BILL: bill, AMOUNT: '19.00', TRANSACTION: 'x'.repeat(300_000) }
    expect(await wallet.post({ ...large, CHECKSUM: 'y' })).toEqual({ status: 200, text: 'not stored' })
  })

  test('because others call too often is not kept, and the wallet’s own addresses may call as often as they like', async () => {
    const { bill } = await open()
    for (let times = 0; times < 6; times++) await wallet.post({ PRECHECK: 'YES', SHOP: 'nobody' })
    const late = await wallet.confirm(bill, { id: `${bill}-late` })
    expect(late.state).toBe('returned')
    callTo('route_b')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        wallet.post({ PRECHECK: 'YES', SHOP: 'nobody', BILL: 'x', AMOUNT: '1' }),
      ),
    )
    for (const { text } of answers) expect(text).not.toBe('not stored')
  })
})

test('an account that nobody knows gets our own error, because no protocol is known', async () => {
  const answer = await fetch(`${kassa.url}/callbacks/acc_test_nobody`, { method: 'POST', body: 'x' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    expect.toBeOneOf([404, 429]),
    expect.stringContaining('json'),
  ])
})
