// KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 node receive.mjs
// In a container: HOST=0.0.0.0 too.
import { createServer } from 'node:http'
import { openReceiver } from './kassa-receiver.mjs'
import { findOrder } from './orders.mjs'

createServer(openReceiver({ findOrder }).handle).listen(process.env.PORT, process.env.HOST ?? '127.0.0.1')
