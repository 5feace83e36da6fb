/** One payment's id finds its whole life in the logs of separate processes, and a request's id finds its error. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPaymentById } from '../storage/payments/payments.ts'
import {
  askOperation,
  call,
  clickWidget,
  createSession,
  lookUp,
  payAtBank,
  sessionRequest,
} from '../testing/calls.ts'
import {
  freePort,
  type Kassa,
  type KassaProcess,
  openShop,
  SECRETS_KEY,
  type Shop,
  spawnKassa,
  startKassa,
} from '../testing/harness.ts'
import { createSubscription, openToken, subscriptionRequest } from '../testing/payments/subscriptions.ts'
import { endProcess, startProcess, type TestProcess } from '../testing/processes/child-process.ts'
import { type Receiver, startReceiver } from '../testing/receiver.ts'

const ENTRY = fileURLToPath(new URL('../main.ts', import.meta.url))
const WITHIN = { timeout: 60_000, interval: 50 }
/** A customer of the bank whose secret the bank stops accepting. */
const CUSTOMER = 'shop-9'

let kassa: Kassa
let web: KassaProcess
let worker: TestProcess
let receiver: Receiver
let shop: Shop
let workerText = ''

beforeAll(async () => {
  kassa = await startKassa()
  receiver = await startReceiver((index) => (index === 0 ? 500 : 200))
  shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
  const PORT = String(await freePort())
  const settings = {
    PORT,
    DATABASE_URL: kassa.databaseUrl,
    BASE_URL: `http://127.0.0.1:${PORT}`,
    MODE: 'sandbox',
    SECRETS_KEY,
    SEED_DEMO: 'false',
    RATE_LIMITS: 'write=0.001:12',
    EVENT_RETRY_DELAYS: '0,0,0',
    ROUTE_C_DRIVER: 'sandbox',
    ROUTE_C_CUSTOMER: CUSTOMER,
    ROUTE_C_SECRET: kassa.ctx.sandbox.bank.customers.secretOf(CUSTOMER),
    // The default, which has to be enough.
    LOG_LEVEL: 'info',
  }
  web = await spawnKassa({ ...settings, PROCESS: 'web' })
  worker = startProcess(ENTRY, { env: { ...settings, PROCESS: 'worker' } })
  for (const stream of [worker.stdout, worker.stderr])
    stream.on('data', (chunk) => {
      workerText += chunk
    })
})
afterAll(async () => {
  await web?.kill('SIGTERM')
  if (worker) await endProcess(worker)
  await kassa?.close()
  await receiver?.close()
})

type Line = { msg: string; level: number; [field: string]: unknown }
const linesOf = (text: string, id: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(id))
    .map((line) => JSON.parse(line))
/** Returns the lines that contain an id, of both processes. */
const grep = (id: string) => [...linesOf(web.output(), id), ...linesOf(workerText, id)]
const find = (id: string, fields: object) =>
  expect.poll(() => grep(id), WITHIN).toContainEqual(expect.objectContaining(fields))
const statusOf = async (id: string) => (await findPaymentById(kassa.ctx.db, id))?.status

test('a payment that is paid and refunded: its request, click, callback, return, changes, events and operation', async () => {
  const { body, headers } = await createSession(web.url, shop, { key: 'life' })
  const { id } = body
  await payAtBank(`${web.url}/checkout/${id}/continue`, 'paid')
  await expect.poll(() => statusOf(id), WITHIN).toBe('paid')
  const event = { paymentId: id, attempt: 1 }
  await find(id, { ...event, msg: 'delivery failed', statusCode: 500, merchantId: shop.merchantId })
  await find(id, { ...event, attempt: 2, msg: 'event delivered', statusCode: 200 })
  await find(id, { msg: 'callback received', kind: 'hint' })
  const refund = { key: 'refund', body: { amountMinor: 900, reason: 'One cup was broken, Ani says' } }
  expect((await askOperation(web.url, shop, id, 'refunds', refund)).status).toBe(201)
  await expect.poll(() => statusOf(id), WITHIN).toBe('partially_refunded')
  await find(id, { msg: 'operation ended', type: 'refund', status: 'succeeded' })
  await find(id, { msg: 'operation sent', type: 'refund', answer: 'done' })
  const request = { msg: 'request', paymentId: id }
  await find(id, { ...request, endpoint: '/v1/payment-sessions', status: 201, merchantId: shop.merchantId })
  await find(id, { ...request, requestId: headers.get('x-request-id'), paymentStatus: 'pending_redirect' })
  await find(id, { ...request, endpoint: '/checkout/:paymentId/continue', method: 'POST' })
  await find(id, { ...request, endpoint: '/checkout/:paymentId/return', method: 'GET' })
  await find(id, { ...request, endpoint: '/v1/payments/:paymentId/refunds', status: 201 })
  await find(id, { msg: 'payment changed', to: 'paid', cause: 'provider' })
  await find(id, { msg: 'payment changed', from: 'paid', to: 'partially_refunded', cause: 'operation' })
  const text = grep(id)
    .map((line) => JSON.stringify(line))
    .join('\n')
  expect(text).not.toMatch(/Ani|shop\.example/)
  console.log(`${grep(id).length} lines, ${text.length} bytes\n${text}`)
})

test('look-ups and pages leave no line, however often they come', async () => {
  const { body } = await createSession(web.url, shop, { key: 'looked-at' })
  await find(body.id, { msg: 'request', status: 201 })
  for (let visit = 0; visit < 5; visit++) {
    await lookUp(web.url, shop, body.id)
    await fetch(`${web.url}/checkout/${body.id}`)
  }
  for (let visit = 0; visit < 20; visit++)
    await fetch(`${web.url}/checkout/${body.id}/return`, { redirect: 'manual' })
  expect(grep(body.id).filter(({ msg }) => msg === 'request')).toHaveLength(11)
  const unknown = body.id.replace(/....$/, '0000')
  await fetch(`${web.url}/checkout/${unknown}/return`, { redirect: 'manual' })
  expect(grep(unknown)).toEqual([])
})

test('a click of the button, and an order that is opened by the buyer', async () => {
  const { body } = await clickWidget(web.url, shop)
  await find(body.paymentId, { msg: 'request', endpoint: '/api/widget/checkout', publicKey: shop.publicKey })
  await payAtBank(`${web.url}/checkout/${body.paymentId}/continue`, 'declined')
  const headers = { authorization: `Bearer ${shop.token}`, 'idempotency-key': 'link' }
  const link = await call(`${web.url}/v1/payment-links`, {
    headers,
    body: { amount: '19.00', currency: 'USD', description: 'Mountain tea' },
  })
  const { paymentId, linkId } = link.body
  await find(linkId, { msg: 'request', paymentId, status: 201 })
  await payAtBank(`${web.url}/checkout/${paymentId}/continue`, 'paid')
  await find(paymentId, { msg: 'order opened', attempt: 1 })
})

test('credentials that the bank does not accept any more: a warning with the account and the payment', async () => {
  const { body } = await createSession(web.url, shop, {
    key: 'refused',
    body: sessionRequest({ merchantOrderId: 'refused', provider: 'route_c' }),
  })
  await kassa.ctx.sandbox.bank.customers.withdrawSecretsBefore(CUSTOMER, 2)
  await fetch(`${web.url}/checkout/${body.id}/return`, { redirect: 'manual' })
  const accountId = (await findPaymentById(kassa.ctx.db, body.id))?.attempt.accountId
  await find(body.id, { level: 40, accountId, paymentId: body.id, refusal: 'credentials' })
})

test('a renewal, which no request makes', async () => {
  const tokenId = await openToken(web.url, shop)
  const { body } = await createSubscription(web.url, shop, { body: subscriptionRequest(tokenId) })
  await find(body.subscription.id, { msg: 'request', status: 201 })
  await find(body.subscription.id, { msg: 'payment of a subscription created', period: 1 })
  const made = grep(body.subscription.id).find(({ period }) => period === 1)
  const paymentId = String(made?.paymentId)
  await find(paymentId, { msg: 'charge sent' })
  await find(paymentId, { msg: 'payment changed', to: 'paid' })
  await find(paymentId, { msg: 'event delivered' })
})

test('the request id of an error finds its line; a caller above a limit is named', async () => {
  const wrong = await createSession(web.url, shop, { body: sessionRequest({ amountMinor: 0 }) })
  expect(wrong.status).toBe(422)
  const rejected = { msg: 'request rejected', error: 'validation_failed', merchantId: shop.merchantId }
  await find(wrong.body.error.requestId, rejected)
  const none = await lookUp(web.url, shop, 'somebody@example.com')
  expect(none.status).toBe(404)
  const { requestId } = none.body.error
  await find(requestId, { error: 'payment_not_found', endpoint: '/v1/payments', merchantId: shop.merchantId })
  let limited = wrong
  for (let calls = 0; calls < 12 && limited.status !== 429; calls++)
    limited = await createSession(web.url, shop, { key: `more-${calls}` })
  expect(limited.status).toBe(429)
  await find(limited.body.error.requestId, {
    refused: 'rate_limited',
    limit: 'write',
    merchantId: shop.merchantId,
  })
  expect(web.output()).not.toContain('somebody')
})
