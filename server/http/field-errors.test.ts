/** The errors that a developer gets for one rejected request, and which spellings are accepted. */
import { request as rawRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { revokeInstallation } from '../merchants/installation.ts'
import {
  call,
  clickWidget,
  createLink,
  createSession,
  linkRequest,
  lookUp,
  payAtBank,
  sessionRequest,
} from '../testing/calls.ts'
import { openShop, SHOP_ORIGIN } from '../testing/harness.ts'
import { createToken, tokenRequest } from '../testing/payments/subscriptions.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop } = await openScene()

let count = 0
const session = (change: object, key?: string) =>
  createSession(kassa.url, shop, {
    ...(key && { key }),
    body: sessionRequest({ merchantOrderId: `f-${++count}`, ...change }),
  })
const link = (change: object, key: string | null = `f-${++count}`) =>
  createLink(kassa.url, shop, { key, body: linkRequest(change) })

describe('a request without a body', () => {
  const headers = () => ({ authorization: `Bearer ${shop.token}` })

  /** Sends no body. `chunked`: as a chunked body without content. */
  function sendNothing(type: string | null, chunked: boolean): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const all = {
      ...headers(),
      ...(type && { 'content-type': type }),
      ...(chunked && { 'transfer-encoding': 'chunked' }),
    }
    const sent = rawRequest(`${kassa.url}/v1/payment-sessions`, { method: 'POST', headers: all })
    sent.once('response', (response) => resolve(response.resume().statusCode ?? 0))
    sent.once('error', reject)
    sent.end()
    return promise
  }

  test('is 422 with or without a media type, chunked or not', async () => {
    for (const type of [null, 'application/json', 'text/plain'])
      expect([type, await sendNothing(type, false)]).toEqual([type, 422])
    expect(await sendNothing(null, true)).toBe(422)
    const { body } = await call(`${kassa.url}/v1/payment-sessions`, { headers: headers() })
    expect(body.errors).toEqual({ body: 'is required: send one JSON object' })
  })

  test('a body of another media type is 415', async () => {
    const answer = await call(`${kassa.url}/v1/payment-sessions`, {
      headers: { ...headers(), 'content-type': 'text/plain' },
      body: '{}',
    })
    expect(answer.status).toBe(415)
  })
})

test('a compressed body is 415, and the hint says how to send it', async () => {
  const answer = await fetch(`${kassa.url}/v1/payment-sessions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${shop.token}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: gzipSync('{}'),
  })
  const { error } = (await answer.json()) as { error: { code: string; message: string; hint: string } }
  expect([answer.status, error.code]).toEqual([415, 'unsupported_media_type'])
  expect(error.message).toContain('Compressed')
  expect(error.hint).toContain('without the header "Content-Encoding"')
})

describe('returnUrl', () => {
  const WRONG = [
    'http:shop.example',
    'https:/shop.example/x',
    'https:///shop.example/x',
    'https:\\\\shop.example\\x',
    'https://shop.example/a b',
    ' https://shop.example/',
    'https://shop.example/%zz',
    'https://shop.example/%4',
    'https://shop.example/<x>',
    'https://shop.example/"x"',
    'https://shop.example/{id}',
    'https://shop.example/շնորհակալություն',
    'https://shop.example:99999/',
    '//shop.example/x',
    'https://',
  ]
  const RIGHT = [
    'https://shop.example',
    'HTTPS://Shop.Example/A?b=c&d#e',
    "https://shop.example/~a/(b)/c'd;e=f,g?h=/?:@!$&'()*+,;=#/?",
    'https://shop.example/%D5%B7?x=%20',
    'http://[::1]:8080/x',
    'https://shop.example:8443/',
  ]

  test.each(WRONG)('%j is not an address of RFC 3986, so every endpoint returns 422', async (returnUrl) => {
    const answers = [
      await session({ returnUrl }),
      await link({ returnUrl }),
      await createToken(kassa.url, shop, { body: tokenRequest({ returnUrl }) }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.error?.code, Object.keys(body.errors ?? {})]).toEqual([
        422,
        'return_url_not_allowed',
        ['returnUrl'],
      ])
      expect(`${body.error.message} ${body.errors.returnUrl}`).not.toMatch(/allowed origin/)
      expect(body.errors.returnUrl).toContain('must be an absolute http(s) address')
    }
  })

  test.each(['https://user@shop.example/', 'https://a:b@shop.example/thanks', 'HTTP://:secret@shop.example'])(
    'with a user, as in %j, the message names the cause and repeats no password',
    async (returnUrl) => {
      for (const { status, body } of [
        await session({ returnUrl }),
        await link({ returnUrl }),
        await clickWidget(kassa.url, shop, { body: { returnUrl } }),
      ]) {
        expect([status, body.error?.code]).toEqual([422, 'return_url_not_allowed'])
        expect(body.errors.returnUrl).toMatch(/^must not contain a user name or a password/)
        expect(JSON.stringify(body)).not.toMatch(/secret|a:b/)
      }
    },
  )

  test.each(RIGHT)('%j is accepted, stored and used as it was sent', async (returnUrl) => {
    const { status, body } = await session({ returnUrl }, `right-${returnUrl}`)
    expect(status).toBe(201)
    const back = (await payAtBank(body.providerCheckoutUrl, 'paid')) ?? ''
    const [base = '', fragment] = returnUrl.split('#')
    expect(back.startsWith(base)).toBe(true)
    expect(back.endsWith(fragment === undefined ? body.merchantOrderId : `#${fragment}`)).toBe(true)
    expect(new URL(back).searchParams.get('paymentId')).toBe(body.id)
  })

  test('is at most 2,000 characters long when the buyer is redirected, with any order reference', async () => {
    const returnUrl = `${SHOP_ORIGIN}/?${"'".repeat(280 - SHOP_ORIGIN.length)}&paymentId=old`
    const merchantOrderId = '🫖'.repeat(120)
    const { status, body } = await session({ returnUrl, merchantOrderId })
    expect(status).toBe(201)
    const back = (await payAtBank(body.providerCheckoutUrl, 'paid')) ?? ''
    expect(back.length).toBeLessThanOrEqual(2_000)
    expect(new URL(back).searchParams.getAll('paymentId')).toEqual([body.id])
    expect(new URL(back).searchParams.get('merchantOrderId')).toBe(merchantOrderId)
  })

  test('of the button may be relative or in any script, and at most 2,000 characters long when encoded', async () => {
    const click = (returnUrl: string) =>
      clickWidget(kassa.url, shop, { body: { clientReference: `ret-${++count}`, returnUrl } })
    for (const returnUrl of [
      '/thanks',
      'thanks?x=1',
      '/շնորհակալություն',
      `${SHOP_ORIGIN}/թեյ`,
      '#done',
      '?x',
    ])
      expect([returnUrl, (await click(returnUrl)).status]).toEqual([returnUrl, 201])
    for (const returnUrl of ['/a b', '/%zz', '\\thanks', 'https:thanks', `///${SHOP_ORIGIN.slice(8)}/x`])
      expect([returnUrl, (await click(returnUrl)).status]).toEqual([returnUrl, 422])
    const long = await click(`/${'թ'.repeat(299)}`)
    expect([long.status, long.body.errors?.returnUrl]).toEqual([201, undefined])
    const longest = await click(`/${'茶'.repeat(299)}`)
    expect([longest.status, longest.body.errors.returnUrl]).toEqual([
      422,
      'is too long once its characters are percent-encoded',
    ])
  })

  test('is compared in its normal form, so another spelling with the same key is a replay', async () => {
    const merchantOrderId = 'spelled'
    const first = await session({ merchantOrderId, returnUrl: 'https://shop.example' }, 'spelled')
    const again = await session({ merchantOrderId, returnUrl: 'HTTPS://SHOP.example/' }, 'spelled')
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id])
    const keyless = { merchantOrderId: 'spelled-keyless' }
    const one = await session({ ...keyless, returnUrl: 'https://shop.example/a/../b' })
    const other = await session({ ...keyless, returnUrl: 'https://shop.example/b' })
    expect([other.status, other.body.id]).toEqual([200, one.body.id])
  })
})

test('query parameters that the service does not know are ignored everywhere', async () => {
  const { body } = await session({})
  const headers = { authorization: `Bearer ${shop.token}` }
  const found = await call(`${kassa.url}/v1/payments?utm=1&paymentId=${body.id}`, { method: 'GET', headers })
  expect([found.status, found.body.id]).toEqual([200, body.id])
  for (const path of ['/v1/capabilities?utm=1', '/api/health?utm=1'])
    expect((await call(kassa.url + path, { method: 'GET', headers })).status).toBe(200)
})

describe('formats are as wide as the document declares them', () => {
  const MAILBOXES = [
    "o'brien@example.com",
    'a!#$%&*+/=?^_`{|}~-b@example.com',
    '"ani g"@example.com',
    'root@localhost',
    'ani@[192.0.2.1]',
    'ani@[IPv6:2001:db8::1]',
    'x@123.example',
  ]
  test.each(MAILBOXES)('accepts the e-mail address %s of RFC 5321', async (email) => {
    expect((await session({ customer: { email } })).status).toBe(201)
  })
  test.each([
    'ani',
    '@example.com',
    'a@',
    '.a@example.com',
    'a..b@example.com',
    'a b@example.com',
    'a@-b.example',
  ])('rejects the e-mail address %s', async (email) => {
    expect((await session({ customer: { email } })).body.errors).toHaveProperty(['customer.email'])
  })

  const year = new Date().getUTCFullYear()
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const TIMES = [
    inDays(2).replace('T', 't').replace('Z', 'z'),
    inDays(2).replace('Z', '+04:00'),
    inDays(2).replace('Z', '-00:00'),
    `${inDays(2).slice(0, 19)}.123456789Z`,
    `${inDays(2).slice(0, 10)}T23:59:60Z`,
  ]
  test.each(TIMES)('accepts the time %s of RFC 3339', async (expiresAt) => {
    expect((await link({ expiresAt })).status).toBe(201)
  })
  test.each([
    `${inDays(2).slice(0, 16)}Z`,
    `${inDays(2).slice(0, 10)}T12:00:60Z`,
    `${year + 1}-02-30T00:00:00Z`,
    inDays(2).replace('T', ' '),
  ])('rejects the time %s', async (expiresAt) => {
    expect((await link({ expiresAt })).body.errors).toHaveProperty('expiresAt')
  })

  test('a text’s length is counted in characters, as JSON Schema counts it', async () => {
    expect((await session({ merchantOrderId: '🫖'.repeat(119) + (++count % 10) })).status).toBe(201)
    expect((await session({ merchantOrderId: '🫖'.repeat(121) })).body.errors).toHaveProperty(
      'merchantOrderId',
    )
  })
})

describe('one error names every wrong field', () => {
  test('of a session', async () => {
    const wrong = {
      merchantOrderId: '',
      amountMinor: 0,
      currency: 'RUB',
      provider: 'route_z',
      returnUrl: 'http:shop',
      customer: { email: 'x', phone: 'a\0b', vat: 1 },
      metadata: { a: { b: { c: { d: {} } } } },
      extra: 1,
    }
    const { status, body } = await session(wrong)
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    const fields = ['merchantOrderId', 'amountMinor', 'currency', 'provider', 'returnUrl', 'customer.email']
    expect(Object.keys(body.errors).sort()).toEqual(
      [...fields, 'customer.phone', 'customer.vat', 'metadata', 'extra'].sort(),
    )
  })

  test('of a link, including those that depend on the currency or the clock, and the missing key', async () => {
    const expiresAt = new Date(Date.now() - 1_000).toISOString()
    const { status, body } = await link(
      { amount: '10.005', description: 'x', expiresAt, returnUrl: 'x y' },
      null,
    )
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(Object.keys(body.errors).sort()).toEqual(
      ['Idempotency-Key', 'amount', 'description', 'expiresAt', 'returnUrl'].sort(),
    )
  })

  test('an amount that does not agree and a time in the past', async () => {
    const expiresAt = new Date(Date.now() - 1_000).toISOString()
    const { body } = await link({ amount: '1.00', amountMinor: 101, expiresAt })
    expect(body.errors).toEqual({
      amountMinor: 'does not agree with amount, which is 100 minor units',
      expiresAt: 'must be in the future',
    })
  })
})

describe('the button', () => {
  test('gets the name of its own field when a reference is reused for another purchase', async () => {
    const body = { clientReference: 'field' }
    await clickWidget(kassa.url, shop, { body })
    const { status, body: refused } = await clickWidget(kassa.url, shop, {
      body: { ...body, productId: 'cup' },
    })
    expect([status, refused.error.code, Object.keys(refused.errors)]).toEqual([
      422,
      'idempotency_key_reused',
      ['clientReference'],
    ])
    expect(JSON.stringify(refused)).not.toMatch(/idempotency.key[^_]/i)
  })

  test('with a revoked key gets that error, also on an origin that no installation lists', async () => {
    const other = await openShop(kassa.ctx)
    await revokeInstallation(kassa.ctx, other.installationId)
    for (const origin of [SHOP_ORIGIN, 'https://never.example']) {
      const { status, body } = await clickWidget(kassa.url, other, { origin })
      expect([origin, status, body.error.code]).toEqual([origin, 403, 'widget_key_invalid'])
      expect(body.error.hint).toContain('Copy the snippet again')
    }
    const { body } = await clickWidget(kassa.url, shop, { origin: 'https://never.example' })
    expect(body.error.code).toBe('origin_not_trusted')
  })
})

test('a saved card’s token has a set-up deadline only while its set-up is pending', async () => {
  const { saveCard } = await import('../testing/payments/subscriptions.ts')
  const pending = await createToken(kassa.url, shop, { key: 'deadline' })
  expect(pending.body.token.expiresAt).toEqual(expect.any(String))
  await saveCard(pending.body.setupUrl, 'saved')
  const { body } = await createToken(kassa.url, shop, { key: 'deadline' })
  expect(body.token).toMatchObject({ status: 'active' })
  expect(body.token.expiresAt).toBeUndefined()
})

test('the first event of a payment is number 1, and each further one the next', async () => {
  const { body } = await session({}, 'counted')
  await payAtBank(body.providerCheckoutUrl, 'paid')
  await call(`${kassa.url}/v1/payments/${body.id}/refunds`, {
    headers: { authorization: `Bearer ${shop.token}`, 'idempotency-key': 'counted' },
    body: { amountMinor: 1, reason: 'x' },
  })
  const { SWEEPS } = await import('../worker/sweeps.ts')
  await SWEEPS.moneyOperations(kassa.ctx)
  await lookUp(kassa.url, shop, body.id)
  const { rows } = await kassa.ctx.db.query(
    'select sequence, body::jsonb as body from sandbox.events where payment_id = $1 order by sequence',
    [body.id],
  )
  expect(rows.length).toBeGreaterThanOrEqual(2)
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
  expect(rows.map(({ body: event }) => event.sequence)).toEqual(rows.map(({ sequence }) => sequence))
})

test('each sandbox route has its own label', async () => {
  const { body } = await call(`${kassa.url}/v1/capabilities`, {
    method: 'GET',
    headers: { authorization: `Bearer ${shop.token}` },
  })
  const labels = body.providers.map(({ label }: { label: string }) => label)
  expect(new Set(labels).size).toBe(labels.length)
})

describe('an operation’s statusReason', () => {
  test('has no address, code or text of the provider’s connection', async () => {
    const { body } = await session({}, 'reason')
    await payAtBank(body.providerCheckoutUrl, 'paid')
    const ask = () =>
      call(`${kassa.url}/v1/payments/${body.id}/refunds`, {
        headers: { authorization: `Bearer ${shop.token}`, 'idempotency-key': 'reason' },
        body: { amountMinor: 1, reason: 'x' },
      })
    await ask()
    const { route_a: route } = kassa.ctx.routes
    const { driver } = route
    const failure = Object.assign(new Error('connect ECONNREFUSED 10.20.30.40:8443'), {
      code: 'ECONNREFUSED',
    })
    if (driver) route.driver = { ...driver, lookUp: () => Promise.reject(failure) }
    try {
      const { SWEEPS } = await import('../worker/sweeps.ts')
      await SWEEPS.moneyOperations(kassa.ctx)
    } finally {
      route.driver = driver
    }
    const { operation } = (await ask()).body
    expect(operation.statusReason).toBe('the provider could not be reached')
  })
})
