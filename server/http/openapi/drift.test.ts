/**
 * Every documented response can be returned, and every returned response is documented. In `npm test` each third endpoint returns a
 * response that most of them have, beside those about who asks. `npm run test:long` provokes each at each endpoint.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../errors.ts'
import { PROVOCATIONS } from '../../testing/attacks/provocations.ts'
import { witness } from '../../testing/documents/witness.ts'
import { type Kassa, startKassa } from '../../testing/harness.ts'
import { type Scene, setScene } from '../../testing/scene/endpoint.ts'
import { openKassa } from '../../testing/scene.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { openApiDocument, templateOf } from './document.ts'
import { EXAMPLE_SESSION } from './examples.ts'
import { nameOfEndpoint } from './operations.ts'
import { failuresOf } from './responses.ts'

const TWIN_CODE = 'request_in_progress'
/** These provocations need an idempotency key that no other request has used. */
const NEEDS_NEW_KEY: ErrorCode[] = [
  'idempotency_key_reused',
  'operation_disabled',
  'operation_not_configured',
  'refund_limit_reached',
]

const THIRD = 3
/** Who asks, and for what: these are provoked at each endpoint. */
const ABOUT_CALLERS: ErrorCode[] = [
  'https_required',
  'missing_token',
  'invalid_token',
  'insufficient_scope',
  'origin_not_trusted',
  'widget_key_invalid',
  'raw_card_data_rejected',
  'idempotency_key_reused',
  'refund_limit_reached',
]
const timesDocumented = (code: ErrorCode) =>
  ENDPOINTS.filter((endpoint) => failuresOf(endpoint).includes(code)).length
/** Whether `npm test` leaves this one to other endpoints. */
function isLeftOut(code: ErrorCode, number: number): boolean {
  if (ABOUT_CALLERS.includes(code) || timesDocumented(code) < 2 * THIRD) return false
  return (number + code.length) % THIRD !== 0
}

const kassa = await openKassa()

for (const [number, endpoint] of ENDPOINTS.entries()) {
  const name = nameOfEndpoint(endpoint)
  const answered = () =>
    kassa.witness.seen.filter((seen) => seen.endpoint === name).map(({ outcome }) => outcome)

  describe(name, () => {
    test('returns its documented successes', async () => {
      const { send } = await setScene(kassa, endpoint)
      await send()
      if (endpoint.creates) await send()
      expect(answered()).toEqual(expect.arrayContaining(endpoint.creates ? ['201', '200'] : ['200']))
    })

    /** Creating a scene takes longer than most provocations, so they share one. */
    let shared: Promise<Scene> | undefined
    const sceneFor = (code: ErrorCode) => {
      if (NEEDS_NEW_KEY.includes(code)) return setScene(kassa, endpoint)
      shared ??= setScene(kassa, endpoint)
      return shared
    }

    for (const code of failuresOf(endpoint).filter((each) => each !== TWIN_CODE))
      test(`returns ${code} when it is provoked`, {
        tags: isLeftOut(code, number) ? ['long'] : [],
      }, async () => {
        const provoke = PROVOCATIONS[code]
        if (!provoke) throw new Error(`There is no test that provokes ${code}.`)
        await provoke(await sceneFor(code))
        expect(answered()).toContain(code)
      })
  })
}

/**
 * Concurrent requests with one key wait for each other for 10 s, so they all run at once. `payments/creation/idempotency.test.ts` shows
 * in `npm test` that they make one payment.
 */
describe('two requests at once', { tags: ['long'] }, () => {
  const haveTwins = ENDPOINTS.filter((endpoint) => failuresOf(endpoint).includes(TWIN_CODE))
  let twins: Kassa
  beforeAll(async () => {
    // The scene that locks the operations has its own connection for the lock.
    twins = await startKassa({ settings: { POOL_MAX: '40' } })
    // The scene that locks all operations must not block another scene.
    const scenes = await Promise.all(haveTwins.map((endpoint) => setScene(twins, endpoint)))
    await Promise.all(scenes.map((scene) => PROVOCATIONS[TWIN_CODE]?.(scene)))
  })
  /** Closing fails if any response was not documented. */
  afterAll(() => twins.close())

  test.each(haveTwins.map(nameOfEndpoint))(`%s returns ${TWIN_CODE} when it is provoked`, (name) => {
    const own = twins.witness.seen.filter(({ endpoint }) => endpoint === name)
    expect(own.map(({ outcome }) => outcome)).toContain(TWIN_CODE)
  })
})

test('every endpoint that is served is in the document, and no other', async () => {
  const document = openApiDocument(kassa.url)
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(documented.sort()).toEqual(
    ENDPOINTS.map((each) => nameOfEndpoint({ ...each, path: templateOf(each.path) })).sort(),
  )
})

test('the witness notices a response that is not documented', async () => {
  const server = createServer()
  const watching = witness(server)
  server.on('request', (_request, response) =>
    response.writeHead(418).end('{"ok":false,"error":{"code":"teapot"}}'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/health`)
  server.closeAllConnections()
  server.close()
  expect(watching.seen).toEqual([{ endpoint: 'GET /api/health', outcome: 'teapot' }])
  expect(() => watching.vouch()).toThrow('the code is not documented')
})

test('the witness notices a request that is accepted although the document rejects it', async () => {
  const server = createServer()
  const watching = witness(server)
  const valid = { ...EXAMPLE_SESSION.response, ok: true }
  server.on('request', async (request, response) => {
    await request.resume().toArray()
    response.setHeader('X-Request-Id', 'req_1')
    response
      .writeHead(request.method === 'POST' ? 201 : 200)
      .end(JSON.stringify(valid).replaceAll('BASE_URL', 'https://pay.example'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const send = (body: object, headers = {}) =>
    fetch(`${url}/v1/payment-sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  await send(EXAMPLE_SESSION.body)
  expect(() => watching.vouch()).not.toThrow()
  await fetch(`${url}/v1/payments`)
  expect(() => watching.vouch()).toThrow('paymentId is missing')
  await send({ ...EXAMPLE_SESSION.body, returnUrl: 'ftp://shop.example' })
  expect(() => watching.vouch()).toThrow('/returnUrl must match pattern')
  await send(EXAMPLE_SESSION.body, { 'idempotency-key': 'x'.repeat(161) })
  expect(() => watching.vouch()).toThrow('Idempotency-Key: it must NOT have more than 160 characters')
  await send(EXAMPLE_SESSION.body, { 'content-type': 'text/plain' })
  expect(() => watching.vouch()).toThrow('the media type text/plain is not in the document')
  server.closeAllConnections()
  server.close()
})
