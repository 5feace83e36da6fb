/**
 * Receives Kassa's events in Express 4 or 5. Copy this file and kassa-core.mjs into one folder, fill in the two functions
 * below and run this file beside your Express:
 *
 *   KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 node kassa-receiver-express.mjs   (Node 22.13 or newer; npm install express)
 *
 * In an app of your own, copy `app.post('/kassa/callback', ...)` and put it before any `express.json()`, because the
 * signature covers the raw bytes. Then ask whoever runs your Kassa to send your events to
 * http://127.0.0.1:4000/kassa/callback and to verify that address.
 */
import express from 'express'
import { db, priceFromFile, startKassa } from './kassa-core.mjs'

const { PORT = '4000' } = process.env

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
const app = express()

app.post('/kassa/callback', express.raw({ type: () => true, limit: '256kb' }), (request, response) => {
  if (request.body && !Buffer.isBuffer(request.body))
    throw new Error('The body was parsed already: put this before express.json() and bodyParser.')
  // If this throws, Express answers 500, and Kassa sends the event again.
  const { status, text, ids } = take(request.body ?? Buffer.alloc(0), request.get('x-service-signature'))
  // Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
  response.status(status).type('text').send(text)
  work(ids)
})

app.listen(Number(PORT), () => console.log(`Receiving events at http://127.0.0.1:${PORT}/kassa/callback`))
