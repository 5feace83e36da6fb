/** Thin events only name the object that has changed. The driver asks Stripe for it, to find our order. */
import Stripe from 'stripe'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { signatureHeader } from '../../testing/providers/stripe/events.ts'
import { detach, endMandate } from '../../testing/providers/stripe/methods.ts'
import {
  STRIPE_KEY,
  STRIPE_SECRET,
  type StripeScene,
  setStripeScene,
} from '../../testing/providers/stripe-scene.ts'
import type { InboundEvent, RawInbound } from '../driver.ts'
import { stripeDriver } from './driver.ts'
import { EVENTS } from './inbound.ts'

const scenes: StripeScene[] = []
let scene: StripeScene
beforeEach(async () => {
  scene = await setStripeScene()
  scenes.push(scene)
  Object.assign(scene.endpoint, { style: 'thin', events: EVENTS.map((type) => `v1.${type}`) })
})
afterAll(async () => {
  for (const each of scenes) await each.close()
})

async function receive(raw: RawInbound, call = scene.callWith()): Promise<InboundEvent> {
  if (!stripeDriver.inbound) throw new Error('no inbound')
  return stripeDriver.inbound.receive(call, raw)
}

/** Returns a signed thin event about this object. */
function thinAbout(related: object | null, changes: object = {}): RawInbound {
  const event = {
    id: 'evt_thin',
    object: 'v2.core.event',
    type: 'v1.refund.updated',
    created: scene.now().toISOString(),
    livemode: false,
    related_object: related,
    ...changes,
  }
  const body = JSON.stringify(event)
  const seconds = Math.floor(scene.now().getTime() / 1_000)
  const headers = { 'stripe-signature': signatureHeader([STRIPE_SECRET], seconds, body) }
  return { method: 'POST', path: '/', query: {}, headers, body: Buffer.from(body) }
}

const typesOf = (webhooks: RawInbound[]) => webhooks.map(({ body }) => JSON.parse(body.toString()).type)

test('the simulator’s thin events are read by the official package', async () => {
  await scene.pay()
  await scene.later(0)
  const stripe = new Stripe(STRIPE_KEY)
  for (const { body, headers } of scene.webhooks()) {
    const signature = headers['stripe-signature'] ?? ''
    const read = stripe.parseEventNotification(
      body,
      signature,
      STRIPE_SECRET,
      undefined,
      undefined,
      scene.now().getTime(),
    )
    expect(read).toMatchObject({ related_object: { url: expect.stringMatching(/^\/v1\/\w+(\/\w+)+$/) } })
  }
})

test('a thin event about a session, an intent, a charge, a refund or a dispute leads to the order', async () => {
  const { reference, state } = await scene.pay({ description: 'simulate dispute_won' })
  const { intent } = state as { intent: string }
  // Somebody refunds in the Dashboard, so the refund has no reference of ours.
  const write = { state, reference, key: 'k', amountMinor: 500, currency: 'USD' as const, reason: null }
  await stripeDriver.refund?.(scene.callWith(), { ...write, before: await lookBefore(reference, state) })
  for (const refund of scene.account.refunds.values()) refund.metadata = {}
  const [refund] = scene.account.refunds.values()
  for (const ms of [0, 20_000, 60_000]) await scene.later(ms)
  const webhooks = [...scene.webhooks(), thinAbout({ id: refund?.id, type: 'refund', url: '/v1/refunds/x' })]
  expect(typesOf(webhooks)).toEqual([
    'v1.payment_intent.succeeded',
    'v1.checkout.session.completed',
    'v1.charge.refunded',
    'v1.charge.dispute.created',
    'v1.charge.dispute.closed',
    'v1.refund.updated',
  ])
  for (const raw of webhooks) expect(await receive(raw)).toEqual({ kind: 'hint', reference })
  expect(intent).toMatch(/^pi_/)
})

async function lookBefore(reference: string, state: unknown) {
  return (await scene.look({ reference, state })).snapshot
}

test('a thin event about a saved card or its mandate leads to the card', async () => {
  const reference = 'saving00000000000000000001'
  const saving = { ...scene.attempt(), reference }
  const opened = await stripeDriver.saveToken?.(scene.callWith(), saving)
  if (opened?.kind !== 'redirect') throw new Error('no page')
  scene.buyer(opened, 'saved_with_mandate')
  const [method] = scene.account.methods.values()
  const [mandate] = scene.account.mandates.values()
  if (!method || !mandate) throw new Error('nothing saved')
  endMandate(scene.server.books, scene.account, mandate)
  detach(scene.server.books, scene.account, method)
  await scene.later(0)
  const webhooks = scene.webhooks()
  expect(typesOf(webhooks)).toEqual([
    'v1.checkout.session.completed',
    'v1.mandate.updated',
    'v1.payment_method.detached',
  ])
  const events = []
  for (const raw of webhooks) events.push(await receive(raw))
  expect(events).toEqual([
    { kind: 'hint', reference },
    { kind: 'hint', reference: '', savedMethod: { method: method.id } },
    { kind: 'hint', reference: '', savedMethod: { method: method.id } },
  ])
})

test('a thin event that is not about an order of ours gets a 200', async () => {
  const strangers = [
    thinAbout(null, { type: 'v2.core.event_destination.ping' }),
    thinAbout({ id: 'cus_1', type: 'customer', url: '/v1/customers/cus_1' }),
    thinAbout({ id: 're_unknown', type: 'refund', url: '/v1/refunds/re_unknown' }),
    thinAbout({ id: '../balance', type: 'charge', url: '/v1/balance' }),
  ]
  for (const raw of strangers) {
    const event = await receive(raw)
    expect(event).toEqual({ kind: 'hint', reference: '' })
    expect(stripeDriver.inbound?.reply(event, 'refused').status).toBe(200)
  }
})

test('a forged thin event, and one of the other mode, are rejected', async () => {
  const related = { id: 're_1', type: 'refund', url: '/v1/refunds/re_1' }
  const raw = thinAbout(related)
  const forged = { ...raw, body: Buffer.from(raw.body.toString().replace('re_1', 're_2')) }
  expect((await receive(forged)).kind).toBe('rejected')
  await expect(receive(thinAbout(related, { livemode: true }))).rejects.toThrow('of live mode')
})

test('a thin event that Stripe does not answer about is sent again', async () => {
  const raw = thinAbout({ id: 're_1', type: 'refund', url: '/v1/refunds/re_1' })
  await expect(receive(raw, scene.callWith({ API_BASE: 'http://127.0.0.1:9' }))).rejects.toThrow()
})
