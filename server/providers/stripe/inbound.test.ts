/** Which webhooks are accepted, which order they lead to, and what Stripe gets as a reply. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { signatureHeader } from '../../testing/providers/stripe/events.ts'
import { STRIPE_SECRET, type StripeScene, setStripeScene } from '../../testing/providers/stripe-scene.ts'
import type { InboundEvent, RawInbound } from '../driver.ts'
import { stripeDriver } from './driver.ts'
import { REFERENCE } from './shapes.ts'

const DAY_MS = 86_400_000
const scenes: StripeScene[] = []
let scene: StripeScene
beforeEach(async () => {
  scene = await setStripeScene()
  scenes.push(scene)
})
afterAll(async () => {
  for (const each of scenes) await each.close()
})

async function webhooksOf(
  changes: object = {},
  waits: number[] = [0],
): Promise<{ reference: string; webhooks: RawInbound[] }> {
  const { reference } = await scene.pay(changes)
  for (const ms of waits) await scene.later(ms)
  return { reference, webhooks: scene.webhooks() }
}

async function receive(raw: RawInbound, call = scene.callWith()): Promise<InboundEvent> {
  if (!stripeDriver.inbound) throw new Error('no inbound')
  return stripeDriver.inbound.receive(call, raw)
}

/** Returns a webhook of Stripe about this object, signed with the scene's secret at this time, by default now. */
function letterAbout(
  object: object,
  changes: object = {},
  seconds = Math.floor(scene.now().getTime() / 1_000),
): RawInbound {
  const event = { id: 'evt_1', type: 'refund.updated', livemode: false, data: { object }, ...changes }
  const body = JSON.stringify(event)
  const signature = signatureHeader([STRIPE_SECRET], seconds, body)
  return {
    method: 'POST',
    path: '/',
    query: {},
    headers: { 'stripe-signature': signature },
    body: Buffer.from(body),
  }
}

test('the signature is that of the official package', () => {
  const body = '{"id":"evt_local_1","object":"event","type":"checkout.session.completed"}'
  expect(signatureHeader(['whsec_local_test'], 1_800_000_000, body)).toBe(
    't=1800000000,v1=885cd132f75bd9af131270d284877c870a7a80d6603c2a497d7f82f5b3421b8e',
  )
})

describe('a genuine event', () => {
  test('of every kind that the endpoint sends leads to the order', async () => {
    const { reference, webhooks } = await webhooksOf(
      { description: 'simulate dispute_won' },
      [20_000, 60_000],
    )
    const types = webhooks.map(({ body }) => JSON.parse(body.toString()).type)
    expect(types).toEqual([
      'payment_intent.succeeded',
      'checkout.session.completed',
      'charge.dispute.created',
      'charge.dispute.closed',
    ])
    for (const raw of webhooks) expect(await receive(raw)).toEqual({ kind: 'hint', reference })
  })

  test('about a refund made in the Dashboard leads to the order by its payment intent', async () => {
    const { reference, state } = await scene.pay()
    const { intent } = state as { intent: string }
    expect(await receive(letterAbout({ id: 're_1', metadata: {}, payment_intent: intent }))).toEqual({
      kind: 'hint',
      reference,
    })
  })

  test('that is not about an order of ours gets a 200, so that Stripe does not switch off the endpoint', async () => {
    const strangers = [
      letterAbout({ id: 'cus_1' }),
      letterAbout({ id: 're_2', payment_intent: 'pi_ofAnotherShop' }),
      letterAbout({ id: 'po_1', metadata: { order: '7' } }),
    ]
    for (const raw of strangers) {
      const event = await receive(raw)
      expect(event).toEqual({ kind: 'hint', reference: '' })
      expect(stripeDriver.inbound?.reply(event, 'refused').status).toBe(200)
    }
  })

  test('is sent again until it is accepted', async () => {
    scene.away(true)
    const { reference } = await scene.pay()
    await scene.later(0)
    expect(scene.webhooks()).toEqual([])
    scene.away(false)
    await scene.later(60_000)
    const webhooks = scene.webhooks()
    expect(webhooks.length).toBeGreaterThan(1)
    for (const raw of webhooks) expect(await receive(raw)).toEqual({ kind: 'hint', reference })
  })

  test('is accepted with either secret during a rotation, and not with the old one afterwards', async () => {
    scene.endpoint.secrets = ['whsec_new', STRIPE_SECRET]
    const { reference, webhooks } = await webhooksOf()
    scene.endpoint.secrets = ['whsec_new']
    const { webhooks: after } = await webhooksOf()
    const [raw, later] = [webhooks[0] as RawInbound, after[0] as RawInbound]
    const both = scene.callWith({ WEBHOOK_SECRET: `whsec_new, ${STRIPE_SECRET}` })
    expect(await receive(raw, both)).toEqual({ kind: 'hint', reference })
    expect(await receive(raw)).toEqual({ kind: 'hint', reference })
    expect((await receive(later)).kind).toBe('rejected')
    expect((await receive(later, both)).kind).toBe('hint')
    expect((await receive(raw, scene.callWith({ WEBHOOK_SECRET: 'whsec_other' }))).kind).toBe('rejected')
  })
})

describe('an event that is rejected', () => {
  test('forged: other bytes, another time, no or half a signature, another method', async () => {
    const [raw] = (await webhooksOf()).webhooks as [RawInbound]
    const signature = raw.headers['stripe-signature'] ?? ''
    const sign = (text: string) => ({ ...raw, headers: { 'stripe-signature': text } })
    const forgeries: RawInbound[] = [
      { ...raw, body: Buffer.from(JSON.stringify(JSON.parse(raw.body.toString()))) },
      sign(signature.replace(/t=\d+/, 't=1800000000')),
      sign(signature.slice(0, -1)),
      sign(signature.replace('v1=', 'v0=')),
      sign(''),
      { ...raw, headers: {} },
      { ...raw, method: 'GET' },
    ]
    for (const each of forgeries) expect((await receive(each)).kind).toBe('rejected')
    expect(stripeDriver.inbound?.reply(await receive(forgeries[0] as RawInbound), 'refused').status).toBe(400)
  })

  test('replayed: signed more than five minutes of real time ago, in the live world and in the sandbox', async () => {
    const object = { id: 'cs_1', metadata: { [REFERENCE]: 'x' } }
    const real = Math.floor(Date.now() / 1_000)
    const live = scene.callWith({}, true)
    for (const [call, livemode] of [
      [live, true],
      [scene.callWith(), false],
    ] as const) {
      expect((await receive(letterAbout(object, { livemode }, real - 290), call)).kind).toBe('hint')
      expect((await receive(letterAbout(object, { livemode }, real - 310), call)).kind).toBe('rejected')
    }
    // Stripe's clock does not follow that of the sandbox.
    await scene.later(DAY_MS)
    expect((await receive(letterAbout(object, {}, real))).kind).toBe('hint')
    expect((await receive(letterAbout(object, {}, real - 310))).kind).toBe('rejected')
  })

  test('of the other mode, although it is signed', async () => {
    const object = { id: 'cs_1', metadata: { [REFERENCE]: 'x' } }
    await expect(receive(letterAbout(object, { livemode: true }))).rejects.toThrow('of live mode')
    await expect(receive(letterAbout(object), scene.callWith({}, true))).rejects.toThrow('of test mode')
  })

  test('without a secret every event is rejected', async () => {
    const [raw] = (await webhooksOf()).webhooks as [RawInbound]
    const event = await receive(raw, scene.callWith({ WEBHOOK_SECRET: undefined }))
    expect(event).toEqual({
      kind: 'rejected',
      message: 'WEBHOOK_SECRET is not set, so nothing can be checked',
    })
  })
})
