/**
 * The demo shop's back end: what a merchant's own server does. It asks /v1 with its token, takes signed events, and
 * ships only when both agree. Its memory is this process's, as the shop is only for trying things out.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import express, { type Router } from 'express'
import { type Context, systemClock } from '../context.ts'
import type { PaymentStatusChanged } from '../contract/event.ts'
import type { PaymentSession } from '../contract/payment.ts'
import { explainOrder, type KnownEvent } from './order.ts'
import { DEMO_PRODUCT, type DemoCredentials } from './seed.ts'

const EVENTS_MAX = 1_000
const TOLERANCE_SECONDS = 300
const LOOK_UP_TIMEOUT_MS = 5_000

export function demoShop(ctx: Context, demo: DemoCredentials): Router {
  const router = express.Router()
  const events = new Map<string, KnownEvent>()

  router.get('/api/shop', (_request, response) => {
    response.json({
      ...{
        publicKey: demo.publicKey,
        productId: DEMO_PRODUCT.id,
        productName: DEMO_PRODUCT.name,
        price: '1 900 ֏',
      },
      ...{ widgetUrl: '/widget/v1/kassa.js', returnUrl: '/demo/thanks.html', locale: 'en' },
    })
  })

  router.get('/api/orders/:paymentId', async (request, response) => {
    const lookUp = await askKassa(ctx, demo, request.params.paymentId)
    if (!lookUp) return void response.status(404).json({ why: 'The shop knows no such order.' })
    response.json(explainOrder(lookUp, events.get(lookUp.id) ?? null, ctx.clock.now()))
  })

  router.post('/callback', express.raw({ type: () => true, limit: '64kb' }), (request, response) => {
    const body = request.body as Buffer
    if (!isSigned(body, request.headers['x-service-signature'], demo.webhookSecret, systemClock.now()))
      return void response.status(401).json({ why: 'The signature does not fit.' })
    const event = JSON.parse(body.toString('utf8')) as PaymentStatusChanged
    remember(events, event, ctx.clock.now())
    response.json({ received: true })
  })
  return router
}

/** An older event that arrives late must not take the place of a newer one. */
function remember(events: Map<string, KnownEvent>, event: PaymentStatusChanged, receivedAt: Date): void {
  const known = events.get(event.payment.id)
  if (known && known.event.sequence >= event.sequence) return
  events.delete(event.payment.id)
  events.set(event.payment.id, { event, receivedAt })
  const [oldest] = events.keys()
  if (events.size > EVENTS_MAX && oldest !== undefined) events.delete(oldest)
}

async function askKassa(
  ctx: Context,
  { token }: DemoCredentials,
  paymentId: string,
): Promise<PaymentSession | null> {
  const answer = await fetch(`${ctx.localUrl}/v1/payments?${new URLSearchParams({ paymentId })}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(LOOK_UP_TIMEOUT_MS),
  })
  return answer.ok ? ((await answer.json()) as PaymentSession) : null
}

/** `t=<seconds>,v1=<hex>`: one signature must fit, and the time must be close to ours. */
function isSigned(body: Buffer, header: string | string[] | undefined, secret: string, now: Date): boolean {
  const parts = String(header ?? '').split(',')
  const timestamp = parts.find((part) => part.startsWith('t='))?.slice('t='.length) ?? ''
  if (!/^\d{10}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  return parts
    .filter((part) => part.startsWith('v1='))
    .map((part) => Buffer.from(part.slice('v1='.length), 'hex'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}
