/**
 * The order book as a receiver kit: a program of its own, with a database of its own, that gets events over HTTP. The shop's prices
 * are those of prices.json, as with the kits. The clock runs sixty times as fast, so what failed is soon tried again.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../config.ts'
import { createLog } from '../../log/log.ts'
import { takeEvent } from '../../orders/receive.ts'
import { workOn, workOnDue } from '../../orders/work.ts'
import { createVault } from '../../secrets/vault.ts'
import { openDb } from '../../storage/db.ts'
import { createContext } from '../../world.ts'
import { priceFromFile } from './prices.ts'

const FASTER = 60
const RETRY_MS = 200
const { PORT = '', DATABASE_URL = '', SECRETS_KEY = '', MERCHANT = '' } = process.env

const began = Date.now()
const clock = { now: () => new Date(began + (Date.now() - began) * FASTER) }
const db = openDb(DATABASE_URL, { world: 'sandbox', max: 4 })
const ctx = createContext(readConfig({ DATABASE_URL, LOG_LEVEL: 'info' }), {
  db,
  log: createLog('info'),
  vault: createVault([SECRETS_KEY]),
  localUrl: 'http://127.0.0.1',
  clock,
})

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const header = request.headers['x-service-signature']
  const headers = { ...(typeof header === 'string' && { 'x-service-signature': header }) }
  const body = Buffer.concat(chunks).toString('utf8')
  if (request.method !== 'POST') {
    response.writeHead(405).end()
    return
  }
  const { statusCode, text, paymentId } = await takeEvent(ctx, MERCHANT, { headers, body })
  response.writeHead(statusCode).end(text)
  if (paymentId) await workOn(ctx, MERCHANT, paymentId, priceFromFile)
})
server.listen(Number(PORT), '127.0.0.1')

for (;;) {
  await workOnDue(ctx, priceFromFile).catch((error: unknown) => ctx.log.error({ err: error }, 'no work'))
  await sleep(RETRY_MS)
}
