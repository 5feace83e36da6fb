/**
 * The core of the kits for Node and Express. Put this file beside the kit. You fill in two functions there, and nothing here.
 *
 * It stores each event before the kit answers 200, and works afterwards. It decides each order once, in one transaction,
 * also if several processes run, if one is killed, or if the same event comes twice. Work that fails is tried again every
 * 30 seconds.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

const { KASSA_WEBHOOK_SECRET: SECRET = '', KASSA_RETRY_SECONDS = '30' } = process.env
const { KASSA_DATABASE = 'kassa.sqlite', KASSA_PRICES = 'prices.json' } = process.env
const TOLERANCE_SECONDS = 300
const LOCK_WAIT_MS = 8_000
const TAKEN_BACK = ['partially_refunded', 'refunded', 'reversed', 'disputed']

const { DatabaseSync } = await import('node:sqlite').catch(() => {
  console.error(`This needs Node 22.13 or newer, for node:sqlite; here is ${process.version}.`)
  process.exit(1)
})

/**
 * For PostgreSQL or MySQL, create these tables in your own database and run the statements below through your driver, the
 * ones of `handle` on one connection. Write `begin` instead of `begin immediate`. For MySQL, also write `insert ignore`
 * instead of `on conflict do nothing`.
 */
export const db = new DatabaseSync(KASSA_DATABASE)
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

/**
 * Starts the work on what a crash or an error has left over. Returns `take`, which stores an event, and `work`, which handles
 * the payments that `take` has returned. `shop` has the two functions that you fill in.
 */
export function startKassa(shop) {
  if (!SECRET)
    throw new Error('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.')
  workForEver(shop)
  return { take, work: (ids) => work(shop, ids) }
}

/** Stores the event. Returns the status and the text of the answer, and the ids of the payments that `work` must handle. */
function take(rawBody, header = '') {
  const refusal = refusalOf(rawBody, header)
  if (refusal) return { status: 401, text: refusal, ids: [] }
  const { type, sequence, payment } = JSON.parse(rawBody.toString('utf8'))
  if (type !== 'payment.status_changed')
    return { status: 200, text: 'This kit ignores events of this type.', ids: [] }
  store(payment, sequence)
  return { status: 200, text: 'Stored.', ids: [payment.id] }
}

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
function store(payment, sequence) {
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
async function work(shop, ids) {
  for (const id of ids)
    await handle(shop, id).catch((error) =>
      console.error(`${id} is tried again in ${KASSA_RETRY_SECONDS} s:`, error),
    )
}

async function handle(shop, id) {
  const news = db
    .prepare('select sequence, payment, taken_back from kassa_payments where id = ? and pending = 1')
    .get(id)
  if (!news) return
  const payment = JSON.parse(news.payment)
  const asked = await shop.findOrder(payment)
  db.exec('begin immediate')
  try {
    // No row changes if another process was faster, or if another event has come, which is then handled by itself.
    const { changes } = db
      .prepare(
        'update kassa_payments set pending = 0 where id = ? and sequence = ? and taken_back = ? and pending = 1',
      )
      .run(id, news.sequence, news.taken_back)
    const [task, why] = changes === 1 ? decide(payment, asked, news.taken_back) : []
    if (task) shop.addTask(task, payment, news.sequence, why)
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
async function workForEver(shop) {
  try {
    const rows = db.prepare('select id from kassa_payments where pending = 1').all()
    await work(
      shop,
      rows.map(({ id }) => id),
    )
  } catch (error) {
    console.error(error)
  }
  setTimeout(workForEver, Number(KASSA_RETRY_SECONDS) * 1000, shop)
}

/**
 * To try a kit out: returns the price in the file prices.json. {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}},
 * "products": {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}
 */
export function priceFromFile({ merchantOrderId, metadata = {} }) {
  const prices = existsSync(KASSA_PRICES) ? JSON.parse(readFileSync(KASSA_PRICES, 'utf8')) : {}
  if (metadata.source === 'widget') return prices.products?.[metadata.productId]
  if (metadata.source === 'subscription') return prices.subscriptions?.[merchantOrderId.replace(/\/\d+$/, '')]
  return prices.orders?.[merchantOrderId]
}
