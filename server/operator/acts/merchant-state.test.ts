/** A merchant that is paused or closed takes nothing new, and everything that has begun goes on. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  askOperation,
  call,
  createLink,
  createSession,
  lookUp,
  payAtBank,
  readPage,
  sessionRequest,
} from '../../testing/calls.ts'
import { openShop, SHOP_ORIGIN, type Shop } from '../../testing/harness.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import {
  createSubscription,
  createToken,
  openToken,
  subscriptionRequest,
} from '../../testing/payments/subscriptions.ts'
import { forgetCached } from '../../testing/real-time.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const DAY_MS = 24 * 3_600_000

let shop: Shop
let orders = 0
const kassa = await openKassa()
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
})

async function change(verb: string, ...more: string[]) {
  const args = ['merchant', verb, '--merchant', shop.merchantId, ...more]
  const { answer } = await operateJson({}, args, (_settings, words) =>
    operateHere(async () => kassa.ctx, words),
  )
  if (verb === 'resume') forgetCached()
  return answer
}
function session(provider = 'route_a', key = `state-${++orders}`) {
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 1900, provider })
  return createSession(kassa.url, shop, { key, body })
}
async function pay(provider?: string): Promise<string> {
  const { body } = await session(provider)
  await payAtBank(body.providerCheckoutUrl, 'paid')
  return body.id
}
const statusOf = async (id: string) => (await lookUp(kassa.url, shop, id)).body.status
const refused = { error: { code: 'provider_unavailable', retryable: false } }

describe('while a merchant is paused', () => {
  test('nothing new begins, whatever it is, and the merchant reads why', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const before = await createLink(kassa.url, shop, { key: 'before' })
    await change('pause', '--why', 'the shop moves')
    const widget = {
      publicKey: shop.publicKey,
      productId: 'tea',
      clientReference: 'click-1',
      returnUrl: `${SHOP_ORIGIN}/thanks`,
    }
    const answers = [
      await session(),
      await session('manual'),
      await createLink(kassa.url, shop, { key: 'link-1' }),
      await call(`${kassa.url}/api/widget/checkout`, { headers: { origin: SHOP_ORIGIN }, body: widget }),
      await createToken(kassa.url, shop),
      await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) }),
    ]
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('retry-after')]).toEqual([503, null])
      expect(body).toMatchObject(refused)
      expect(body.error.message).toBe('This merchant takes no new payments at the moment.')
    }
    const page = await readPage(`${kassa.url}/pay/${shop.publicKey}/tea`)
    expect(page.status).toBe(503)
    expect(page.html).toContain('data-kind="unavailable"')
    expect((await readPage(before.body.checkoutUrl)).html).toContain('Payment is not available right now')
    const pressed = await fetch(`${before.body.checkoutUrl}/continue`, { method: 'POST', redirect: 'manual' })
    expect(pressed.headers.get('location')).toContain('unavailable')
    const { body: capabilities } = await call(`${kassa.url}/v1/capabilities`, {
      method: 'GET',
      headers: { authorization: `Bearer ${shop.token}` },
    })
    expect(capabilities.status).toBe('not_ready')
    expect(capabilities.providers[0].readiness).toMatchObject({
      enabledForPaymentCreation: false,
      reason: 'This merchant takes no new payments at the moment.',
    })
    const { rows } = await kassa.ctx.db.query(
      'select count(*)::int as count from sandbox.attempts where merchant_id = $1 and opened_at is not null',
      [shop.merchantId],
    )
    expect(rows[0].count).toBe(0)
    expect(await change('resume')).toMatchObject({ state: 'open', before: 'paused', stoppedAt: null })
    expect((await session()).status).toBe(201)
  })

  test('what has begun goes on: replays, buyers at the bank, look-ups, events, refunds, captures and voids', async () => {
    const [paid, held, other] = [await pay(), await pay('route_b'), await pay('route_b')]
    const { body: atBank } = await session('route_a', 'at-the-bank')
    await change('pause')
    expect(await session('route_a', 'at-the-bank')).toMatchObject({ status: 200, body: { id: atBank.id } })
    await payAtBank(atBank.providerCheckoutUrl, 'paid')
    const reason = { reason: 'returned' }
    const requests = [
      await askOperation(kassa.url, shop, paid, 'refunds', {
        key: 'a',
        body: { amountMinor: 500, ...reason },
      }),
      await askOperation(kassa.url, shop, held, 'capture', { key: 'b', body: {} }),
      await askOperation(kassa.url, shop, other, 'void', { key: 'c', body: reason }),
    ]
    expect(requests.map(({ status }) => status)).toEqual([201, 201, 201])
    await SWEEPS.moneyOperations(kassa.ctx)
    expect(await Promise.all([paid, held, other, atBank.id].map(statusOf))).toEqual([
      'partially_refunded',
      'paid',
      'reversed',
      'paid',
    ])
    const { rows } = await kassa.ctx.db.query(
      `select body::json -> 'payment' ->> 'status' as status from sandbox.events where payment_id = $1 order by id desc limit 1`,
      [atBank.id],
    )
    expect(rows[0].status).toBe('paid')
  })

  test('renewals wait, and are charged afterwards', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const { body } = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
    const { id } = body.subscription
    const sweep = () => SWEEPS.renewals(kassa.ctx)
    const charges = async () =>
      (
        await kassa.ctx.db.query(
          'select state from sandbox.subscription_charges where subscription_id = $1 order by period, attempt',
          [id],
        )
      ).rows.map(({ state }) => state)
    await sweep()
    expect(await charges()).toEqual(['paid'])
    await change('pause')
    kassa.clock.advance(32 * DAY_MS)
    for (let hours = 0; hours < 5; hours++) {
      await sweep()
      kassa.clock.advance(3_600_000)
    }
    expect(await charges()).toEqual(['paid'])
    await change('resume')
    await sweep()
    expect(await charges()).toEqual(['paid', 'paid'])
  })
})

describe('closing', () => {
  test('is refused while something is open, and done with a reason', async () => {
    await session()
    await pay('route_b')
    const { error } = await change('close')
    expect(error.message).toContain('1 payments that can still be paid (sandbox)')
    expect(error.message).toContain('1 payments whose money is held')
    expect((await change('close', '--why', 'the contract has ended', '--dry-run')).dryRun).toBe(true)
    expect((await session()).status).toBe(201)
    const closed = await change('close', '--why', 'the contract has ended')
    expect(closed).toMatchObject({ state: 'closed', before: 'open', stoppedWhy: 'the contract has ended' })
    expect((await session()).body.error.message).toBe('This merchant is closed and takes no new payments.')
    expect((await change('pause')).error.code).toBe('validation_failed')
    expect((await change('resume')).state).toBe('open')
    const { rows } = await kassa.ctx.db.query(
      `select what, after::json ->> 'state' as state from kassa.audit_log
       where merchant_id = $1 and about like 'merchants %' and after like '%"state"%' order by seq`,
      [shop.merchantId],
    )
    expect(rows).toEqual([
      { what: 'merchant close', state: 'closed' },
      { what: 'merchant resume', state: 'open' },
    ])
  })

  test('tells of a payment that began in the same second', async () => {
    // A process that has read the state just before still knows the old one.
    const known = vi.spyOn(kassa.ctx.accounts, 'read').mockResolvedValue(await kassa.ctx.accounts.read())
    const closing = change('close')
    await expect
      .poll(async () => {
        const { rows } = await kassa.ctx.db.query('select state from kassa.merchants where id = $1', [
          shop.merchantId,
        ])
        return rows[0].state
      })
      .toBe('closed')
    expect((await session()).status).toBe(201)
    known.mockRestore()
    expect((await closing).open).toMatchObject([{ what: 'openPayments', count: 1 }])
  })

  test('needs no reason where nothing is open', async () => {
    const id = await pay()
    expect(await change('close')).toMatchObject({ state: 'closed', open: [] })
    expect(await statusOf(id)).toBe('paid')
    const body = { amountMinor: 100, reason: 'returned' }
    expect((await askOperation(kassa.url, shop, id, 'refunds', { key: 'd', body })).status).toBe(201)
  })
})
