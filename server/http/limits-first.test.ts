/** Rate limits that count before a request is checked, so that invalid requests cannot cost much either. */
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { setAccount } from '../accounts/set.ts'
import { createInstallation } from '../merchants/installation.ts'
import { bankCustomerSecret } from '../operator/bank-customer.ts'
import { sendRaw } from '../testing/attacks/raw-http.ts'
import { call, clickWidget, createSession, payAtBank } from '../testing/calls.ts'
import { type Kassa, openShop, SHOP_ORIGIN } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'

const HOUR_MS = 3_600_000
/** Without limits of requests, for the tests that look at something else. */
const unlimited = await openKassa()

/** Collects the log lines from now on. */
function readLog({ ctx }: Kassa): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = []
  ctx.log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return lines
}

describe('the widget’s endpoint', () => {
  test('counts an address over all public keys before it reads a body', async () => {
    const kassa = await openKassa({ settings: { RATE_LIMITS: 'widget_caller=0.01:10' } })
    await openShop(kassa.ctx)
    const click = (index: number, body: unknown) =>
      call(`${kassa.url}/api/widget/checkout`, {
        headers: { origin: SHOP_ORIGIN },
        body: body ?? { publicKey: `kpk_sandbox_${index}`, productId: 'tea', clientReference: 'c' },
      })
    const statuses: number[] = []
    for (let index = 0; index < 10; index++) statuses.push((await click(index, undefined)).status)
    expect(statuses).toEqual(Array(10).fill(403))
    const refused = await click(10, 'no JSON at all')
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([429, SHOP_ORIGIN])
    expect(refused.headers.get('ratelimit')).toMatch(/"widget_caller";r=0/)
    // An unknown origin is counted too.
    const foreign = await call(`${kassa.url}/api/widget/checkout`, {
      headers: { origin: 'https://evil.example' },
      body: {},
    })
    expect(foreign.status).toBe(429)
  })

  test('accepts a body of 4 KB, and rejects a larger one by its Content-Length before it arrives', async () => {
    const kassa = unlimited
    const shop = await openShop(kassa.ctx)
    const request = {
      publicKey: shop.publicKey,
      productId: 'tea',
      clientReference: 'c',
      returnUrl: '/thanks',
    }
    const ofBytes = (bytes: number) => {
      const text = JSON.stringify(request)
      return text + ' '.repeat(bytes - text.length)
    }
    const click = (body: string) =>
      call(`${kassa.url}/api/widget/checkout`, { headers: { origin: SHOP_ORIGIN }, body })
    expect((await click(ofBytes(4_096))).status).toBe(201)
    const large = await click(ofBytes(4_097))
    expect([large.status, large.body.error.message]).toEqual([413, 'The request body is larger than 4 KB.'])
    const head = `POST /api/widget/checkout HTTP/1.1\r\nHost: x\r\nOrigin: ${SHOP_ORIGIN}\r\nContent-Type: application/json\r\n`
    expect((await sendRaw(kassa.url, `${head}Content-Length: 60000\r\n\r\n`)).status).toBe(413)
    const longest = {
      ...request,
      clientReference: '\u0561'.repeat(160),
      returnUrl: `/${'\u0561'.repeat(200)}`,
    }
    expect((await click(JSON.stringify(longest))).status).toBe(201)
  })

  test('limits the look-ups of origins for one address, also for preflights, and looks up no origin that is too long', async () => {
    const kassa = await openKassa({ settings: { RATE_LIMITS: 'page=0.01:5' } })
    let lookUps = 0
    const { db } = kassa.ctx
    kassa.ctx.db = new Proxy(db, {
      get(target, name) {
        if (name === 'query') lookUps++
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const preflight = async (origin: string) =>
      (await fetch(`${kassa.url}/api/widget/checkout`, { method: 'OPTIONS', headers: { origin } })).status
    expect(await preflight(`https://${'long.'.repeat(60)}example`)).toBe(204)
    expect(lookUps).toBe(0)
    const statuses: number[] = []
    for (let index = 0; index < 6; index++) statuses.push(await preflight(`https://shop${index}.example`))
    expect([statuses, lookUps]).toEqual([[204, 204, 204, 204, 429, 429], 4])
    kassa.ctx.db = db
  })
})

describe('the return from the bank', () => {
  /** Counts the look-ups at the provider. */
  function countLookUps({ ctx }: Kassa): () => number {
    let count = 0
    const { route_a: route } = ctx.routes
    const { driver } = route
    if (!driver?.lookUp) throw new Error('Bug! The simulated bank can be asked.')
    const { lookUp } = driver
    Object.assign(route, {
      driver: {
        ...driver,
        lookUp: (...given: Parameters<typeof lookUp>) => {
          count++
          return lookUp(...given)
        },
      },
    })
    return () => count
  }

  test('looks an open payment up every three seconds at most, and a paid one never', async () => {
    const kassa = unlimited
    const shop = await openShop(kassa.ctx)
    const { body } = await createSession(kassa.url, shop, { key: 'open' })
    const lookUps = countLookUps(kassa)
    // So few that they take far less than the three seconds, also on a busy machine: the clock goes on meanwhile.
    const times = 10
    const comeBack = () => fetch(`${body.checkoutUrl}/return`, { redirect: 'manual' })
    for (let time = 0; time < times; time++) await comeBack()
    expect(lookUps()).toBe(1)
    kassa.clock.advance(3_000)
    for (let time = 0; time < times; time++) await comeBack()
    expect(lookUps()).toBe(2)
    kassa.clock.advance(3_000)
    await payAtBank(`${body.checkoutUrl}/continue`, 'paid')
    const before = lookUps()
    for (let time = 0; time < 5; time++) {
      kassa.clock.advance(HOUR_MS)
      expect((await comeBack()).status).toBe(303)
    }
    expect(lookUps()).toBe(before)
  })
})

describe('the log of rejected requests', () => {
  test('has one line for a wrong token, a revoked token, a missing scope, a rejected origin, a wrong key and a 429', async () => {
    const kassa = await openKassa({ settings: { RATE_LIMITS: 'write=0.01:1' } })
    const shop = await openShop(kassa.ctx)
    const lines = readLog(kassa)
    await createSession(kassa.url, { ...shop, token: 'ksk_sandbox_x' }, { key: 'k' })
    await call(`${kassa.url}/v1/payments`, { method: 'GET' })
    const authorization = `Bearer ${shop.token}`
    await call(`${kassa.url}/v1/payments`, {
      method: 'GET',
      headers: { authorization, origin: 'https://evil.example' },
    })
    await clickWidget(kassa.url, shop, { origin: `https://evil.example/${'x'.repeat(1_000)}` })
    await clickWidget(kassa.url, shop, { body: { publicKey: 'kpk_sandbox_no' } })
    await createSession(kassa.url, shop, { key: 'k' })
    await createSession(kassa.url, shop, { key: 'k' })
    await kassa.ctx.db.query(
      "update sandbox.api_keys set scopes = array['tokens.write'] where merchant_id = $1",
      [shop.merchantId],
    )
    await expect
      .poll(
        async () =>
          (await call(`${kassa.url}/v1/payments`, { method: 'GET', headers: { authorization } })).status,
      )
      .toBe(403)
    const refused = lines.filter((line) => line.refused)
    expect(refused.map((line) => line.refused)).toEqual([
      'invalid_token',
      'missing_token',
      'origin_not_trusted',
      'origin_not_trusted',
      'widget_key_invalid',
      'rate_limited',
      'insufficient_scope',
    ])
    expect(refused[2]).toMatchObject({
      merchantId: shop.merchantId,
      address: '127.0.0.1',
      origin: 'https://evil.example',
    })
    expect(String(refused[3]?.origin).length).toBe(200)
    expect(refused[5]).toMatchObject({ limit: 'write', endpoint: '/v1/payment-sessions', method: 'POST' })
    expect(refused[6]).toMatchObject({ scope: 'payments.read', tokenId: expect.stringMatching(/^tok_/) })
    expect(JSON.stringify(lines)).not.toContain(shop.token)
  })

  test('names the origin of a preflight that is not registered, and has no line for a registered one', async () => {
    const kassa = unlimited
    const shop = await openShop(kassa.ctx)
    const lines = readLog(kassa)
    const headers = { 'access-control-request-method': 'POST' }
    const preflight = (origin: string) =>
      call(`${kassa.url}/api/widget/checkout`, { method: 'OPTIONS', headers: { ...headers, origin } })
    expect((await preflight(SHOP_ORIGIN)).headers.get('access-control-allow-origin')).toBe(SHOP_ORIGIN)
    await preflight('https://www.shop.example')
    expect(lines).toEqual([
      expect.objectContaining({
        refused: 'origin_not_trusted',
        method: 'OPTIONS',
        endpoint: '/api/widget/checkout',
        origin: 'https://www.shop.example',
        requestId: expect.stringMatching(/^req_/),
      }),
    ])
    for (let index = 0; index < 40; index++) await preflight('https://www.shop.example')
    expect(lines).toHaveLength(5)
    expect((await clickWidget(kassa.url, shop)).status).toBe(201)
  })

  test('is limited for each address, and tells how many lines were left out', async () => {
    const kassa = await openKassa({ settings: { TRUST_PROXY: '1' } })
    await openShop(kassa.ctx)
    const lines = readLog(kassa)
    const click = (forwarded: string, origin: string) =>
      call(`${kassa.url}/api/widget/checkout`, {
        headers: { origin, 'x-forwarded-for': forwarded },
        body: {},
      })
    for (let index = 0; index < 40; index++) await click('192.0.2.1', `https://evil${index}.example`)
    expect(lines).toHaveLength(5)
    await click('192.0.2.2', 'https://evil.example')
    expect(lines.at(-1)).toMatchObject({ address: '192.0.2.2', leftOut: 35 })
    for (let index = 0; index < 100; index++) await click(`198.51.100.${index}`, 'https://evil.example')
    expect(lines.length).toBeLessThan(50)
  })
})

test('a request with two Authorization headers is rejected, even if both are valid', async () => {
  const kassa = unlimited
  const shop = await openShop(kassa.ctx)
  const good = `Authorization: Bearer ${shop.token}\r\n`
  const ask = (headers: string) =>
    sendRaw(kassa.url, `GET /v1/payments?paymentId=pay_x HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
  expect((await ask(good)).status).toBe(404)
  for (const headers of [
    good + good,
    `${good}authorization: Bearer x\r\n`,
    `Authorization: Basic x\r\n${good}`,
  ]) {
    const { status, body } = await ask(headers)
    expect([status, JSON.parse(body).error.hint]).toEqual([401, 'Send the Authorization header once.'])
  }
})

test('if a proxy adds the port to an address, all connections still count as one caller', async () => {
  const kassa = await openKassa({ settings: { TRUST_PROXY: '1', RATE_LIMITS: 'failed_token=0.01:3' } })
  const statuses: number[] = []
  for (let port = 50_000; port < 50_005; port++)
    statuses.push(
      (
        await call(`${kassa.url}/v1/payments`, {
          method: 'GET',
          headers: { authorization: 'Bearer x', 'x-forwarded-for': `192.0.2.7:${port}` },
        })
      ).status,
    )
  expect(statuses).toEqual([401, 401, 401, 429, 429])
})

test.each(['webhook_secrets', 'account_credentials'])(
  'health is not ready while the keys of the process do not open what is in %s',
  async (table) => {
    const { ctx, url } = await openKassa()
    const { merchantId } = await openShop(ctx)
    const written = { CUSTOMER: 'tea', SECRET: bankCustomerSecret(ctx, 'tea', 1) }
    await setAccount(ctx, { merchantId, route: 'route_b', driver: 'sandbox', currencies: undefined, written })
    const health = async () => (await call(`${url}/api/health`, { method: 'GET' })).body
    // The first question looks at the keys. Another process then seals with a key that this process does not have.
    await ctx.db.query(`update sandbox.${table} set key_id = '000000000000'`)
    const { ready, blockers } = await health()
    expect([ready, blockers]).toEqual([
      false,
      ['some stored secrets cannot be opened with the keys of this process'],
    ])
  },
)

test('the error for a rejected origin does not contain the installation’s id', async () => {
  const kassa = unlimited
  const shop = await openShop(kassa.ctx)
  const { publicKey } = await createInstallation(kassa.ctx, {
    merchantId: shop.merchantId,
    origins: ['https://other.example'],
  })
  const { status, body, headers } = await clickWidget(kassa.url, { ...shop, publicKey })
  expect([status, body.error.code]).toEqual([403, 'origin_not_trusted'])
  expect(JSON.stringify([body, ...headers])).not.toMatch(/ins_/)
})

test('the description of the API is limited for each address, and sent compressed', async () => {
  const kassa = await openKassa({ settings: { RATE_LIMITS: 'page=0.01:3' } })
  const ask = (path: string) => fetch(kassa.url + path)
  const first = await ask('/openapi.json')
  expect([first.status, first.headers.get('content-encoding')]).toEqual([200, 'gzip'])
  expect(Number(first.headers.get('content-length'))).toBeLessThan(60_000)
  const statuses = [
    await ask('/docs'),
    await ask('/openapi.json'),
    await ask('/openapi.json'),
    await ask('/docs'),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429, 429])
})
