import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { complaint } from './complaint.ts'
import { ConfigError, readConfig } from './config.ts'
import { AMOUNT_MINOR_MAX, CURRENCY_CODES } from './contract/fields.ts'
import type { Endpoint } from './http/endpoint.ts'
import { ENDPOINTS } from './http/endpoints/index.ts'
import { nameOfEndpoint, operationOf } from './http/openapi/operations.ts'
import { SETTINGS } from './settings/table.ts'
import { createSession, sessionRequest } from './testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from './testing/harness.ts'

const english = z.locales.en().localeError
const ODD = [
  undefined,
  null,
  true,
  '',
  'x',
  'x'.repeat(2_000),
  0,
  -5,
  1.5,
  AMOUNT_MINOR_MAX + 1,
  2 ** 60,
  [],
  {},
  ['x'],
  { extra: 1 },
]

/** Returns values in which one place at a time is invalid, including the whole value and nested objects. */
function* spoiled(schema: z.ZodType, sound: unknown): Generator<unknown> {
  yield* ODD
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  if (!(inner instanceof z.ZodObject)) return
  const whole = { ...(sound as object) }
  yield { ...whole, unknown: 1 }
  for (const [name, property] of Object.entries(inner.shape))
    for (const odd of spoiled(property as z.ZodType, whole[name as never] ?? {}))
      yield { ...whole, [name]: odd }
}

type Complaint = { code: string; message: string; raw: string | undefined }

function complaintsOf(schema: z.ZodType, data: unknown): Complaint[] {
  const issues = schema.safeParse(data, { error: complaint, reportInput: true }).error?.issues ?? []
  return issues.map((issue) => {
    const raw = english(issue as z.core.$ZodRawIssue)
    return { code: issue.code, message: issue.message, raw: typeof raw === 'string' ? raw : raw?.message }
  })
}

const PARTS = ['body', 'query', 'params'] as const
const schemasOf = (endpoint: Endpoint) => {
  const { example } = operationOf(endpoint)
  const shown = { body: example?.body, query: example?.query, params: example?.path }
  return PARTS.flatMap((part) => {
    const schema = endpoint[part]
    return schema ? [{ what: `${nameOfEndpoint(endpoint)} ${part}`, schema, sound: shown[part] ?? {} }] : []
  })
}
const ALL = ENDPOINTS.flatMap(schemasOf)
/** The parts of a request that can be invalid. */
const KINDS = [
  'custom',
  'invalid_type',
  'invalid_value',
  'invalid_format',
  'invalid_union',
  'too_small',
  'too_big',
  'unrecognized_keys',
]
const RAW = /invalid|expected|received|too (small|big)|unrecognized|undefined|\[object|NaN/i

test.each(ALL)('$what: every problem has one of our own sentences', ({ schema, sound }) => {
  const all = [...spoiled(schema, sound)].flatMap((data) => complaintsOf(schema, data))
  expect(all.length).toBeGreaterThan(0)
  for (const { message, raw } of all) {
    expect(message).not.toBe(raw)
    expect(message).not.toMatch(RAW)
    expect(message).toMatch(/^(is|has|must|price) /)
  }
})

test('the tries cover every kind of problem that a request can have', () => {
  const all = ALL.flatMap(({ schema, sound }) =>
    [...spoiled(schema, sound)].flatMap((data) => complaintsOf(schema, data)),
  )
  expect([...new Set(all.map(({ code }) => code))].sort()).toEqual(KINDS.toSorted())
})

test.each(Object.values(SETTINGS).map(({ name }) => name))(
  'the setting %s is rejected with one of our own sentences',
  (name) => {
    for (const value of ['?', '-1', '1.5', '999999999999', 'x'.repeat(2_000)]) {
      try {
        readConfig({ [name]: value })
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError)
        for (const line of (error as ConfigError).problems) expect(line).not.toMatch(RAW)
      }
    }
  },
)

describe('a request is told', () => {
  let kassa: Kassa
  let shop: Shop
  beforeAll(async () => {
    kassa = await startKassa()
    shop = await openShop(kassa.ctx)
  })
  afterAll(() => kassa.close())

  const minorUnits = 'in minor units: 1900 is 19.00 USD'
  test.each([
    [{ amountMinor: -5 }, { amountMinor: `must be at least 1, ${minorUnits}` }],
    [{ amountMinor: 0 }, { amountMinor: `must be at least 1, ${minorUnits}` }],
    [{ amountMinor: AMOUNT_MINOR_MAX + 1 }, { amountMinor: `must be at most 1000000000000, ${minorUnits}` }],
    [{ amountMinor: 1.5 }, { amountMinor: 'must be a whole number' }],
    [{ amountMinor: '1900' }, { amountMinor: 'must be a number, not text' }],
    [{ currency: undefined }, { currency: 'is required' }],
    [{ currency: 'usd' }, { currency: `must be one of ${CURRENCY_CODES.join(', ')}` }],
    [{ merchantOrderId: '' }, { merchantOrderId: 'must not be empty' }],
    [{ metadata: ['a'] }, { metadata: 'must be an object, not a list' }],
    [{ merchantOrderId: null }, { merchantOrderId: 'must be text, not null' }],
    [
      { mount: 1, metadata: 1 },
      { mount: 'is not a known property', metadata: 'must be an object, not a number' },
    ],
  ])('what is wrong with %j', async (change, errors) => {
    const answer = await createSession(kassa.url, shop, { body: sessionRequest(change) })
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  test('that an amount is missing, and when a link may end', async () => {
    const headers = { authorization: `Bearer ${shop.token}`, 'idempotency-key': 'odd' }
    const ask = async (body: object) => {
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
      const answer = await fetch(`${kassa.url}/v1/payment-links`, { ...init, body: JSON.stringify(body) })
      return (await answer.json()).errors
    }
    expect(await ask({ currency: 'AMD', description: 'Tea', expiresAt: 'tomorrow' })).toEqual({
      amount: 'is required',
      expiresAt: 'must be a date and time with a zone, such as 2026-03-01T09:30:00Z',
    })
  })
})
