/**
 * The demo shop's back end does what a merchant's own server does. It looks payments up with its token, receives signed events,
 * ships only if both say paid, and refunds. It stores nothing on disk, because the shop is only for trying Kassa out.
 */
import express, { type Request, type Response, type Router } from 'express'
import { type Context, systemClock } from '../context.ts'
import type { PaymentStatusChanged } from '../contract/event.ts'
import { handOver, refusalOf } from '../orders/receive.ts'
import { workOn } from '../orders/work.ts'
import { lookUpPayment, refundPayment } from './kassa-client.ts'
import { type DemoOrders, openDemoOrders } from './memory.ts'
import { explainOrder, refundable } from './order.ts'
import { showOwnersPages } from './owners-pages.ts'
import { DEMO_PRODUCT, type DemoCredentials } from './seed.ts'

/** The headers that Kassa sends with an event. */
const SHOWN_HEADERS = [
  'content-type',
  'user-agent',
  'x-service-signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]

export function demoShop(ctx: Context, demo: DemoCredentials): Router {
  const router = express.Router()
  const demoOrders = openDemoOrders()
  const openedAt = ctx.clock.now()
  const shop = { ctx, demo }
  const payUrl = `/pay/${demo.publicKey}/${DEMO_PRODUCT.id}`

  router.get('/api/shop', (_request, response) => {
    response.json({
      publicKey: demo.publicKey,
      productId: DEMO_PRODUCT.id,
      productName: DEMO_PRODUCT.name,
      amountMinor: DEMO_PRODUCT.amountMinor,
      currency: DEMO_PRODUCT.currency,
      payUrl,
      widgetUrl: '/widget/v1/kassa.js',
      returnUrl: '/demo/thanks.html',
    })
  })

  // The shop's page is a file and cannot know the key, so its link for buyers without JavaScript leads here.
  router.get('/buy', (_request, response) => response.redirect(payUrl))

  showOwnersPages(router, shop)

  router.get('/api/orders/:paymentId', async (request, response) => {
    const found = await lookUpPayment(shop, request.params.paymentId)
    if (!found.ok) return void response.status(404).json({ why: 'unknownOrder' })
    const memory = demoOrders.of(found.body.id)
    response.json(explainOrder(found.body, memory, { checkedAt: ctx.clock.now(), openedAt }))
  })

  // In a real shop, only a clerk who is logged in may do this.
  router.post('/api/orders/:paymentId/refunds/:part', async (request, response) => {
    const { paymentId, part } = request.params
    if (part !== 'part' && part !== 'rest') return void response.status(404).json({ why: 'unknownOrder' })
    if (!isFromOwnPage(request)) return void response.status(403).json({ why: 'foreignPage' })
    const found = await lookUpPayment(shop, paymentId)
    if (!found.ok) return void response.status(404).json({ why: 'unknownOrder' })
    const amountMinor = refundable(found.body, demoOrders.of(found.body.id))[part]
    if (amountMinor === null) return void response.status(409).json({ why: 'nothingToRefund' })
    const answer = await refundPayment(shop, found.body.id, { amountMinor, part })
    if (!answer.ok) return void response.status(409).json({ why: 'refused', message: answer.message })
    const { id: operationId, status } = answer.body.operation
    demoOrders.addRefund(found.body.id, { operationId, status, amountMinor, requestedAt: ctx.clock.now() })
    response.json({ operationId, status, amountMinor })
  })

  router.post('/callback', express.raw({ type: () => true, limit: '64kb' }), (request, response) =>
    receive(shop, demoOrders, request, response),
  )
  return router
}

/** Takes an event as a merchant's own server does. */
async function receive(
  { ctx, demo }: { ctx: Context; demo: DemoCredentials },
  demoOrders: DemoOrders,
  request: Request,
  response: Response,
): Promise<void> {
  const body = request.body as Buffer
  const text = body.toString('utf8')
  const header = request.get('X-SERVICE-Signature')
  const why = refusalOf(text, { header, secrets: [demo.webhookSecret], now: systemClock.now() })
  if (why) return void response.status(401).json({ why })
  const event = JSON.parse(text) as PaymentStatusChanged
  const headers = shownHeaders(request)
  // A real shop keeps its orders in its own database. The demo lets the order book keep them, which checks the signature again.
  const { exchange, paymentId } = await handOver(ctx, demo.merchantId, { headers, body: text })
  if (exchange.kind === 'failed') return void response.status(503).json({ why: exchange.message })
  demoOrders.addEvent({ event, headers, body: text, receivedAt: ctx.clock.now() })
  response.json({ received: true })
  if (paymentId) await workOn(ctx, demo.merchantId, paymentId)
}

/** Without this check, another site's page could start refunds through a visitor's browser. */
function isFromOwnPage({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'same-origin'
}

function shownHeaders({ headers }: Request): Record<string, string> {
  return Object.fromEntries(
    SHOWN_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}
