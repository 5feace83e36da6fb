/**
 * Receives Kassa's events in Express 4 or 5. Copy this file, fill in the two functions below and run it beside your Express:
 *
 *   KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 node kassa-receiver-express.mjs   (Node 22.13 or newer; npm install express)
 *
 * In an app of your own, copy `app.post('/kassa/callback', ...)` and put it before any `express.json()`, because the
 * signature covers the raw bytes. Then ask whoever runs your Kassa to send your events to its address,
 * http://127.0.0.1:4000/kassa/callback, and to verify it.
 *
 * It accepts nothing that is unsigned, changed or stale. It stores an event on disk before it answers 200. It handles each
 * event once, in the order of its payment. Kassa sends an event again until the answer is 2xx.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import express from 'express'

const { KASSA_WEBHOOK_SECRET: SECRET = '', PORT = '4000' } = process.env
const { KASSA_EVENTS = 'kassa-events.sqlite', KASSA_PRICES = 'prices.json' } = process.env

const { DatabaseSync } = await import('node:sqlite').catch(() => {
  console.error(`This needs Node 22.13 or newer, for node:sqlite; here is ${process.version}.`)
  process.exit(1)
})

// ---------------------------------------------------------------------------------------------- fill in these two

/**
 * Returns what you ask for this payment, from your own database: `{ amountMinor, currency }`, or nothing. A payment that
 * you created has your order's reference. A payment of the button has the product in its metadata and a generated
 * reference. A payment of a subscription has your reference for it, a slash and the number of the period.
 */
async function findOrder({ merchantOrderId, metadata = {} }) {
  // To try it out: {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}},
  // "products": {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}
  const prices = existsSync(KASSA_PRICES) ? JSON.parse(readFileSync(KASSA_PRICES, 'utf8')) : {}
  if (metadata.source === 'widget') return prices.products?.[metadata.productId]
  if (metadata.source === 'subscription') return prices.subscriptions?.[merchantOrderId.replace(/\/\d+$/, '')]
  return prices.orders?.[merchantOrderId]
}

/**
 * Does what your shop does when a payment has a new status. `mayFulfil`: it is paid, with the amount that `findOrder`
 * returned. If this throws, it is called again for the same event later. Make it safe to repeat.
 */
async function onPaymentChanged(payment, mayFulfil) {
  const { merchantOrderId, status, amountMinor, currency, metadata = {} } = payment
  const what = `${merchantOrderId} ${metadata.productId ?? ''}`.trim()
  if (mayFulfil) console.log(`FULFIL ${what}: ${amountMinor} ${currency}`)
  else if (status === 'paid') console.log(`ASK A PERSON ${what}: paid, but not what you asked for`)
  else console.log(`NOTE ${what}: ${status}`)
}

// ------------------------------------------------------------------------------------------------ the rest works

const TOLERANCE_SECONDS = 300

/** The stored events. The table can be in your own database instead. The id makes sure that no event is stored twice. */
const db = new DatabaseSync(KASSA_EVENTS)
db.exec(`pragma busy_timeout = 5000;
  create table if not exists kassa_events (
    id text primary key, payment_id text not null, sequence integer not null, body text not null,
    done integer not null default 0)`)
const insert = db.prepare(
  'insert or ignore into kassa_events (id, payment_id, sequence, body) values (?, ?, ?, ?)',
)
const open = db.prepare('select id, body from kassa_events where done = 0 order by payment_id, sequence')
const newer = db.prepare(
  'select 1 from kassa_events where payment_id = ? and sequence > ? and done = 1 limit 1',
)
const finish = db.prepare('update kassa_events set done = 1 where id = ?')

/** Returns why this request is not an event of Kassa, or null if it is one. */
function refusalOf(rawBody, header) {
  const parts = header.split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{10}$/.test(t)) return 'There is no X-SERVICE-Signature header with a time in seconds.'
  const expected = createHmac('sha256', SECRET).update(`${t}.`).update(rawBody).digest()
  // While a secret is being rotated there are several v1. One that matches is enough.
  const fits = parts.some(([name, hex = '']) => {
    const given = Buffer.from(hex, 'hex')
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!fits) return 'No signature fits: check the secret, and that the body is read as it came.'
  const age = Math.round(Date.now() / 1000 - Number(t))
  return Math.abs(age) > TOLERANCE_SECONDS ? `It was signed ${age} s ago: check this machine's clock.` : null
}

/** Handles every stored event that is not done, one after the other, so that each has its effect once. */
let working = Promise.resolve()
function work() {
  working = working.then(workThrough).catch((error) => console.error(error))
}

async function workThrough() {
  for (const { id, body } of open.all())
    await workOn(JSON.parse(body)).then(
      () => finish.run(id),
      (error) => console.error(`${id} is tried again with the next event or start:`, error),
    )
}

async function workOn(event) {
  const payment = event.payment ?? event.data.payment
  // An older event that arrives late must not undo a newer one.
  if (newer.get(payment.id, event.sequence ?? 0)) return
  await onPaymentChanged(payment, payment.status === 'paid' && (await isAsAsked(payment)))
}

async function isAsAsked(payment) {
  const order = await findOrder(payment)
  return order?.amountMinor === payment.amountMinor && order?.currency === payment.currency
}

const app = express()

app.post('/kassa/callback', express.raw({ type: () => true, limit: '256kb' }), (request, response) => {
  if (request.body && !Buffer.isBuffer(request.body))
    throw new Error('The body was parsed already: put this before express.json() and bodyParser.')
  const rawBody = request.body ?? Buffer.alloc(0)
  const refusal = refusalOf(rawBody, request.get('x-service-signature') ?? '')
  if (refusal) return void response.status(401).type('text').send(refusal)
  const event = JSON.parse(rawBody.toString('utf8'))
  const payment = event.payment ?? event.data.payment
  insert.run(event.id, payment.id, event.sequence ?? 0, rawBody.toString('utf8'))
  // Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
  response.type('text').send('Taken.')
  work()
})

if (!SECRET)
  throw new Error('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.')
work()
app.listen(Number(PORT), () => console.log(`Taking events at http://127.0.0.1:${PORT}/kassa/callback`))
