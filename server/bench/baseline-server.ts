/**
 * Runs a baseline as its own process: Express with express.json, zod and helmet, and nothing else between a request and its
 * rows. Arguments: the name of the baseline and the size of the pool. DATABASE_URL is the database. Prints its port.
 */
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import helmet from 'helmet'
import pg from 'pg'
import { CreatePaymentSessionRequest } from '../contract/payment.ts'
import { NO_MERCHANT, newId } from '../id.ts'
import { type Row, readPayment, STORES } from './baseline-storage.ts'

const SESSION_MS = 90 * 60_000

const [baseline = '', poolMax] = process.argv.slice(2)
const store = STORES[baseline as keyof typeof STORES]
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(poolMax) })
pool.on('error', () => process.exit(1))

async function create(request: Request, response: Response): Promise<void> {
  const parsed = CreatePaymentSessionRequest.safeParse(request.body)
  if (!parsed.success) {
    response.status(422).json({ ok: false })
    return
  }
  const { merchantOrderId, amountMinor, currency, returnUrl, customer, metadata } = parsed.data
  const at = new Date()
  const id = newId('sandbox', 'pay', NO_MERCHANT, at)
  const checkoutUrl = `http://127.0.0.1/checkout/${id}`
  const session = {
    ok: true,
    id,
    merchantOrderId,
    provider: 'route_a',
    amountMinor,
    currency,
    status: 'pending_redirect',
    fiscalStatus: 'not_required',
    checkoutUrl,
    customer,
    metadata,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
  }
  const row: Row = {
    id,
    orderId: merchantOrderId,
    amountMinor,
    currency,
    returnUrl,
    checkoutUrl,
    at,
    customer: JSON.stringify(customer),
    metadata: JSON.stringify(metadata),
    key: request.headers['idempotency-key'] as string,
    digest: createHash('sha256').update(JSON.stringify(parsed.data)).digest('base64url'),
    body: JSON.stringify(session),
    expiresAt: new Date(at.getTime() + SESSION_MS),
  }
  await store(pool, row)
  response.status(201).json(session)
}

async function read(request: Request, response: Response): Promise<void> {
  const row = await readPayment(pool, request.query.paymentId)
  if (row) response.json({ ok: true, ...row })
  else response.status(404).json({ ok: false })
}

const app = express()
app.disable('x-powered-by')
app.set('etag', false)
app.use(helmet())
app.use(express.json())
app.post('/payments', create)
app.get('/payments', read)

const server = app.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
process.on('SIGTERM', () => process.exit(0))
