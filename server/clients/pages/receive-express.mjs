// KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 node receive-express.mjs
// In a container: HOST=0.0.0.0 too.
import express from 'express'
import { openReceiver } from './kassa-receiver.mjs'
import { findOrder } from './orders.mjs'

const receiver = openReceiver({ findOrder })
const app = express()
// Put it before any express.json(), because the signature covers the raw bytes.
app.post('/kassa/callback', express.raw({ type: () => true, limit: '256kb' }), (request, response) => {
  const { status, text } = receiver.take(request.body, request.headers)
  response.status(status).type('text').send(text)
})
app.listen(process.env.PORT, process.env.HOST ?? '127.0.0.1')
