// KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 node receive.mjs
import { createServer } from 'node:http'
import { openReceiver } from './kassa-receiver.mjs'
import { findOrder } from './orders.mjs'

createServer(openReceiver({ findOrder }).handle).listen(process.env.PORT)
