/**
 * Receives Kassa's events in Node, without a framework. Copy this file and kassa-core.mjs into one folder, fill in the two
 * functions below and run this file:
 *
 *   KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 node kassa-receiver-node.mjs      (Node 22.13 or newer)
 *
 * Then ask whoever runs your Kassa to send your events to http://127.0.0.1:4000/kassa/callback and to verify that address.
 */
import { createServer } from 'node:http'
import { db, priceFromFile, startKassa } from './kassa-core.mjs'

const { PORT = '4000' } = process.env
const BODY_BYTES_MAX = 262_144

// ---------------------------------------------------------------------------------------------- fill in these two

/**
 * Returns what you ask for this payment, from your own database: `{ amountMinor, currency }`, or nothing. A payment that
 * you created has your order's reference. A payment of the button has the product in its metadata and a generated
 * reference. A payment of a subscription has your reference for it, a slash and the number of the period.
 * If this function throws, the payment waits and is tried again.
 */
async function findOrder(payment) {
  return priceFromFile(payment) // Only to try it out: kassa-core.mjs reads prices.json.
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

const { take, work } = startKassa({ findOrder, addTask })

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
    const { status, text, ids } = take(rawBody, request.headers['x-service-signature'])
    // Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
    answer(status, text)
    work(ids)
  } catch (error) {
    console.error(error)
    if (!response.headersSent) answer(500, 'The event was not stored. Kassa sends it again.')
  }
})

server.listen(Number(PORT), () => console.log(`Receiving events at http://127.0.0.1:${PORT}/kassa/callback`))
