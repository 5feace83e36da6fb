import { describe, expect, test } from 'vitest'
import { CURRENCY_CODES, PROVIDER_ROUTES } from '../contract/fields.ts'
import { call, clickWidget, createSession, emailOf, lookUp, sessionRequest, urlOf } from '../testing/calls.ts'
import { openScene } from '../testing/scene.ts'
import { ENDPOINTS } from './endpoints/index.ts'

const { kassa, shop } = await openScene({ settings: { RATE_LIMITS: 'off' } })
let count = 0

const text = (chars: number) => 'n'.repeat(chars)

type Row = [name: string, field: string, change: object]

describe('POST /v1/payment-sessions', () => {
  const make = (change: object) =>
    createSession(kassa.url, shop, { key: `bound-${count++}`, body: sessionRequest(change) })

  const taken: Row[] = [
    ['an order reference of 1 character', 'merchantOrderId', { merchantOrderId: 'o' }],
    ['an order reference of 120', 'merchantOrderId', { merchantOrderId: text(120) }],
    ['amountMinor of 1', 'amountMinor', { amountMinor: 1 }],
    ['amountMinor of 10^12', 'amountMinor', { amountMinor: 10 ** 12 }],
    ['drams with luma', 'amountMinor', { amountMinor: 190_050, currency: 'AMD' }],
    ['a returnUrl of 300', 'returnUrl', { returnUrl: urlOf(300) }],
    ['a returnUrl over plain http', 'returnUrl', { returnUrl: 'http://shop.example/thanks' }],
    ['an e-mail of 160', 'customer', { customer: { email: emailOf(160) } }],
    ['a phone of 80', 'customer', { customer: { phone: '+'.repeat(80) } }],
    ['a name of 120', 'customer', { customer: { name: text(120) } }],
    ['an empty customer', 'customer', { customer: {} }],
    ['empty metadata', 'metadata', { metadata: {} }],
    ...CURRENCY_CODES.map((currency): Row => [currency, 'currency', { currency }]),
    ...PROVIDER_ROUTES.filter((route) => route !== 'route_e').map(
      (provider): Row => [provider, 'provider', { provider }],
    ),
  ]
  test.each(taken)('accepts %s, and the look-up returns what was sent', async (_, __, change) => {
    const { status, body } = await make(change)
    expect([status, body.errors]).toEqual([201, undefined])
    const { body: found } = await lookUp(kassa.url, shop, body.id)
    const { returnUrl: _unseen, ...sent } = sessionRequest(change)
    expect(found).toMatchObject(sent)
  })

  const refused: Row[] = [
    ...['merchantOrderId', 'amountMinor', 'currency', 'returnUrl'].map(
      (field): Row => [`no ${field}`, field, { [field]: undefined }],
    ),
    ...['merchantOrderId', 'amountMinor', 'currency', 'returnUrl'].map(
      (field): Row => [`${field} as null`, field, { [field]: null }],
    ),
    ['an unknown property', 'amount', { amount: 19 }],
    ['an unknown property of the customer', 'customer.vat', { customer: { vat: '1' } }],
    ['an empty order reference', 'merchantOrderId', { merchantOrderId: '' }],
    ['an order reference of 121', 'merchantOrderId', { merchantOrderId: text(121) }],
    ['an order reference that is a number', 'merchantOrderId', { merchantOrderId: 7 }],
    ['amountMinor of 0', 'amountMinor', { amountMinor: 0 }],
    ['amountMinor above 10^12', 'amountMinor', { amountMinor: 10 ** 12 + 1 }],
    ['amountMinor below 0', 'amountMinor', { amountMinor: -1 }],
    ['amountMinor with a fraction', 'amountMinor', { amountMinor: 1.5 }],
    ['amountMinor as text', 'amountMinor', { amountMinor: '1900' }],
    ['a returnUrl of 301', 'returnUrl', { returnUrl: urlOf(301) }],
    ['an empty returnUrl', 'returnUrl', { returnUrl: '' }],
    ['an e-mail of 161', 'customer.email', { customer: { email: emailOf(161) } }],
    ['a phone of 81', 'customer.phone', { customer: { phone: '+'.repeat(81) } }],
    ['a name of 121', 'customer.name', { customer: { name: text(121) } }],
    ['metadata as a list', 'metadata', { metadata: [1] }],
    ['a currency in small letters', 'currency', { currency: 'usd' }],
    ['a currency that is not taken', 'currency', { currency: 'RUB' }],
    ['a route that does not exist', 'provider', { provider: 'route_f' }],
    ['a route that is not configured', 'provider', { provider: 'route_e' }],
  ]
  test.each(refused)('rejects %s and names the field', async (_, field, change) => {
    const { status, body } = await make(change)
    expect([status, body.ok, Object.keys(body.errors)]).toEqual([422, false, [field]])
  })

  test('accepts a key of 1 and of 160 characters, and rejects an empty key and one of 161', async () => {
    for (const [chars, status] of [
      [0, 422],
      [1, 201],
      [160, 201],
      [161, 422],
    ] as const)
      expect([chars, (await createSession(kassa.url, shop, { key: 'k'.repeat(chars) })).status]).toEqual([
        chars,
        status,
      ])
  })
})

describe('POST /api/widget/checkout', () => {
  const click = (change: object) =>
    clickWidget(kassa.url, shop, { body: { clientReference: `bound-${count++}`, ...change } })

  const taken: Row[] = [
    ['a reference of 1 character', 'clientReference', { clientReference: 'c' }],
    ['a reference of 160', 'clientReference', { clientReference: text(160) }],
    ['a returnUrl of 300', 'returnUrl', { returnUrl: urlOf(300) }],
    ['a returnUrl relative to the page', 'returnUrl', { returnUrl: '/thanks' }],
    ['no returnUrl, as the installation has one', 'returnUrl', { returnUrl: undefined }],
  ]
  test.each(taken)('accepts %s', async (_, __, change) => {
    expect((await click(change)).status).toBe(201)
  })

  const refused: Row[] = [
    ...['publicKey', 'productId', 'clientReference'].map(
      (field): Row => [`no ${field}`, field, { [field]: undefined }],
    ),
    ...['publicKey', 'productId', 'clientReference', 'returnUrl'].flatMap((field): Row[] => [
      [`an empty ${field}`, field, { [field]: '' }],
      [`${field} as a number`, field, { [field]: 5 }],
    ]),
    ['a public key of 121', 'publicKey', { publicKey: text(121) }],
    ['a product id of 121', 'productId', { productId: text(121) }],
    ['a reference of 161', 'clientReference', { clientReference: text(161) }],
    ['a returnUrl of 301', 'returnUrl', { returnUrl: urlOf(301) }],
    ['an unknown property', 'quantity', { quantity: 2 }],
    ['a price of its own', 'price', { price: '1' }],
  ]
  test.each(refused)('rejects %s and names the field', async (_, field, change) => {
    const { status, body } = await click(change)
    expect([status, body.ok, Object.keys(body.errors)]).toEqual([422, false, [field]])
  })
})

describe('GET /v1/payments', () => {
  test.each([
    [1, 404],
    [120, 404],
    [121, 422],
  ])('with a paymentId of %i characters answers %i', async (chars, status) => {
    expect((await lookUp(kassa.url, shop, 'p'.repeat(chars))).status).toBe(status)
  })

  test('returns 422 without a paymentId or with two, and ignores another parameter', async () => {
    for (const query of ['', '?paymentId=', '?paymentId=a&paymentId=b', '?more=1'])
      expect([query, (await bearerGet(`/v1/payments${query}`)).status]).toEqual([query, 422])
    expect((await bearerGet('/v1/payments?paymentId=a&more=1')).status).toBe(404)
  })
  const bearerGet = (path: string) =>
    call(kassa.url + path, { method: 'GET', headers: { authorization: `Bearer ${shop.token}` } })
})

describe('every endpoint with a token', () => {
  const guarded = ENDPOINTS.filter((endpoint) => endpoint.auth.kind === 'bearer')
  test.each(guarded.map(({ method, path }) => [method.toUpperCase(), path]))(
    '%s %s returns 401 before it reads the body',
    async (method, path) => {
      const bodies =
        method === 'GET' ? [undefined] : [sessionRequest(), { nothing: true }, '{"a":', undefined]
      for (const authorization of [
        undefined,
        'Bearer',
        'Bearer x',
        `Basic ${shop.token}`,
        `Bearer ${shop.token}x`,
      ])
        for (const body of bodies) {
          const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
          const answer = await call(kassa.url + path, { method, headers, body })
          const code = authorization === undefined ? 'missing_token' : 'invalid_token'
          expect([authorization, body, answer.status, answer.body.error.code]).toEqual([
            authorization,
            body,
            401,
            code,
          ])
        }
    },
  )
})
