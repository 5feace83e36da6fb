import { readdirSync, readFileSync } from 'node:fs'
import { Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { OpenAPIClientAxios } from 'openapi-client-axios'
import { beforeAll, describe, expect, test } from 'vitest'
import { payAtBank, sessionRequest } from '../../testing/calls.ts'
import { SHOP_ORIGIN } from '../../testing/harness.ts'
import { setScene } from '../../testing/scene/endpoint.ts'
import { openScene } from '../../testing/scene.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { openApiDocument, templateOf } from './document.ts'
import { CONTRACT } from './schemas.ts'

const document = openApiDocument('https://pay.example')
const { kassa, shop } = await openScene()

/** Returns a copy in which every response's schema has an id. The tool compiles it once, and one without an id at every example. */
// biome-ignore lint/suspicious/noExplicitAny: the tests change any part of the copy
function withSchemaIds(given: object): any {
  const copy = JSON.parse(JSON.stringify(given))
  for (const [name, schema] of Object.entries<Record<string, unknown>>(copy.components.schemas))
    if (name.endsWith('Response')) schema.$id = `https://schemas.example/${name}`
  return copy
}

describe('the document', () => {
  test('passes the default rules of an independent tool without an error or a warning', {
    tags: ['long'],
  }, async () => {
    const spectral = new Spectral()
    spectral.setRuleset({ extends: [oas] } as never)
    const found = await spectral.run(withSchemaIds(document))
    expect(found.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)).toEqual([])
  })

  test('the independent tool does find faults', { tags: ['long'] }, async () => {
    const spectral = new Spectral()
    spectral.setRuleset({ extends: [oas] } as never)
    const broken = JSON.parse(JSON.stringify(document))
    broken.paths = { '/v1/payments': broken.paths['/v1/payments'] }
    broken.paths['/v1/payments'].get.responses[200].content['application/json'].example.amountMinor = 'much'
    expect((await spectral.run(broken)).map(({ code }) => code)).toContain('oas3-valid-media-example')
  })

  test('has a schema for every schema that the contract exports', () => {
    const room = new URL('../../contract/', import.meta.url)
    // A vocabulary, such as the languages, is a table without a schema.
    const files = readdirSync(room).filter((file) =>
      readFileSync(new URL(file, room), 'utf8').includes("'zod'"),
    )
    expect(Object.keys(CONTRACT).sort()).toEqual(files.map((file) => file.replace('.ts', '')).sort())
  })

  test('describes every field of every schema', () => {
    const silent = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, property]) => property.$ref === undefined && property.description === undefined)
        .map(([field]) => `${name}.${field}`),
    )
    expect(silent).toEqual([])
  })

  test('every operation has an id of its own and an example of its success', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { operationId, responses, requestBody } of operations) {
      expect([operationId, responses[200]?.content?.['application/json']?.example]).not.toContain(undefined)
      if (requestBody) expect(requestBody.content['application/json']?.example).toBeDefined()
    }
  })
})

describe('a client that a tool generates from the served document', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the client's methods are known only at run time
  let client: any
  beforeAll(async () => {
    const made = new OpenAPIClientAxios({
      definition: `${kassa.url}/openapi.json`,
      axiosConfigDefaults: { validateStatus: () => true },
    })
    client = await made.init()
  })
  const withToken = (headers = {}) => ({ headers: { Authorization: `Bearer ${shop.token}`, ...headers } })

  test('creates a payment, replays it, and sees that it was paid', async () => {
    const send = () =>
      client.createPaymentSession({ 'Idempotency-Key': 'made-1' }, sessionRequest(), withToken())
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status, again.data.id]).toEqual([201, 200, first.data.id])
    expect(again.headers['x-idempotent-replay']).toBe('true')
    await payAtBank(first.data.providerCheckoutUrl, 'paid')
    const found = await client.lookUpPayment({ paymentId: first.data.id }, null, withToken())
    expect([found.status, found.data.status, found.data.amountMinor]).toEqual([200, 'paid', 1900])
  })

  test('clicks the button, reads the health, and gets the documented failures', async () => {
    const click = { publicKey: shop.publicKey, productId: 'tea', clientReference: 'made-1' }
    const clicked = await client.createWidgetCheckout({ Origin: SHOP_ORIGIN }, click)
    expect([clicked.status, clicked.data.product]).toEqual([201, { id: 'tea', name: 'Tea' }])
    expect((await client.health()).data).toMatchObject({ ok: true, ready: true })
    const refused = await client.lookUpPayment({ paymentId: 'pay_0' }, null)
    expect([refused.status, refused.data.error.code]).toEqual([401, 'missing_token'])
  })
})

test('the independent tool finds that real responses match the document’s schemas', {
  tags: ['long'],
}, async () => {
  const real = withSchemaIds(openApiDocument(kassa.url))
  delete real.webhooks
  for (const endpoint of ENDPOINTS) {
    const { send } = await setScene(kassa, endpoint)
    const refused =
      endpoint.auth.kind === 'none' ? null : await send({ headers: { authorization: '', origin: 'x' } })
    const path = real.paths[templateOf(endpoint.path)]
    const documented = path[endpoint.method].responses
    // The document's own examples are checked above.
    path[endpoint.method] = { responses: {} }
    for (const answer of [await send(), await send(), refused]) {
      if (answer === null) continue
      const { status, body } = answer as { status: number; body: unknown }
      const { schema } = documented[status].content['application/json']
      path[endpoint.method].responses[status] = {
        content: { 'application/json': { schema, example: body } },
      }
    }
  }
  const spectral = new Spectral()
  // The other rules have checked the whole document above.
  const rule = 'oas3-valid-media-example'
  spectral.setRuleset({ extends: [[oas, 'off']], rules: { [rule]: 'error' } } as never)
  expect((await spectral.run(real)).map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([])
})

describe('/openapi.json', () => {
  test('can be read by other pages, has an ETag, and names this server', async () => {
    const first = await fetch(`${kassa.url}/openapi.json`, { headers: { origin: 'https://tool.example' } })
    expect(first.headers.get('access-control-allow-origin')).toBe('*')
    expect(first.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await first.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument(kassa.url))))
    const etag = first.headers.get('etag') ?? ''
    const second = await fetch(`${kassa.url}/openapi.json`, {
      headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
    })
    expect([second.status, await second.text()]).toEqual([304, ''])
  })
})
