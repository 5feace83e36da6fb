/**
 * A whole Kassa with a Stripe account: no write is sent twice with two effects, whatever happens to responses, processes and
 * keys.
 */
import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { findOperationById } from '../../storage/payments/operations.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { findSavedMethod, type SavedMethodRecord } from '../../storage/saved-methods/saved-methods.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import {
  chargesOf,
  createSubscription,
  createToken,
  subscriptionRequest,
} from '../../testing/payments/subscriptions.ts'
import { writeKeyOf } from '../../testing/payments/write-key.ts'
import { startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import type { CardName } from '../../testing/providers/stripe/cards.ts'
import { signatureHeader } from '../../testing/providers/stripe/events.ts'
import type { ApiFault } from '../../testing/providers/stripe/front.ts'
import { detach, endMandate, replaceCard } from '../../testing/providers/stripe/methods.ts'
import { openStripeShop, STRIPE_SECRET, type StripeScene } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const HOUR_MS = 3_600_000
const FAULTS: (ApiFault | null)[] = [null, 'hang_up', 'broken', 'broken_before', 'in_use', 'busy']

const { kassa, scene, settings, shop } = closeAfter(await openStripeShop())

let orders = 0
async function open(url = kassa.url) {
  const key = `stripe-${++orders}`
  const { status, body } = await createSession(url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key }),
  })
  return { key, status, id: body.id as string, url: body.providerCheckoutUrl as string }
}
async function pay() {
  const opened = await open()
  expect([opened.status, opened.url]).toEqual([201, expect.stringContaining('/c/pay/cs_test_')])
  scene.buyer(opened, 'visa')
  expect((await lookUp(kassa.url, shop, opened.id)).body.status).toBe('paid')
  return opened.id
}
async function askRefund(id: string, amountMinor = 500): Promise<string> {
  const request = { key: `refund-${++orders}`, body: { amountMinor, reason: 'returned' } }
  const { status, body } = await askOperation(kassa.url, shop, id, 'refunds', request)
  expect(status).toBe(201)
  return body.operation.id
}
async function refundsOf(operation: string) {
  const key = await writeKeyOf(kassa.ctx, operation)
  const all = [...scene.account.refunds.values()]
  return all.filter(({ metadata }) => Object.values(metadata ?? {}).includes(key))
}
const statusOf = async (operation: string) => (await findOperationById(kassa.ctx.db, operation))?.status

/** Moves both clocks, because Stripe accepts only an expiry within a day of its own time. */
async function advance(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await scene.later(ms)
}
async function workFor(hours: number): Promise<void> {
  for (let quarter = 0; quarter < hours * 4; quarter++) {
    await advance(HOUR_MS / 4)
    await SWEEPS.moneyOperations(kassa.ctx)
  }
}

test('a refund is made once if the process is killed just before or just after it was stored as sent', async () => {
  const killed: string[] = []
  for (const point of ['before mark_operation_sent', 'after mark_operation_sent']) {
    const operation = await askRefund(await pay())
    const dying = await startCrashingKassa({
      databaseUrl: kassa.databaseUrl,
      bankUrl: '',
      settings,
      sweep: 'moneyOperations',
      crash: { at: point, nth: 1 },
      clock: kassa.clock,
    })
    await dying.ended
    expect([dying.reached(), (await refundsOf(operation)).length]).toEqual([point, 0])
    killed.push(operation)
  }
  await workFor(2)
  for (const operation of killed)
    expect([await statusOf(operation), (await refundsOf(operation)).length]).toEqual(['succeeded', 1])
})

describe('a refund', () => {
  test.each(FAULTS)('is made at most once if its response is %s', async (fault) => {
    const operation = await askRefund(await pay())
    if (fault) scene.server.spoilNextWrite(fault)
    await SWEEPS.moneyOperations(kassa.ctx)
    await workFor(3)
    const made = (await refundsOf(operation)).length
    expect(made).toBe(fault === 'broken_before' ? 0 : 1)
    const final = await statusOf(operation)
    if (made === 1) expect(final).toBe('succeeded')
    // Stripe keeps its 500 under the key. The refund was not made, and cannot be made under this key.
    else expect(['processing', 'requires_operator_review', 'failed']).toContain(final)
  })

  test('that was not made is not sent again once the key has expired', async () => {
    const operation = await askRefund(await pay())
    scene.server.spoilNextWrite('busy')
    await SWEEPS.moneyOperations(kassa.ctx)
    await advance(25 * HOUR_MS)
    await SWEEPS.moneyOperations(kassa.ctx)
    await workFor(1)
    expect([await statusOf(operation), (await refundsOf(operation)).length]).toEqual([
      'requires_operator_review',
      0,
    ])
  })
})

describe('a checkout', () => {
  test.each(FAULTS)('is opened once if its response is %s', async (fault) => {
    const before = scene.account.sessions.size
    if (fault) scene.server.spoilNextWrite(fault)
    const key = `lost-${++orders}`
    const request = { key, body: sessionRequest({ merchantOrderId: key }) }
    const first = await createSession(kassa.url, shop, request)
    expect(first.status).toBe(fault ? 503 : 201)
    const again = await createSession(kassa.url, shop, request)
    expect(again.status).toBe(fault ? 201 : 200)
    expect(scene.account.sessions.size - before).toBe(1)
  })
})

describe('a renewal', () => {
  test.each(FAULTS)('is charged once, and never twice, if its response is %s', async (fault) => {
    const saving = await createToken(kassa.url, shop)
    const page = scene.sessionAt({ url: saving.body.setupUrl })
    scene.buyer({ url: saving.body.setupUrl }, 'visa')
    await fetch(page.success_url ?? '', { redirect: 'manual' })
    const before = scene.account.intents.size
    if (fault) scene.server.spoilNextWrite(fault)
    const changes = { merchantSubscriptionId: `box-${++orders}` }
    const body = subscriptionRequest(saving.body.token.id, changes)
    const { id } = (await createSubscription(kassa.url, shop, { body })).body.subscription
    for (let quarter = 0; quarter < 8; quarter++) {
      await SWEEPS.renewals(kassa.ctx)
      await SWEEPS.statusSync(kassa.ctx)
      await advance(HOUR_MS / 4)
    }
    const charges = await chargesOf(kassa, id)
    const made = scene.account.intents.size - before
    expect(charges.filter((status) => status === 'paid')).toHaveLength(made)
    // Stripe keeps the failure under the key, so this charge is not made as long as the key lasts.
    expect(made).toBe(fault === 'broken_before' ? 0 : 1)
  })
})

describe('a webhook', () => {
  const post = (accountId: string, headers: Record<string, string>, body: Buffer | string) =>
    fetch(`${kassa.url}/callbacks/${accountId}`, { method: 'POST', headers, body: String(body) })
  const accountId = () => kassa.ctx.routes.route_a.id

  test('updates a payment, but a forged, foreign or replayed one changes nothing', async () => {
    const opened = await open()
    await scene.later(0)
    scene.webhooks()
    scene.buyer(opened, 'visa')
    await scene.later(0)
    const [webhook] = scene.webhooks()
    if (!webhook) throw new Error('no webhook')
    const status = async () => (await findPaymentById(kassa.ctx.db, opened.id))?.status
    const forged = await post(
      accountId(),
      { ...webhook.headers, 'stripe-signature': 't=1,v1=00' },
      webhook.body,
    )
    const foreign = await post(kassa.ctx.routes.route_b.id, webhook.headers, webhook.body)
    expect([forged.status, foreign.status]).toEqual([400, 403])
    expect(await status()).toBe('pending_redirect')
    const genuine = await post(accountId(), webhook.headers, webhook.body)
    expect([genuine.status, await status()]).toEqual([200, 'paid'])
    const version = (await findPaymentById(kassa.ctx.db, opened.id))?.version
    for (let times = 0; times < 3; times++) await post(accountId(), webhook.headers, webhook.body)
    expect((await findPaymentById(kassa.ctx.db, opened.id))?.version).toBe(version)
  })
})

describe('an object of live mode', () => {
  test('pays nothing, and the payment gets a warning', async () => {
    const opened = await open()
    const session = scene.sessionAt(opened)
    scene.buyer(opened, 'visa')
    session.livemode = true
    expect((await lookUp(kassa.url, shop, opened.id)).body.status).toBe('pending_redirect')
    kassa.clock.advance(10_000)
    expect((await lookUp(kassa.url, shop, opened.id)).body.status).toBe('pending_redirect')
    const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, opened.id)
    expect(warnings.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('this test account with an object of live mode'),
    ])
    session.livemode = false
    kassa.clock.advance(10_000)
    expect((await lookUp(kassa.url, shop, opened.id)).body.status).toBe('paid')
  })

  test('in a signed webhook is rejected, and Stripe is not asked to send it again', async () => {
    const opened = await open()
    scene.buyer(opened, 'visa')
    const body = JSON.stringify({
      id: 'evt_live',
      type: 'checkout.session.completed',
      livemode: true,
      data: { object: scene.sessionAt(opened) },
    })
    const seconds = Math.floor(scene.now().getTime() / 1_000)
    const headers = { 'stripe-signature': signatureHeader([STRIPE_SECRET], seconds, body) }
    const address = `${kassa.url}/callbacks/${kassa.ctx.routes.route_a.id}`
    expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(400)
    expect((await findPaymentById(kassa.ctx.db, opened.id))?.status).toBe('pending_redirect')
  })
})

describe('a webhook about a saved card', () => {
  type Webhook = ReturnType<StripeScene['webhooks']>[number]
  const post = async ({ headers, body }: Webhook, account = kassa.ctx.routes.route_a.id) =>
    (await fetch(`${kassa.url}/callbacks/${account}`, { method: 'POST', headers, body: String(body) })).status
  async function webhooks(): Promise<Webhook[]> {
    await scene.later(0)
    return scene.webhooks()
  }
  /** Delivers what Stripe has sent. Returns our replies. */
  async function deliver(): Promise<number[]> {
    return Promise.all((await webhooks()).map((webhook) => post(webhook)))
  }
  async function save(card: CardName = 'visa') {
    await webhooks()
    const { body } = await createToken(kassa.url, shop)
    scene.buyer({ url: body.setupUrl }, card)
    return body.token.id as string
  }
  const find = async (id: string) =>
    (await findSavedMethod(kassa.ctx.db, shop.merchantId, id)) as SavedMethodRecord
  async function methodOf(id: string) {
    const { method } = (await find(id)).providerState as { method: string }
    return scene.account.methods.get(method) as Stripe.PaymentMethod
  }

  test('activates it even if its buyer never comes back', async () => {
    const id = await save()
    expect((await find(id)).status).toBe('pending')
    expect(await deliver()).toEqual([200])
    expect(await find(id)).toMatchObject({ status: 'active', card: { last4: '4242' } })
  })

  test('shows the card that has replaced it', async () => {
    const id = await save()
    await deliver()
    replaceCard(scene.server.books, scene.account, await methodOf(id), { last4: '1881', exp_year: 2040 })
    expect(await deliver()).toEqual([200])
    expect(await find(id)).toMatchObject({ status: 'active', card: { last4: '1881', expiry: '2040-12' } })
  })

  test('that was removed in the Dashboard ends it, but forged and foreign ones, and those of other cards, change nothing', async () => {
    const [id, other] = [await save(), await save()]
    kassa.clock.advance(11_000)
    await SWEEPS.cardSavings(kassa.ctx)
    await webhooks()
    detach(scene.server.books, scene.account, await methodOf(id))
    const [webhook] = (await webhooks()) as [Webhook]
    const forged = { ...webhook, headers: { ...webhook.headers, 'stripe-signature': 't=1,v1=00' } }
    expect([await post(forged), await post(webhook, kassa.ctx.routes.route_b.id)]).toEqual([400, 403])
    expect((await find(id)).status).toBe('active')
    expect(await post(webhook)).toBe(200)
    expect([(await find(id)).status, (await find(other)).status]).toEqual(['revoked', 'active'])
  })

  test('does not end a card that Stripe still has, whatever the event says', async () => {
    const id = await save()
    await deliver()
    const method = await methodOf(id)
    const { customer } = method
    detach(scene.server.books, scene.account, method)
    method.customer = customer
    expect(await deliver()).toEqual([200])
    expect((await find(id)).status).toBe('active')
  })

  test('whose mandate the buyer has withdrawn ends it', async () => {
    const id = await save('saved_with_mandate')
    await deliver()
    const [mandate] = [...scene.account.mandates.values()] as [Stripe.Mandate]
    endMandate(scene.server.books, scene.account, mandate)
    expect(await deliver()).toEqual([200])
    expect((await find(id)).status).toBe('revoked')
  })
})
