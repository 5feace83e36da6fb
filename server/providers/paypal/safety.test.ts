/** PayPal in a whole Kassa: forged events. */
import { describe, expect, test } from 'vitest'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { CERT_PATH } from '../../testing/providers/paypal/events.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer, addWebhook } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'
import { modeStatedBy } from './settings.ts'

const LIVE = 'https://api.paypal.com'

const scene = closeAfter(await setPaypalScene())

const writes = async (id: string) =>
  (await scene.orders(id)).map(({ status, captures, refunds }) => [status, captures.length, refunds.length])

describe('a callback', () => {
  test('that is forged, foreign or of another time changes nothing', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    // The same event for another webhook, signed by PayPal as well.
    addWebhook(scene.server, 'https://elsewhere.example/hook', 'WEBHOOKELSEWHERE')
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    scene.server.account.webhooks.delete('WEBHOOKELSEWHERE')
    const [genuine, foreign] = scene.server.takeSent()
    if (!genuine || !foreign) throw new Error('PayPal sent too little')
    const { headers } = genuine
    const forgeries = [
      { ...foreign, url: genuine.url },
      { ...genuine, body: genuine.body.replace('"19.00"', '"1.00"') },
      { ...genuine, body: `${genuine.body} ` },
      { ...genuine, headers: { 'content-type': 'application/json' } },
      { ...genuine, headers: { ...headers, 'paypal-transmission-time': '2020-01-01T00:00:00Z' } },
      { ...genuine, headers: { ...headers, 'paypal-cert-url': `https://evil.example${CERT_PATH}` } },
      { ...genuine, headers: { ...headers, 'paypal-transmission-sig': 'bm90LXNpZ25lZA==' } },
    ]
    expect(await scene.deliver(forgeries)).toEqual(forgeries.map(() => 403))
    expect(await scene.status(body.id)).toBe('pending_redirect')
    // The genuine one brings the money, and its replays bring nothing more.
    expect(await scene.deliver([genuine, genuine, genuine])).toEqual([200, 200, 200])
    expect(await scene.status(body.id)).toBe('paid')
    expect(await writes(body.id)).toEqual([['COMPLETED', 1, 0]])
  })

  test('of an earlier moment, sent after the refund, leaves the payment refunded', async () => {
    scene.server.takeSent()
    const id = await scene.pay()
    const earlier = scene.server.takeSent()
    await scene.ask(id, 'refunds', { amountMinor: 1_900, reason: 'returned' })
    await scene.later()
    expect(await scene.status(id)).toBe('refunded')
    await scene.deliver([...earlier].reverse())
    expect(await scene.status(id)).toBe('refunded')
    expect(await writes(id)).toEqual([['COMPLETED', 1, 1]])
  })

  test('while PayPal cannot be asked is not accepted, so that PayPal sends it again', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    const sent = scene.server.takeSent()
    scene.proxy.spoilNext('lost', (_, path) => path.includes('verify-webhook-signature'))
    expect(await scene.deliver(sent)).toEqual([503])
    expect(await scene.deliver(sent)).toEqual([200])
    expect(await scene.status(body.id)).toBe('paid')
  })
})

describe('an answer about real money', () => {
  test('pays nothing, and the payment gets a warning', async () => {
    const { body } = await scene.open()
    const back = await actAsBuyer(body.providerCheckoutUrl, 'pay')
    // The order's own address is that of PayPal's live API.
    scene.proxy.rewrite((text) =>
      text.replace(
        /"href":"http:[^"]*(\/v2\/checkout\/orders\/\w+)","rel":"self"/,
        `"href":"${LIVE}$1","rel":"self"`,
      ),
    )
    await scene.comeBack(back)
    await scene.later(60_000)
    scene.proxy.rewrite(null)
    expect([await scene.status(body.id), await writes(body.id)]).toEqual([
      'pending_redirect',
      [['APPROVED', 0, 0]],
    ])
    const { db } = scene.kassa.ctx
    const warnings = await listPaymentWarnings(db, scene.shop.merchantId, body.id)
    expect(warnings.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('this test account with an object of live mode'),
    ])
    await scene.aWhileLater()
    expect(await scene.status(body.id)).toBe('paid')
  })

  test('with a webhook that is signed for real money is rejected', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    const sent = scene.server.takeSent()
    const live = sent.map((each) => ({
      ...each,
      headers: { ...each.headers, 'paypal-cert-url': `${LIVE}${CERT_PATH}` },
    }))
    expect([await scene.deliver(live), await scene.status(body.id)]).toEqual([[403], 'pending_redirect'])
  })

  test.each([
    [`${LIVE}/v2/checkout/orders/1`, 'live'],
    ['https://www.paypal.com/checkoutnow?token=1', 'live'],
    ['https://api.sandbox.paypal.com/v1/notifications/certs/CERT', 'test'],
    ['https://www.sandbox.paypal.com/checkoutnow?token=1', 'test'],
    ['https://developer.paypal.com/docs/api/orders/v2/', null],
    ['https://api.paypal.com.evil.example/', null],
    ['http://127.0.0.1:1/', null],
    ['rubbish', null],
  ])('is told by the address %s: %s', (url, mode) => {
    expect(modeStatedBy(url)).toBe(mode)
  })
})
