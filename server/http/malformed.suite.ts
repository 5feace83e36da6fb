/**
 * Sends generated requests: valid requests with changed fields, unusual headers and broken bodies. `npm test` sends few of
 * them, `npm run test:long` many.
 */
import fc from 'fast-check'
import { expect } from 'vitest'
import { type RawAnswer, sendRaw } from '../testing/attacks/raw-http.ts'
import { sessionRequest } from '../testing/calls.ts'
import { type KassaProcess, SHOP_ORIGIN, type Shop } from '../testing/harness.ts'

const AT_ONCE = 16

/** Expects no 5xx, no HTML, and an error body of the contract for each rejection. */
export function expectSound(what: unknown, { status, headers, body }: RawAnswer): void {
  const about = `${JSON.stringify(what)?.slice(0, 500)} answered ${status} ${body.slice(0, 300)}`
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
/** A change of a valid body: some fields get an unusual value, are removed or are added. */
const change = fc.tuple(name, fc.option(oddValue, { nil: undefined, freq: 8 }))
const changes = fc.oneof(
  fc.array(change, { maxLength: 4 }),
  // If only one field is changed, the request passes all other checks and gets as far as possible.
  fc.tuple(fc.tuple(fc.constantFrom('merchantOrderId', 'clientReference', 'description'), oddText)),
  fc.tuple(fc.tuple(fc.constant('metadata'), fc.dictionary(oddText, oddValue, { maxKeys: 3 }))),
)
/** Changes of the body's text: broken or unusual JSON. */
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

/** Returns the bytes of the request. Without a merchant's token it is a request of a shop's page. */
function compose(shop: Shop, { method, path, changes, garble, headers, isMerchant }: Generated): Buffer {
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

/**
 * Sends `count` generated requests. Expects no 5xx, no crash, no response after more than 2 s, and only JSON. The requests must
 * reach every kind of check, not only the first one.
 */
export async function sendGenerated(
  running: KassaProcess,
  shop: Shop,
  { count, seed }: { count: number; seed: number },
): Promise<void> {
  const waiting = fc.sample(request, { numRuns: count, seed })
  const statuses = new Map<number, number>()
  async function lane(): Promise<void> {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const bytes = compose(shop, next)
      const answer = await sendRaw(running.url, bytes)
      expectSound({ seed, ...next, bytes: bytes.subarray(0, 400).toString('latin1') }, answer)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  for (const status of [201, 401, 403, 404, 405, 415, 422])
    expect([status, statuses.get(status) ?? 0]).not.toEqual([status, 0])
  expect(running.child.exitCode).toBeNull()
}
