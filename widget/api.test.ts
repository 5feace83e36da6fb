import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { postCheckout } from './api.ts'
import type { WidgetConfig } from './config.ts'

type Seen = { url: string | undefined; headers: Record<string, unknown>; body: unknown }

let server: Server | undefined
let seen: Seen[] = []

afterEach(() => {
  server?.close()
  server?.closeAllConnections()
  seen = []
})

/** Starts a payment server that always sends this response. `%o` in the body is replaced by its own origin. */
async function answering(
  status: number,
  answer: unknown,
  headers: Record<string, string> = {},
): Promise<WidgetConfig> {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    seen.push({
      url: request.url,
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    })
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    response.writeHead(status, headers).end(text.replaceAll('%o', `http://${request.headers.host}`))
  })
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done))
  return configFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

const configFor = (apiOrigin: string): WidgetConfig => ({
  apiOrigin,
  publicKey: 'kpk_1',
  productId: 'tea',
  productName: undefined,
  returnUrl: '/thanks',
  order: undefined,
  price: '€12.00',
  label: undefined,
  locale: 'en',
  target: undefined,
  texts: undefined,
})

const post = (config: WidgetConfig, signal = new AbortController().signal) =>
  postCheckout(config, 'ref', signal)

test('the request contains the four fields as JSON, and never a price', async () => {
  await post(await answering(201, { checkoutUrl: '%o/pay/1' }))
  expect(seen[0]?.url).toBe('/api/widget/checkout')
  expect(seen[0]?.headers['content-type']).toBe('application/json')
  expect(seen[0]?.body).toEqual({
    publicKey: 'kpk_1',
    productId: 'tea',
    clientReference: 'ref',
    returnUrl: '/thanks',
  })
})

test('without a return URL the field is not sent', async () => {
  const config = await answering(201, { checkoutUrl: '%o/pay/1' })
  await post({ ...config, returnUrl: undefined })
  expect(seen[0]?.body).not.toHaveProperty('returnUrl')
})

test('a created and a replayed checkout both return their address and their amount', async () => {
  for (const status of [201, 200]) {
    const amount = { amountMinor: 1600, currency: 'USD' }
    const config = await answering(status, { ok: true, checkoutUrl: '%o/pay/1', ...amount })
    const url = `${config.apiOrigin}/pay/1?locale=${config.locale}`
    expect(await post(config)).toEqual({ url, amount })
    server?.close()
  }
})

test.each([
  'https://evil.example/pay',
  '%o.evil.example/pay',
  '%o@evil.example/pay',
  '//evil.example/pay',
  'javascript:alert(1)',
  'blob:%o/1',
  '/pay/1',
  '',
])('the checkout address "%s" is rejected', async (checkoutUrl) => {
  const result = await post(await answering(201, { ok: true, checkoutUrl }))
  expect(result).toMatchObject({ failure: { code: 'checkout_url_refused' } })
})

test('an error of the server keeps its code and names the wrong field', async () => {
  const config = await answering(422, {
    error: { code: 'validation_failed', message: 'Not valid' },
    errors: { returnUrl: 'must be on a registered origin' },
  })
  expect(await post(config)).toEqual({
    failure: {
      code: 'validation_failed',
      message: 'Not valid; returnUrl: must be on a registered origin',
      retryable: false,
    },
  })
})

test.each([
  [503, { error: { code: 'provider_unavailable' } }, 'provider_unavailable', true],
  [503, { error: { code: 'provider_unavailable', retryable: false } }, 'provider_unavailable', false],
  [429, { error: { code: 'rate_limited' } }, 'rate_limited', true],
  [403, { error: { code: 'widget_key_invalid' } }, 'widget_key_invalid', false],
  [502, '<h1>Bad gateway</h1>', 'http_502', true],
  [404, 'null', 'http_404', false],
  [500, '[]', 'http_500', true],
])('%i %j becomes %s, retryable: %s', async (status, answer, code, retryable) => {
  expect(await post(await answering(status, answer))).toMatchObject({
    failure: { code, retryable },
  })
})

test('a response with status 200 that is not JSON is a failure', async () => {
  expect(await post(await answering(200, 'hello'))).toMatchObject({
    failure: { code: 'checkout_url_refused' },
  })
})

test('a redirect is not followed', async () => {
  const config = await answering(307, '', { location: 'http://127.0.0.1:1/elsewhere' })
  expect(await post(config)).toMatchObject({ failure: { code: 'unreachable' } })
  expect(seen).toHaveLength(1)
})

test('an unreachable server is a failure, not an exception', async () => {
  expect(await post(configFor('http://127.0.0.1:1'))).toMatchObject({
    failure: { code: 'unreachable', retryable: true },
  })
})
