import { request as rawRequest } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDb } from '../storage/db.ts'
import { call, clickWidget, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { openShop, SHOP_ORIGIN } from '../testing/harness.ts'
import { openScene } from '../testing/scene.ts'
import { ENDPOINTS } from './endpoints/index.ts'

const { kassa, shop } = await openScene()

/** Counts the rows that a rejected request could have stored. */
async function countRows(): Promise<number> {
  const { rows } = await kassa.ctx.db.query(
    'select (select count(*) from sandbox.payments) + (select count(*) from sandbox.idempotency_keys) + (select count(*) from sandbox.events) as count',
  )
  return rows[0].count
}
let before = 0
beforeEach(async () => {
  before = await countRows()
})
afterEach(async () => {
  expect(await countRows(), 'a refused request writes no row').toBe(before)
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('the merchant token', () => {
  const changed = (token: string) => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
  const headers: Record<string, (token: string) => Record<string, string>> = {
    'no header': () => ({}),
    'another scheme': (token) => ({ authorization: `Basic ${token}` }),
    'no token': () => ({ authorization: 'Bearer ' }),
    'one character off': (token) => bearer(changed(token)),
    'a shortened one': (token) => bearer(token.slice(0, -1)),
    'one of the right shape that nobody issued': () =>
      bearer('ksk_sandbox_0000000000000000000000000000000000000000000000000'),
    'a live one in sandbox mode': (token) => bearer(token.replace('sandbox', 'live')),
    'a very long one': (token) => bearer(token + 'x'.repeat(8_000)),
  }
  const bodies = { valid: sessionRequest(), wrong: { nothing: true }, 'not JSON': '{"a":' }

  for (const [name, make] of Object.entries(headers))
    test(`${name} is 401 before the body is read`, async () => {
      const answers = await Promise.all(
        Object.values(bodies).map((body) =>
          call(`${kassa.url}/v1/payment-sessions`, { headers: make(shop.token), body }),
        ),
      )
      answers.push(await call(`${kassa.url}/v1/payments`, { method: 'GET', headers: make(shop.token) }))
      for (const answer of answers) {
        expect(answer.status).toBe(401)
        expect(answer.headers.get('www-authenticate')).toBe('Bearer')
        expect(['missing_token', 'invalid_token']).toContain(answer.body.error.code)
        const { requestId: _, ...same } = answer.body.error
        const { requestId: __, ...first } = answers[0]?.body.error ?? {}
        expect(same).toEqual(first)
      }
    })

  test('an origin that the merchant has not registered is 403, also with a valid token', async () => {
    const answer = await call(`${kassa.url}/v1/payment-sessions`, {
      headers: { ...bearer(shop.token), origin: SHOP_ORIGIN },
      body: sessionRequest(),
    })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'origin_not_trusted'])
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('the widget’s request', () => {
  const origins = [
    'null',
    'http://shop.example',
    'https://shop.example:8443',
    'https://shop.example:443',
    'https://SHOP.example',
    'https://shop.example.',
    'https://shop.example/',
    'https://shop.example.evil.test',
    'https://evilshop.example',
    'https://sub.shop.example',
    'https://shopxexample',
    'https://shop.example@evil.test',
    'https://shop.example%60.evil.test',
    'https://shop_example',
    'https://xn--shp-tna.example',
    'https://shop.example,https://evil.test',
    'file://',
    '',
    'https://shop.example https://evil.test',
    'chrome-extension://abcdef',
    'https://[::1]',
    `https://${'a'.repeat(5_000)}.test`,
  ]
  test(`${origins.length} hostile origins and a missing one are 403 without any CORS header, for the preflight too`, async () => {
    for (const origin of [...origins, null]) {
      const answer = await clickWidget(kassa.url, shop, { origin })
      expect([origin, answer.status]).toEqual([origin, 403])
      const preflight = await call(`${kassa.url}/api/widget/checkout`, {
        method: 'OPTIONS',
        headers: { ...(origin !== null && { origin }), 'access-control-request-method': 'POST' },
      })
      for (const { headers } of [answer, preflight])
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  test('the preflight of a registered origin allows exactly that origin, without credentials', async () => {
    const { status, headers } = await call(`${kassa.url}/api/widget/checkout`, {
      method: 'OPTIONS',
      headers: { origin: SHOP_ORIGIN, 'access-control-request-method': 'POST' },
    })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(SHOP_ORIGIN)
    expect(headers.get('access-control-allow-headers')).toBe('Content-Type')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('vary')).toContain('Origin')
    expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0)
  })

  test('an unknown key, another merchant’s product and a price from the page are rejected', async () => {
    const cases = [
      [{ publicKey: 'kpk_unknown' }, 403, 'widget_key_invalid', undefined],
      [{ productId: 'gold' }, 422, 'product_unknown', 'productId'],
      [{ amount: 1 }, 422, 'validation_failed', 'amount'],
      [{ price: '0.01' }, 422, 'validation_failed', 'price'],
      [{ currency: 'AMD' }, 422, 'validation_failed', 'currency'],
      [{ extra: 1 }, 422, 'validation_failed', 'extra'],
      [{ clientReference: '' }, 422, 'validation_failed', 'clientReference'],
      [{ clientReference: 'x'.repeat(161) }, 422, 'validation_failed', 'clientReference'],
      [{ productId: 5 }, 422, 'validation_failed', 'productId'],
    ] as const
    for (const [body, status, code, field] of cases) {
      const answer = await clickWidget(kassa.url, shop, { body })
      expect([body, answer.status, answer.body.error.code]).toEqual([body, status, code])
      if (field) expect(answer.body.errors).toHaveProperty(field)
    }
    const unsold = await clickWidget(kassa.url, shop, { body: { productId: 'gold' } })
    expect(unsold.body.errors.productId).toBe(
      `"gold" is not in the product registry: ${kassa.url}/install/${shop.publicKey} lists its products`,
    )
    expect(unsold.body.error.hint).toBe('Ask whoever runs your payment service which products there are.')
    const priced = await clickWidget(kassa.url, shop, { body: { price: '1' } })
    expect(priced.body.errors.price).toBe('price comes from the product registry')
  })

  const returnUrls = [
    'https://evil.test/',
    '//evil.test/',
    '/\\evil.test',
    'https://shop.example@evil.test/',
    'https://user:secret@shop.example/',
    'https://shop.example.evil.test/',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://shop.example/',
    'https://shop.example:8443/',
    'https://shop.example。evil.test/',
    'https://127.0.0.1/',
    '\thttps://evil.test',
    'ht\ntps://evil.test',
    'blob:https://shop.example/x',
    'https://shop%2eexample.evil.test/',
  ]
  test(`${returnUrls.length} return URLs on another origin are rejected`, async () => {
    for (const returnUrl of returnUrls) {
      const answer = await clickWidget(kassa.url, shop, { body: { returnUrl } })
      expect([returnUrl, answer.status, answer.body.error.code]).toEqual([
        returnUrl,
        422,
        'return_url_not_allowed',
      ])
    }
    const long = await clickWidget(kassa.url, shop, {
      body: { returnUrl: `${SHOP_ORIGIN}/${'x'.repeat(300)}` },
    })
    expect([long.status, long.body.error.code]).toEqual([422, 'validation_failed'])
  })
})

describe('a session request', () => {
  const refused: Record<string, object> = {
    'amountMinor of 0': { amountMinor: 0 },
    'amountMinor below 0': { amountMinor: -1 },
    'amountMinor with a fraction': { amountMinor: 1.5 },
    'amountMinor as text': { amountMinor: '1900' },
    'amountMinor above the bound': { amountMinor: 10 ** 12 + 1 },
    'an unknown currency': { currency: 'RUB' },
    'a long order reference': { merchantOrderId: 'x'.repeat(121) },
    'no order reference': { merchantOrderId: undefined },
    'an extra property': { amount: 5 },
    'an extra property of the customer': { customer: { vat: '1' } },
    'a wrong e-mail': { customer: { email: 'nobody' } },
    'a relative returnUrl': { returnUrl: '/thanks' },
    'a returnUrl of another scheme': { returnUrl: 'ftp://shop.example/' },
    'an unknown route': { provider: 'route_z' },
    'a route without a driver': { provider: 'route_e' },
  }
  for (const [name, change] of Object.entries(refused))
    test(`${name} is 422 and names the field`, async () => {
      const answer = await createSession(kassa.url, shop, { key: name, body: sessionRequest(change) })
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body.errors)[0]?.split('.')[0]).toBe(Object.keys(change)[0])
      expect(answer.body.error.message).toBeTruthy()
    })

  test('a key that is empty, too long, not printable or sent twice is 422', async () => {
    for (const key of ['', 'x'.repeat(161), 'ключ'.replaceAll(/[^ -~]/g, '\u00e9'), 'a\tb'])
      expect([key, (await createSession(kassa.url, shop, { key })).status]).toEqual([key, 422])
    expect(await sendTwice()).toBe(422)
  })

  /** Sends two header lines, which fetch would join into one. */
  function sendTwice(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>()
    const body = JSON.stringify(sessionRequest())
    const headers = ['Host', 'x', 'Authorization', `Bearer ${shop.token}`, 'Content-Type', 'application/json']
    const twice = ['Idempotency-Key', 'a', 'Idempotency-Key', 'b', 'Content-Length', String(body.length)]
    const sent = rawRequest(`${kassa.url}/v1/payment-sessions`, {
      method: 'POST',
      headers: [...headers, ...twice],
    })
    sent.once('response', (response) => resolve(response.resume().statusCode ?? 0))
    sent.end(body)
    return promise
  }
})

describe('unusual requests', () => {
  test('bodies that are not one JSON object in UTF-8 get 413, 415 or 422 with an error body of the contract', async () => {
    const headers = bearer(shop.token)
    const url = `${kassa.url}/v1/payment-sessions`
    const deep = '['.repeat(30_000) + ']'.repeat(30_000)
    const cases: [string, Record<string, string>, string, number][] = [
      ['{', {}, 'invalid_json', 422],
      ['', {}, 'invalid_json', 422],
      ['[]', {}, 'validation_failed', 422],
      ['null', {}, 'validation_failed', 422],
      [deep, {}, 'validation_failed', 422],
      ['{"__proto__":{"a":1}}', {}, 'validation_failed', 422],
      [JSON.stringify({ a: 'x'.repeat(70_000) }), {}, 'payload_too_large', 413],
      ['{}', { 'content-type': 'text/plain' }, 'unsupported_media_type', 415],
      ['{}', { 'content-type': 'application/json; charset=utf-16' }, 'unsupported_media_type', 415],
      ['a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 'unsupported_media_type', 415],
    ]
    for (const [body, more, code, status] of cases) {
      const answer = await call(url, { headers: { ...headers, ...more }, body })
      expect([body.slice(0, 30), answer.status, answer.body?.error?.code]).toEqual([
        body.slice(0, 30),
        status,
        code,
      ])
      expect(answer.body.error.requestId).toBe(answer.headers.get('x-request-id'))
    }
  })

  test('a card number in a broken body is neither repeated nor logged', async () => {
    const answer = await call(`${kassa.url}/v1/payment-sessions`, {
      headers: bearer(shop.token),
      body: '{"card":"4242424242424242",',
    })
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body)).not.toContain('4242')
  })

  test('an unknown payment and another merchant’s payment get the same response', async () => {
    const foreign = await openShop(kassa.ctx)
    const { rows } = await kassa.ctx.db.query('select id from sandbox.payments limit 1')
    const ids = [rows[0]?.id ?? 'pay_0', 'pay_00000000000000000000000000']
    const answers = await Promise.all(ids.map((id) => lookUp(kassa.url, foreign, id)))
    for (const answer of answers) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'payment_not_found'])
      expect(answer.body.error.message).toBe(answers[0]?.body.error.message)
    }
    expect(
      (await call(`${kassa.url}/v1/payments`, { method: 'GET', headers: bearer(shop.token) })).status,
    ).toBe(422)
    expect((await lookUp(kassa.url, shop, 'x'.repeat(121))).status).toBe(422)
  })

  test('every path rejects other methods with 405 and Allow, and an unknown path is a JSON 404', async () => {
    for (const { path, method } of ENDPOINTS) {
      const other = method === 'post' ? 'PUT' : 'POST'
      const answer = await call(`${kassa.url}${path}`, { method: other })
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 405, 'method_not_allowed'])
      expect(answer.headers.get('allow')).toContain(method.toUpperCase())
    }
    for (const path of [
      '/docs',
      '/openapi.json',
      '/checkout/pay_0',
      '/checkout/pay_0/return',
      '/sandbox/bank/orders/kassa/x',
      '/link/x',
    ]) {
      const answer = await call(kassa.url + path, { method: 'DELETE' })
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 405, 'method_not_allowed'])
      expect(answer.headers.get('allow')).toContain('GET')
    }
    for (const path of ['/v1/nothing', '/nothing', '/%zz', '/v1/payments/../../x'])
      expect((await call(`${kassa.url}${path}`, { method: 'GET' })).body.error.code).toBe('not_found')
  })

  test('an address that other services have for a payment says where the payment is looked up', async () => {
    for (const path of ['/v1/payments/pay_test_x', '/v1/payments/pay_test_x/'])
      expect((await call(`${kassa.url}${path}`, { method: 'GET' })).body.error).toMatchObject({
        code: 'not_found',
        hint: 'To look a payment up, use GET /v1/payments?paymentId=<id>.',
      })
  })

  test('if the database cannot be reached, the response is 503 with Retry-After and no internal details', async () => {
    const { db } = kassa.ctx
    kassa.ctx.db = openDb('postgres://nobody@127.0.0.1:9/none', { world: 'sandbox' })
    try {
      const answer = await createSession(kassa.url, shop)
      expect([answer.status, answer.body.error.code]).toEqual([503, 'storage_unavailable'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(JSON.stringify(answer.body)).not.toMatch(/127\.0\.0\.1|ECONN|postgres|select|insert/i)
    } finally {
      await kassa.ctx.db.end()
      kassa.ctx.db = db
    }
  })
})
