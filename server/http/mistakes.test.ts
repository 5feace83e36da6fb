/** What a developer reads after the usual mistakes. */
import { beforeAll, expect, test } from 'vitest'
import { call, createSession, sessionRequest } from '../testing/calls.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop } = await openScene()
let paymentId: string
beforeAll(async () => {
  paymentId = (await createSession(kassa.url, shop, { key: 'first' })).body.id
})

const SESSIONS = '/v1/payment-sessions'
const LINKS = '/v1/payment-links'
const NO_BEARER = 'Bearer, a space, and the token.'

type Sent = {
  method?: string
  path?: string
  headers?: object
  body?: unknown
  change?: object
  key?: string
}
type Row = [mistake: string, request: Sent, status: number, text: string]

/** `TOKEN`, `PUBLIC_KEY`, `SECRET` and `ID` are replaced by those of the shop and its payment. */
const fill = (text: string) =>
  text
    .replaceAll('TOKEN', shop.token)
    .replaceAll('PUBLIC_KEY', shop.publicKey)
    .replaceAll('SECRET', shop.webhookSecret)
    .replaceAll('ID', paymentId)

const sayingSo = (authorization: string): Sent => ({ headers: { authorization } })

const MISTAKES: Row[] = [
  ['the token without Bearer', sayingSo('TOKEN'), 401, NO_BEARER],
  ['another scheme', sayingSo('Token TOKEN'), 401, NO_BEARER],
  ['Bearer and nothing', sayingSo('Bearer '), 401, NO_BEARER],
  ['a token in quotation marks', sayingSo('Bearer "TOKEN"'), 401, 'Remove the quotation marks'],
  ['a variable that was not filled in', sayingSo('Bearer $KASSA'), 401, 'A placeholder was sent'],
  ['a placeholder of the documentation', sayingSo('Bearer <MERCHANT_API>'), 401, 'A placeholder was sent'],
  ['the public key', sayingSo('Bearer PUBLIC_KEY'), 401, 'This is a public key, which is for web pages.'],
  ['the secret of events', sayingSo('Bearer SECRET'), 401, 'This is a secret of events.'],
  ['a token that was cut off', sayingSo('Bearer ksk_sandbox_x'), 401, 'It may be mistyped'],
  ['the token in another header', { headers: { authorization: '', 'x-api-key': 'TOKEN' } }, 401, 'Bearer'],
  ['a call from a browser', { headers: { origin: 'https://page.example' } }, 403, 'call from your back end'],
  ['a payment by its path', { method: 'GET', path: '/v1/payments/ID' }, 404, '?paymentId=<id>'],
  ['a session by its path', { method: 'GET', path: `${SESSIONS}/ID` }, 404, '?paymentId=<id>'],
  ['a look-up by ?id=', { method: 'GET', path: '/v1/payments?id=ID' }, 422, '"paymentId":"is required"'],
  ['an address without /v1', { path: '/payment-sessions' }, 404, 'begin with /v1'],
  ['a refund at its own address', { path: '/v1/refunds' }, 404, 'POST /v1/payments/<id>/refunds'],
  ['refund in the singular', { path: '/v1/payments/ID/refund' }, 404, 'POST /v1/payments/<id>/refunds'],
  ['GET where POST is meant', { method: 'GET', path: SESSIONS }, 405, 'Use POST.'],
  ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1' }, 415, 'JSON'],
  ['a comma too many', { body: '{"currency":"USD",}' }, 422, 'not valid JSON'],
  ['no body', { body: '' }, 422, 'send one JSON object'],
  ['a list', { body: [{}] }, 422, 'must be an object, not a list'],
  [
    'amount',
    { change: { amountMinor: undefined, amount: 19 } },
    422,
    'Did you mean amountMinor? It is in minor units (hundredths), such as 1900 for 19.00',
  ],
  ['return_url', { change: { returnUrl: undefined, return_url: '/' } }, 422, 'Did you mean returnUrl?'],
  ['a letter too few', { change: { currency: undefined, curency: 'USD' } }, 422, 'Did you mean currency?'],
  ['swapped letters', { change: { returnUrl: undefined, retrunUrl: 'x' } }, 422, 'Did you mean returnUrl?'],
  ['a name inside the customer', { change: { customer: { fullName: 'Ani' } } }, 422, 'Did you mean name?'],
  ['orderId', { change: { merchantOrderId: undefined, orderId: '7' } }, 422, 'Did you mean merchantOrderId?'],
  ['providerRoute in a session', { change: { providerRoute: 'route_a' } }, 422, 'Did you mean provider?'],
  ['an amount as text', { change: { amountMinor: '1900' } }, 422, 'must be a number, not text'],
  ['an amount in major units', { change: { amountMinor: 19.5 } }, 422, 'must be a whole number'],
  ['an amount of 0', { change: { amountMinor: 0 } }, 422, '1900 is 19.00 USD'],
  ['a currency in small letters', { change: { currency: 'usd' } }, 422, 'must be one of AMD, USD, EUR'],
  [
    'a return address without its host',
    { change: { returnUrl: '/thanks' } },
    422,
    'an absolute http(s) address',
  ],
  ['an order number as a number', { change: { merchantOrderId: 17 } }, 422, 'must be text, not a number'],
  ['a link without a key', { path: LINKS, body: {} }, 422, 'Idempotency-Key'],
  [
    'a link in AMD with decimals',
    { path: LINKS, key: 'l1', body: { amount: '19.5', currency: 'AMD', description: 'Tea' } },
    422,
    'AMD must be a whole number',
  ],
  ['a key used for something else', { key: 'first', change: { amountMinor: 5 } }, 422, 'a new key for a new'],
  [
    'a refund of a payment that is not paid',
    { path: '/v1/payments/ID/refunds', key: 'r1', body: { amountMinor: 100, reason: 'x' } },
    409,
    'A refund needs a payment that is paid',
  ],
]

test.each(MISTAKES)('%s', async (_, sent, status, text) => {
  const { method = 'POST', path = SESSIONS, headers = {}, change = {}, key } = sent
  const { body = method === 'GET' ? undefined : sessionRequest({ merchantOrderId: 'order-2', ...change }) } =
    sent
  const all: Record<string, string> = { authorization: 'Bearer TOKEN', ...headers }
  const filled = Object.entries(all).flatMap(([name, value]) => (value ? [[name, fill(value)]] : []))
  const answer = await call(kassa.url + fill(path), {
    method,
    headers: { ...Object.fromEntries(filled), ...(key && { 'idempotency-key': key }) },
    ...(body !== undefined && { body }),
  })
  const answerText = JSON.stringify(answer.body)
  expect(answerText).not.toContain(shop.token)
  expect([answer.status, answerText]).toEqual([status, expect.stringContaining(text)])
})
