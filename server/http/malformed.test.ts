import { once } from 'node:events'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionRequest } from '../testing/calls.ts'
import {
  type Kassa,
  type KassaProcess,
  openShop,
  SHOP_ORIGIN,
  type Shop,
  spawnKassa,
  startKassa,
} from '../testing/harness.ts'
import { connectTo, type RawAnswer, sendRaw } from '../testing/raw-http.ts'

const GENERATED = 2_000
const AT_ONCE = 16
const SEED = Date.now() % 2 ** 31

let kassa: Kassa
let running: KassaProcess
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  running = await spawnKassa({ DATABASE_URL: kassa.databaseUrl })
})
afterAll(async () => {
  await running?.kill('SIGTERM')
  await kassa?.close()
})

/** No fault of ours, no page, and the contract's body for each refusal. */
function expectSound(what: unknown, { status, headers, body }: RawAnswer): void {
  const about = `${JSON.stringify(what)?.slice(0, 500)} (seed ${SEED}) answered ${status} ${body.slice(0, 300)}`
  expect(status, about).toBeGreaterThanOrEqual(200)
  expect(status, about).toBeLessThan(500)
  if (status < 400) return
  expect(headers['content-type'], about).toMatch(/^application\/json/)
  const { ok, error, errors } = JSON.parse(body)
  expect(ok, about).toBe(false)
  for (const name of ['code', 'message', 'requestId']) expect(typeof error[name], about).toBe('string')
  if (status !== 422) return
  const sentences = Object.values(errors)
  expect(
    sentences.every((sentence) => typeof sentence === 'string' && sentence !== ''),
    about,
  ).toBe(true)
}

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom(
    '\0',
    '\ud800',
    'a\udfffb',
    '',
    ' ',
    '\u202e',
    '%00',
    "'; drop table payments; --",
    '../../etc/passwd',
  ),
)
const oddNumber = fc.oneof(
  fc.double(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(Number),
  fc.constantFrom(0, -0, -1, 1.5, 1e21, 2 ** 53, 1e12, 1e12 + 1, Number.MIN_VALUE),
)
const oddValue = fc.oneof(
  oddText,
  oddNumber,
  fc.constantFrom(null, true, false),
  fc.jsonValue({ maxDepth: 20, stringUnit: 'binary' }),
  fc.dictionary(oddText, oddText, { maxKeys: 60 }),
)
const name = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'merchantOrderId',
      'amountMinor',
      'currency',
      'provider',
      'returnUrl',
      'customer',
      'metadata',
      'amount',
      'description',
      'expiresAt',
      'publicKey',
      'productId',
      'clientReference',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      oddText,
      fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length'),
    ),
  },
)
/** A valid body with some of its fields made odd, left out or added to. */
const change = fc.tuple(name, fc.option(oddValue, { nil: undefined, freq: 8 }))
const changes = fc.oneof(
  fc.array(change, { maxLength: 4 }),
  // One field alone: all others pass, and the odd one comes as far as it can.
  fc.tuple(fc.tuple(fc.constantFrom('merchantOrderId', 'clientReference', 'description'), oddText)),
  fc.tuple(fc.tuple(fc.constant('metadata'), fc.dictionary(oddText, oddValue, { maxKeys: 3 }))),
)
/** JSON that is broken or odd as a text. */
const garble = fc.oneof(
  { weight: 20, arbitrary: fc.constant((text: string) => text) },
  fc.nat(400).map((at) => (text: string) => text.slice(0, at)),
  fc.tuple(fc.nat(200), oddText).map(
    ([at, odd]) =>
      (text: string) =>
        text.slice(0, at) + odd + text.slice(at),
  ),
  fc.constantFrom<(text: string) => string>(
    (text) => `\ufeff${text}`,
    (text) => `${text}${text}`,
    (text) => text.replace('{', '{"a":1,"a":2,"__proto__":{"x":1},'),
    (text) => text.replace('1900', '1e400'),
    (text) => text.replace('1900', '-0'),
    (text) => text.replace('1900', '9007199254740993'),
    (text) => `${'['.repeat(20_000)}${text}`,
    () => `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    (text) => `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join()},${text.slice(1)}`,
    (text) => text.padEnd(70_000),
  ),
)
const header = fc.tuple(
  fc.constantFrom(
    'Idempotency-Key',
    'Origin',
    'Content-Type',
    'Accept',
    'X-Forwarded-For',
    'Cookie',
    'Authorization',
    'Content-Encoding',
    'Accept-Language',
    'Range',
    'If-None-Match',
  ),
  fc.oneof(
    fc.string({ maxLength: 300 }).map((text) => text.replaceAll(/[\r\n]/g, ' ')),
    fc.constantFrom(
      'gzip',
      'text/html',
      'application/json; charset=utf-16',
      'null',
      'bytes=0-1',
      '\u00ff\u00fe',
    ),
  ),
)
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constant('/v1/payment-sessions') },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '/v1/payment-sessions',
      '/v1/payment-links',
      '/api/widget/checkout',
      '/v1/payments',
      '/v1/capabilities',
      '/api/health',
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .string({ unit: 'binary', maxLength: 200 })
      .map((text) => `/v1/payments?paymentId=${encodeURIComponent(text.toWellFormed())}`),
  },
  fc.constantFrom(
    '/v1/%zz',
    '/v1/payments/%00',
    '/v1/payments?paymentId=%00',
    '/v1/payments?paymentId=%ed%a0%80',
    '/v1//payments',
    '/V1/payments',
    '/v1/payments?paymentId[]=a',
    '/v1/payments?__proto__=a',
    '/api/%2e%2e/x',
    '/v1/payments?paymentId=a&paymentId=b',
  ),
)
const request = fc.record({
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constant('POST') },
    fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'),
  ),
  path,
  changes,
  garble,
  headers: fc.array(header, { maxLength: 3 }),
  isMerchant: fc.boolean(),
})
type Generated = typeof request extends fc.Arbitrary<infer Value> ? Value : never

/** The request's bytes. Without a merchant's token it comes from a shop's page. */
function compose({ method, path, changes, garble, headers, isMerchant }: Generated): Buffer {
  const click = { publicKey: shop.publicKey, productId: 'tea', clientReference: 'click' }
  const fields = Object.fromEntries(Object.entries(path.includes('widget') ? click : sessionRequest()))
  for (const [key, value] of changes)
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true })
  const body = Buffer.from(garble(JSON.stringify(fields)), 'utf8')
  const given = new Map<string, string>([
    ['Content-Type', 'application/json'],
    isMerchant ? ['Authorization', `Bearer ${shop.token}`] : ['Origin', SHOP_ORIGIN],
    ...headers,
  ])
  const lines = [...given].map(([key, value]) => `${key}: ${value}`)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: kassa',
    'Connection: close',
    `Content-Length: ${body.length}`,
    ...lines,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

test(`${GENERATED} generated requests: no 5xx, no exit, no answer later than 2 s, only JSON (seed ${SEED})`, async () => {
  const waiting = fc.sample(request, { numRuns: GENERATED, seed: SEED })
  const statuses = new Map<number, number>()
  async function lane(): Promise<void> {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const bytes = compose(next)
      const answer = await sendRaw(running.url, bytes)
      expectSound({ ...next, bytes: bytes.subarray(0, 400).toString('latin1') }, answer)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  // What was sent reached every kind of check, and not only the first.
  for (const status of [201, 401, 403, 404, 405, 415, 422])
    expect([status, statuses.get(status) ?? 0]).not.toEqual([status, 0])
  expect(running.child.exitCode).toBeNull()
})

const many = (count: number, line: string) =>
  Array.from({ length: count }, (_, index) => line.replace('#', String(index))).join('')
const HOST = 'Host: x\r\n'
const ODD_BYTES: Record<string, [bytes: string, statuses: number[]]> = {
  'no HTTP at all': ['hello\r\n\r\n', [400]],
  'a TLS greeting': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
  'HTTP/2’s preface': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  'an unknown version': [`GET / HTTP/9.9\r\n${HOST}\r\n`, [400]],
  'an unknown method': [`BREW / HTTP/1.1\r\n${HOST}\r\n`, [400]],
  CONNECT: [`CONNECT evil.test:443 HTTP/1.1\r\n${HOST}\r\n`, [405]],
  TRACE: [`TRACE /v1/payments HTTP/1.1\r\n${HOST}\r\n`, [405]],
  'TRACE of nothing': [`TRACE / HTTP/1.1\r\n${HOST}\r\n`, [404, 405]],
  'OPTIONS *': [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'no Host': ['GET /api/health HTTP/1.1\r\n\r\n', [400]],
  'two Hosts': [`GET /v1/x HTTP/1.1\r\n${HOST}${HOST}\r\n`, [400, 404]],
  'an address in full': [`GET http://evil.test/v1/payments HTTP/1.1\r\n${HOST}\r\n`, [401]],
  'an address without a slash': [`GET v1 HTTP/1.1\r\n${HOST}\r\n`, [400]],
  'an address of two slashes': [`GET //evil.test/v1 HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'a NUL in the address': [`GET /v1/\0 HTTP/1.1\r\n${HOST}\r\n`, [400]],
  'a broken escape': [`GET /v1/payments/%zz%E0%A4%A HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'a long address': [`GET /v1/${'x'.repeat(6_000)} HTTP/1.1\r\n${HOST}\r\n`, [414]],
  'an address longer than all headers may be': [
    `GET /v1/${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
    [431],
  ],
  'a long header': [`GET /v1/x HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`, [431]],
  '200 headers': [`GET /v1/x HTTP/1.1\r\n${HOST}${many(200, 'X-#: 1\r\n')}\r\n`, [431]],
  'a header without a name': [`GET /v1/x HTTP/1.1\r\n${HOST}: x\r\n\r\n`, [400]],
  'a blank in a header’s name': [`GET /v1/x HTTP/1.1\r\n${HOST}X Y: x\r\n\r\n`, [400]],
  'a folded header': [`GET /v1/x HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`, [400, 404]],
  'a bare line feed': [`GET /v1/x HTTP/1.1\nHost: x\n\n`, [400, 404]],
  'a NUL in a header': [`GET /v1/x HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, [400]],
  'a length and chunks': [
    `POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    [400],
  ],
  'two lengths': [`POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd`, [400]],
  'a negative length': [`POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`, [400]],
  'a length beyond counting': [
    `POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: 99999999999999999999999\r\n\r\n`,
    [400],
  ],
  'an unknown coding': [`POST /v1/x HTTP/1.1\r\n${HOST}Transfer-Encoding: cow\r\n\r\n`, [400, 404]],
  'chunks of no size': [`POST /v1/x HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, [400, 404]],
  'a chunk with much to say': [
    `POST /v1/x HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(40_000)}\r\n`,
    [404, 413],
  ],
  'an unknown expectation': [
    `POST /v1/x HTTP/1.1\r\n${HOST}Expect: wonders\r\nContent-Length: 0\r\n\r\n`,
    [417],
  ],
  'the expectation to go on': [
    `POST /v1/payments HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
    [405],
  ],
  'an upgrade': [`GET /v1/x HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, [404]],
  'a far too large body': [`POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: 99999999999\r\n\r\nabc`, [404]],
}

describe('bytes that no client would send get a JSON answer within 2 s', () => {
  for (const [what, [bytes, statuses]] of Object.entries(ODD_BYTES))
    test(what, async () => {
      const answer = await sendRaw(running.url, Buffer.from(bytes, 'latin1'))
      expectSound(what, answer)
      expect(statuses, answer.body).toContain(answer.status)
    })

  test('bodies that lie about themselves', async () => {
    const send = (headers: string, body: Buffer) => {
      const head = `POST /v1/payment-sessions HTTP/1.1\r\n${HOST}Authorization: Bearer ${shop.token}\r\nContent-Length: ${body.length}\r\n${headers}\r\n\r\n`
      return sendRaw(running.url, Buffer.concat([Buffer.from(head), body]))
    }
    const json = 'Content-Type: application/json'
    const sessionWith = (order: string) =>
      Buffer.from(JSON.stringify(sessionRequest()).replace('"order-1"', order))
    const cases: [string, Buffer, string][] = [
      [`${json}\r\nContent-Encoding: gzip`, Buffer.from('1f8b08', 'hex'), 'unsupported_media_type'],
      [json, Buffer.from('7b22ff22', 'hex'), 'invalid_json'],
      [json, Buffer.from('"\ud83d', 'utf16le'), 'invalid_json'],
      [json, sessionWith('"\\u0000"'), 'validation_failed'],
      [json, sessionWith('"\\ud800"'), 'validation_failed'],
      [json, sessionWith('"a","metadata":{"\\u0000":1}'), 'validation_failed'],
      [json, sessionWith('"a","metadata":{"n":1e400}'), 'validation_failed'],
      [json, sessionWith('"a","metadata":{"n":9007199254740993}'), 'validation_failed'],
      [json, Buffer.from('{"constructor":{}}'), 'validation_failed'],
      [json, Buffer.alloc(65_537, ' '), 'payload_too_large'],
    ]
    for (const [headers, body, code] of cases) {
      const answer = await send(headers, body)
      expectSound(body.toString(), answer)
      expect([body.toString().slice(0, 40), JSON.parse(answer.body).error.code]).toEqual([
        body.toString().slice(0, 40),
        code,
      ])
    }
  })

  test('a line is closed after 1,000 requests, and what was sent ahead on it is not answered with 5xx', async () => {
    const socket = await connectTo(running.url)
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    const closed = once(socket, 'close')
    socket.write(`GET /api/health HTTP/1.1\r\n${HOST}\r\n`.repeat(1_200))
    await closed
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect([statuses.length, new Set(statuses)]).toEqual([1_000, new Set(['200'])])
  })

  test('a connection that is cut in the middle of a body harms nobody', async () => {
    const half = `POST /v1/payment-sessions HTTP/1.1\r\n${HOST}Authorization: Bearer ${shop.token}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"a":`
    await Promise.allSettled(Array.from({ length: 50 }, () => sendRaw(running.url, half, 50)))
    expect((await sendRaw(running.url, `GET /api/health HTTP/1.1\r\n${HOST}\r\n`)).status).toBe(200)
    expect(running.child.exitCode).toBeNull()
  })
})

describe('what a merchant hangs on a payment', () => {
  const nest = (depth: number): object => (depth === 1 ? { a: 1 } : { a: nest(depth - 1) })
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))
  const bytes = (count: number) => ({ a: 'x'.repeat(count - '{"a":""}'.length) })
  const cases: [string, object, number][] = [
    ['50 keys', keys(50), 201],
    ['51 keys', keys(51), 422],
    ['51 keys, some of them deeper', { ...keys(25), more: keys(25) }, 422],
    ['4 levels', nest(4), 201],
    ['5 levels', nest(5), 422],
    ['8 KB', bytes(8_192), 201],
    ['a byte more', bytes(8_193), 422],
    ['8 KB of Armenian', { a: 'ա'.repeat(4_092) }, 201],
    ['a letter more', { a: 'ա'.repeat(4_093) }, 422],
  ]
  for (const [what, metadata, status] of cases)
    test(`${what}: ${status}`, async () => {
      const body = JSON.stringify(sessionRequest({ metadata, merchantOrderId: what }))
      const head = `POST /v1/payment-sessions HTTP/1.1\r\n${HOST}Authorization: Bearer ${shop.token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
      const answer = await sendRaw(running.url, head + body)
      expect(answer.status).toBe(status)
      if (status === 422) expect(JSON.parse(answer.body).errors).toHaveProperty('metadata')
    })
})
