/**
 * Receives Kassa's events in Node, without a framework. Copy this file, fill in the two functions below and run it:
 *
 *   KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 node kassa-receiver-node.mjs      (Node 22.13 or newer)
 *
 * Then ask whoever runs your Kassa to send your events to http://127.0.0.1:4000/kassa/callback and to verify that address.
 *
 * The program stores each event before it answers 200, and works afterwards. It decides each order once, in one
 * transaction, also if several processes run, if one is killed, or if the same event comes twice. Work that fails is
 * tried again every 30 seconds.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { KASSA_WEBHOOK_SECRET: SECRET = '', PORT = '4000' } = process.env
const { KASSA_DATABASE = 'kassa.sqlite', KASSA_PRICES = 'prices.json' } = process.env
const { KASSA_RETRY_SECONDS = '30' } = process.env

const { DatabaseSync } = await import('node:sqlite').catch(() => {
  console.error(`This needs Node 22.13 or newer, for node:sqlite; here is ${process.version}.`)
  process.exit(1)
})

// ---------------------------------------------------------------------------------------------- fill in these two

/**
 * Returns what you ask for this payment, from your own database: `{ amountMinor, currency }`, or nothing. A payment that
 * you created has your order's reference. A payment of the button has the product in its metadata and a generated
 * reference. A payment of a subscription has your reference for it, a slash and the number of the period.
 * If this function throws, the payment waits and is tried again.
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
 * Writes down what your shop has to do: DELIVER, ASK A PERSON or NOTE. It runs inside the transaction that decides the
 * order, so it must write to the same database and must not wait for anything. If it throws, nothing of the transaction
 * stays, and the payment is tried again. Send mail and call other systems from a job that works through these rows.
 */
function addTask(task, { id, merchantOrderId }, sequence, why) {
  db.prepare(
    'insert into kassa_tasks (payment_id, sequence, order_id, task, why) values (?, ?, ?, ?, ?)',
  ).run(id, sequence, merchantOrderId, task, why)
}

// ------------------------------------------------------------------------------------------------ the rest works

const TOLERANCE_SECONDS = 300
const BODY_BYTES_MAX = 262_144
const LOCK_WAIT_MS = 8_000
const TAKEN_BACK = ['partially_refunded', 'refunded', 'reversed', 'disputed']

/**
 * For PostgreSQL or MySQL, create these tables in your own database and run the statements below through your driver, the
 * ones of `handle` on one connection. Write `begin` instead of `begin immediate`. For MySQL, also write `insert ignore`
 * instead of `on conflict do nothing`.
 */
const db = new DatabaseSync(KASSA_DATABASE)
db.exec(`pragma busy_timeout = ${LOCK_WAIT_MS};
  create table if not exists kassa_payments (
    id varchar(60) primary key, sequence integer not null, payment text not null, pending integer not null default 1,
    taken_back integer not null);
  create index if not exists kassa_payments_pending on kassa_payments (pending);
  create table if not exists kassa_orders (
    order_id varchar(160) primary key, payment_id varchar(60) not null, task varchar(20) not null);
  create table if not exists kassa_tasks (
    payment_id varchar(60) not null, sequence integer not null, order_id varchar(160) not null, task varchar(20) not null,
    why text not null, created_at timestamp not null default current_timestamp, done_at timestamp,
    primary key (payment_id, sequence))`)

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

/**
 * Keeps the newest state of each payment. An event that comes twice or late has no higher sequence and changes no state.
 * `taken_back` remembers that the payment was ever refunded, reversed or disputed. A refund can fail after it succeeded,
 * and the payment is then paid again.
 */
function store({ sequence, payment }) {
  const text = JSON.stringify(payment)
  const takenBack = TAKEN_BACK.includes(payment.status) ? 1 : 0
  db.prepare(
    'insert into kassa_payments (id, sequence, payment, taken_back) values (?, ?, ?, ?) on conflict do nothing',
  ).run(payment.id, sequence, text, takenBack)
  if (takenBack) db.prepare('update kassa_payments set taken_back = 1 where id = ?').run(payment.id)
  db.prepare(
    'update kassa_payments set sequence = ?, payment = ?, pending = 1 where id = ? and sequence < ?',
  ).run(sequence, text, payment.id, sequence)
}

/** Handles these payments. One that fails stays pending and does not stop the others. */
async function work(ids) {
  for (const id of ids)
    await handle(id).catch((error) =>
      console.error(`${id} is tried again in ${KASSA_RETRY_SECONDS} s:`, error),
    )
}

async function handle(id) {
  const news = db
    .prepare('select sequence, payment, taken_back from kassa_payments where id = ? and pending = 1')
    .get(id)
  if (!news) return
  const payment = JSON.parse(news.payment)
  const asked = await findOrder(payment)
  db.exec('begin immediate')
  try {
    // No row changes if another process was faster, or if another event has come, which is then handled by itself.
    const { changes } = db
      .prepare(
        'update kassa_payments set pending = 0 where id = ? and sequence = ? and taken_back = ? and pending = 1',
      )
      .run(id, news.sequence, news.taken_back)
    const [task, why] = changes === 1 ? decide(payment, asked, news.taken_back) : []
    if (task) addTask(task, payment, news.sequence, why)
    db.exec('commit')
    if (task) console.log(`${task} ${payment.merchantOrderId}: ${why}`)
  } catch (error) {
    db.exec('rollback')
    throw error
  }
}

/**
 * Returns the task and its reason. The first payment that brings money for an order decides the order. The primary key of
 * kassa_orders makes sure of that, between two processes and between two payments of one order.
 */
function decide(payment, asked, takenBack) {
  const { id, merchantOrderId, status, amountMinor, currency, metadata } = payment
  if (status !== 'paid' && status !== 'partially_refunded') return ['NOTE', status]
  const doubt = doubtOf(payment, asked, takenBack)
  const product = metadata?.productId ? ` for ${metadata.productId}` : ''
  const task = doubt ? 'ASK A PERSON' : 'DELIVER'
  const { changes } = db
    .prepare('insert into kassa_orders (order_id, payment_id, task) values (?, ?, ?) on conflict do nothing')
    .run(merchantOrderId, id, task)
  if (changes === 1) return [task, doubt ?? `paid ${amountMinor} ${currency}${product}`]
  const first = db.prepare('select payment_id from kassa_orders where order_id = ?').get(merchantOrderId)
  return first.payment_id === id
    ? ['NOTE', status]
    : ['ASK A PERSON', `${status}, but ${first.payment_id} paid the same order`]
}

/** Returns why a person must look before anything is delivered, or null. */
function doubtOf({ status, amountMinor, capturedMinor = amountMinor, currency }, asked, takenBack) {
  if (status === 'partially_refunded') return 'a part was refunded before the order was delivered'
  if (takenBack) return 'paid, but refunded, reversed or disputed before the order was delivered'
  if (asked?.amountMinor !== amountMinor || asked?.currency !== currency)
    return 'paid, but not what you asked for'
  return capturedMinor === amountMinor ? null : `only ${capturedMinor} of ${amountMinor} was captured`
}

/** Finds what a crash or an error has left over, at the start and then every 30 seconds. */
async function workForEver() {
  try {
    const rows = db.prepare('select id from kassa_payments where pending = 1').all()
    await work(rows.map(({ id }) => id))
  } catch (error) {
    console.error(error)
  }
  setTimeout(workForEver, Number(KASSA_RETRY_SECONDS) * 1000)
}

/** Returns the body's bytes, or null if there are too many. */
async function read(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const server = createServer(async (request, response) => {
  const answer = (status, text) => response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
  if (request.method !== 'POST') return answer(405, 'Send events here by POST.')
  try {
    const rawBody = await read(request)
    if (!rawBody) return answer(413, 'The body is too large for an event.')
    const refusal = refusalOf(rawBody, String(request.headers['x-service-signature'] ?? ''))
    if (refusal) return answer(401, refusal)
    const event = JSON.parse(rawBody.toString('utf8'))
    if (event.type !== 'payment.status_changed') return answer(200, 'This kit ignores events of this type.')
    store(event)
    // Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
    answer(200, 'Stored.')
    work([event.payment.id])
  } catch (error) {
    console.error(error)
    if (!response.headersSent) answer(500, 'The event was not stored. Kassa sends it again.')
  }
})

if (!SECRET)
  throw new Error('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.')
workForEver()
server.listen(Number(PORT), () => console.log(`Receiving events at http://127.0.0.1:${PORT}/kassa/callback`))
