/**
 * Receives Kassa's events in Node 22.13 or newer, with its own SQLite. Copy this file and kassa.mjs into one folder.
 *
 * It stores each event before it answers 200, and works afterwards. It decides each order once, in one transaction, also if several
 * processes run, if one is killed, or if the same event comes twice. Work that fails is tried again.
 */
import { actOf, doubtOf, verifyEvent } from './kassa.mjs'

const BODY_BYTES_MAX = 262_144
const LOCK_WAIT_MS = 8_000

/**
 * For PostgreSQL or MySQL, create these tables in your own database and run the statements below through your driver, the ones of
 * `handle` on one connection. For MySQL, also write `insert ignore` instead of `on conflict do nothing`.
 */
const TABLES = `
  create table if not exists kassa_payments (
    id varchar(60) primary key, sequence integer not null, payment text not null, pending integer not null default 1,
    taken_back integer not null);
  create index if not exists kassa_payments_pending on kassa_payments (pending);
  create table if not exists kassa_orders (
    order_id varchar(160) primary key, payment_id varchar(60) not null, task varchar(20) not null);
  create table if not exists kassa_tasks (
    payment_id varchar(60) not null, sequence integer not null, order_id varchar(160) not null, task varchar(20) not null,
    why text not null, created_at timestamp not null default current_timestamp, done_at timestamp,
    primary key (payment_id, sequence))`

function openDatabase(file) {
  const sqlite = process.getBuiltinModule?.('node:sqlite')
  if (!sqlite) throw new Error(`This needs Node 22.13 or newer, for node:sqlite; here is ${process.version}.`)
  const db = new sqlite.DatabaseSync(file)
  db.exec(`pragma busy_timeout = ${LOCK_WAIT_MS};${TABLES}`)
  return db
}

/** Writes a row of kassa_tasks. Send mail and call other systems from a job that works through these rows. */
function writeTask({ db, task, payment, sequence, why }) {
  db.prepare(
    'insert into kassa_tasks (payment_id, sequence, order_id, task, why) values (?, ?, ?, ?, ?)',
  ).run(payment.id, sequence, payment.merchantOrderId, task, why)
}

/**
 * Opens the database and starts the work on what a crash or an error has left over.
 *
 * `findOrder(payment)` returns what you ask for this payment, from your own database: `{ amountMinor, currency }`, or nothing. If it
 * throws, the payment waits and is tried again. `addTask` writes down what your shop has to do: DELIVER, ASK A PERSON or NOTE. It runs
 * inside the transaction that decides the order, so it must write to `db` and must not wait for anything.
 */
export function openReceiver({
  findOrder,
  addTask = writeTask,
  secrets = (process.env.KASSA_WEBHOOK_SECRET ?? '').split(' '),
  database = process.env.KASSA_DATABASE ?? 'kassa.sqlite',
  retrySeconds = Number(process.env.KASSA_RETRY_SECONDS ?? 30),
}) {
  if (![secrets].flat().some(Boolean))
    throw new Error('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.')
  const db = openDatabase(database)

  /** Stores the event. Returns the status and the text of the answer. The work begins after it. */
  function take(rawBody, headers) {
    const { ok, event, error } = verifyEvent(rawBody, headers, { secrets })
    if (!ok) return { status: error.status, text: error.message }
    if (event.type !== 'payment.status_changed')
      return { status: 200, text: 'Events of this type are ignored.' }
    store(event.payment, event.sequence)
    setImmediate(work, [event.payment.id])
    return { status: 200, text: 'Stored.' }
  }

  /**
   * Keeps the newest state of each payment. An event that comes twice or late has no higher sequence and changes no state. `taken_back`
   * remembers that the payment was ever refunded, reversed or disputed. A refund can fail after it succeeded, and the payment is then
   * paid again.
   */
  function store(payment, sequence) {
    const text = JSON.stringify(payment)
    const takenBack = actOf(payment.status) === 'take_back' ? 1 : 0
    db.prepare(
      'insert into kassa_payments (id, sequence, payment, taken_back) values (?, ?, ?, ?) on conflict do nothing',
    ).run(payment.id, sequence, text, takenBack)
    if (takenBack) db.prepare('update kassa_payments set taken_back = 1 where id = ?').run(payment.id)
    db.prepare(
      'update kassa_payments set sequence = ?, payment = ?, pending = 1 where id = ? and sequence < ?',
    ).run(sequence, text, payment.id, sequence)
  }

  /** Handles these payments, or all that are pending. One that fails stays pending and does not stop the others. */
  async function work(
    ids = db
      .prepare('select id from kassa_payments where pending = 1')
      .all()
      .map(({ id }) => id),
  ) {
    for (const id of ids)
      await handle(id).catch((error) => console.error(`${id} is tried again in ${retrySeconds} s:`, error))
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
      const [task, why] = changes === 1 ? decide(payment, asked, news.taken_back === 1) : []
      if (task) addTask({ db, task, payment, sequence: news.sequence, why })
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
  function decide(payment, asked, wasTakenBack) {
    const { id, merchantOrderId, status, amountMinor, currency, metadata } = payment
    if (status !== 'paid' && status !== 'partially_refunded') return ['NOTE', status]
    const doubt = doubtOf(payment, asked, { wasTakenBack })
    const product = metadata?.productId ? ` for ${metadata.productId}` : ''
    const task = doubt ? 'ASK A PERSON' : 'DELIVER'
    const { changes } = db
      .prepare(
        'insert into kassa_orders (order_id, payment_id, task) values (?, ?, ?) on conflict do nothing',
      )
      .run(merchantOrderId, id, task)
    if (changes === 1) return [task, doubt ?? `paid ${amountMinor} ${currency}${product}`]
    const first = db.prepare('select payment_id from kassa_orders where order_id = ?').get(merchantOrderId)
    return first.payment_id === id
      ? ['NOTE', status]
      : ['ASK A PERSON', `${status}, but ${first.payment_id} paid the same order`]
  }

  async function workForEver() {
    try {
      await work()
    } catch (error) {
      console.error(error)
    }
    timer = setTimeout(workForEver, retrySeconds * 1000).unref()
  }
  let timer = setTimeout(workForEver, 0).unref()

  /** Reads the request and answers it, for node:http. */
  async function handleRequest(request, response) {
    const answer = (status, text) => response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
    if (request.method !== 'POST') return answer(405, 'Send events here by POST.')
    try {
      const chunks = []
      let bytes = 0
      for await (const chunk of request) {
        bytes += chunk.length
        if (bytes > BODY_BYTES_MAX) return answer(413, 'The body is too large for an event.')
        chunks.push(chunk)
      }
      const { status, text } = take(Buffer.concat(chunks), request.headers)
      answer(status, text)
    } catch (error) {
      console.error(error)
      if (!response.headersSent) answer(500, 'The event was not stored. Kassa sends it again.')
    }
  }

  return {
    take,
    handle: handleRequest,
    work: () => work(),
    close() {
      clearTimeout(timer)
      db.close()
    },
  }
}
