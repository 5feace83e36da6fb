/**
 * Takes Kassa's events in Express 4 or 5. Copy it, fill in the two functions below, run it beside your Express:
 *
 *   KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 node kassa-receiver-express.mjs   (Node 22.13 or newer; npm install express)
 *
 * In an app of your own take over `app.post('/kassa/callback', ...)`, and put it before any `express.json()`: the
 * signature is that of the raw bytes. Then tell Kassa its address, and try it:
 *
 *   npm run -s admin -- callback set --merchant mer_... --url http://127.0.0.1:4000/kassa/callback
 *   npm run -s admin -- callback verify --merchant mer_...
 *
 * What it promises: nothing unsigned, changed or stale gets in; an event that was answered with 200 is on disk; each is
 * worked on once, in the order of its payment. Kassa sends an event again until it is answered with 2xx.
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
 * What you ask for what this payment pays, from your own database: `{ amountMinor, currency }`, or nothing. A payment that
 * you created has your order's reference. One from the button has the product in its metadata, and a reference that is
 * made up; one of a subscription has your reference for that, a slash and the period.
 */
async function findOrder({ merchantOrderId, metadata = {} }) {
  // For trying it out: {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}},
  // "products": {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}
  const prices = existsSync(KASSA_PRICES) ? JSON.parse(readFileSync(KASSA_PRICES, 'utf8')) : {}
  if (metadata.source === 'widget') return prices.products?.[metadata.productId]
  if (metadata.source === 'subscription') return prices.subscriptions?.[merchantOrderId.replace(/\/\d+$/, '')]
  return prices.orders?.[merchantOrderId]
}

/**
 * What your shop does about a payment's new status. `mayFulfil`: it is paid, and with what `findOrder` says.
 * If it throws, it is called again for the same event later: make it safe to repeat.
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

/** The events that were taken. Your own database can hold this table as well; the id is what makes an event one. */
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

/** Why this request is no event of Kassa's, in words; null when it is one. */
function refusalOf(rawBody, header) {
  const parts = header.split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{10}$/.test(t)) return 'There is no X-SERVICE-Signature header with a time in seconds.'
  const expected = createHmac('sha256', SECRET).update(`${t}.`).update(rawBody).digest()
  // While a secret is rotated there are several v1: one that fits is enough.
  const fits = parts.some(([name, hex = '']) => {
    const given = Buffer.from(hex, 'hex')
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!fits) return 'No signature fits: check the secret, and that the body is read as it came.'
  const age = Math.round(Date.now() / 1000 - Number(t))
  return Math.abs(age) > TOLERANCE_SECONDS ? `It was signed ${age} s ago: check this machine's clock.` : null
}

/** Works on what is stored and not done, one after the other, so that one event has one effect. */
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
  // Older news that arrives late must not undo newer.
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
  // First the answer, then the work: Kassa waits 15 seconds for it, and sends the event again without it.
  response.type('text').send('Taken.')
  work()
})

if (!SECRET)
  throw new Error('Set KASSA_WEBHOOK_SECRET: "callback rotate-secret" of the command line makes one.')
work()
app.listen(Number(PORT), () => console.log(`Taking events at http://127.0.0.1:${PORT}/kassa/callback`))
