/** Every endpoint with a body reads the spellings of real clients in the same way. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { call } from '../../testing/calls.ts'
import { openToken } from '../../testing/payments/subscriptions.ts'
import { openScene } from '../../testing/scene.ts'
import type { Endpoint } from '../endpoint.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { operationOf } from '../openapi/operations.ts'

const { kassa, shop } = await openScene()
let saved: string
beforeAll(async () => {
  saved = await openToken(kassa.url, shop)
})

let count = 0
/** Sends the example of the endpoint's document, with these changes. `text`: sent as it is. */
function send(endpoint: Endpoint, changes: object = {}, sent: { text?: string; type?: string } = {}) {
  const { path: ids = {}, body = {}, headers } = operationOf(endpoint).example ?? { response: {} }
  const own = { publicKey: shop.publicKey, paymentTokenId: saved, clientReference: `sent-${++count}` }
  const real = Object.fromEntries(Object.entries(own).filter(([name]) => name in body))
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => (ids as Record<string, string>)[name] ?? name)
  return call(`${kassa.url}${path}`, {
    method: endpoint.method.toUpperCase(),
    headers: {
      ...headers,
      ...(endpoint.auth.kind === 'bearer' && { authorization: `Bearer ${shop.token}` }),
      ...(endpoint.idempotencyKey && { 'idempotency-key': `every-${count}` }),
      'content-type': sent.type ?? 'application/json',
    },
    body: sent.text ?? JSON.stringify({ ...body, ...real, ...changes }),
  })
}

const shapeOf = ({ body }: Endpoint) =>
  Object.entries((body as z.ZodObject).shape as Record<string, z.ZodType>)
const optionalOf = (endpoint: Endpoint) =>
  shapeOf(endpoint).flatMap(([name, field]) => (field.def.type === 'optional' ? [name] : []))
const objectsOf = (endpoint: Endpoint) =>
  shapeOf(endpoint).flatMap(([name, field]) => {
    const inner = field.def.type === 'optional' ? (field as z.ZodOptional).unwrap() : field
    return ['object', 'record'].includes((inner as z.ZodType).def.type) ? [name] : []
  })
const each = (names: readonly string[], value: unknown) =>
  Object.fromEntries(names.map((name) => [name, value]))

/** The request is understood: what is wrong with it now is not its form. */
function expectRead({ status, body }: Awaited<ReturnType<typeof send>>): void {
  expect([body.error?.message, body.errors]).toEqual([body.error?.message, undefined])
  expect([200, 201, 404, 409, 501]).toContain(status)
}

describe.each(
  ENDPOINTS.filter(({ body }) => body).map((endpoint) => ({
    name: `${endpoint.method} ${endpoint.path}`,
    endpoint,
  })),
)('$name', ({ endpoint }) => {
  test('reads its own example, however its charset is spelled', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf8',
      'Application/JSON;charset="UTF-8"; v=1',
    ])
      expectRead(await send(endpoint, {}, { type }))
  })

  test('takes null and an empty list of PHP for what is not used', async () => {
    expectRead(await send(endpoint, each(optionalOf(endpoint), null)))
    expectRead(await send(endpoint, each(objectsOf(endpoint), [])))
  })

  test('takes no body, null, an empty list and an empty object alike, if it needs none', async () => {
    const answers = []
    for (const text of ['null', '[]', '{}', ' {} ']) answers.push(await send(endpoint, {}, { text }))
    if (endpoint.bodyOptional) for (const answer of answers) expectRead(answer)
    else expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422])
  })

  test('refuses a name that stands twice, with its place', async () => {
    const { status, body } = await send(endpoint, {}, { text: '{"reason":"a","x":{"y":1},"reason":"b"}' })
    expect([status, Object.keys(body.errors)]).toEqual([422, ['reason']])
  })
})
