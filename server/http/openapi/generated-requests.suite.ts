/**
 * A generator makes requests from the document alone, and the service accepts them. The short and the long test both use this
 * suite.
 */
import fc, { type Arbitrary } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CURRENCIES } from '../../contract/currencies.ts'
import { CurrencyCode } from '../../contract/fields.ts'
import { call } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { openApiDocument } from './document.ts'
import { nameOf, type Schema } from './schemas.ts'

const document = openApiDocument('https://pay.example')
const { schemas } = document.components
const ANY_TEXT = '^[^\\u0000]*$'
const DAY_MS = 86_400_000

function textOf({ format, pattern, minLength = 0, maxLength = 100 }: Schema): Arbitrary<string> {
  const [min, max] = [Number(minLength), Number(maxLength)]
  if (format === 'email') return fc.emailAddress().filter((text) => text.length <= max)
  // The document can express only the format of a time. That it is in the next 90 days is in its description.
  if (format === 'date-time')
    return fc.integer({ min: DAY_MS, max: 89 * DAY_MS }).map((ms) => new Date(Date.now() + ms).toISOString())
  if (typeof pattern === 'string' && pattern !== ANY_TEXT)
    return fc
      .stringMatching(new RegExp(pattern, 'u'))
      .filter((text) => text.length >= min && text.length <= max)
  return fc
    .string({ unit: 'grapheme', minLength: min, maxLength: Math.min(max, 60) })
    .filter((text) => !text.includes('\0') && [...text].length <= max && [...text].length >= min)
}

function anyOf(schema: Schema): Arbitrary<unknown> {
  const known = schemas[nameOf(schema) ?? ''] ?? schema
  if (known.enum) return fc.constantFrom(...known.enum)
  if (Array.isArray(known.anyOf)) return fc.oneof(...known.anyOf.slice(0, 1).map(anyOf))
  if (known.type === 'integer')
    return fc.maxSafeNat().map((n) => Number(known.minimum) + (n % Number(known.maximum)))
  if (known.type === 'string') return textOf(known)
  if (known.properties) {
    const fields = Object.entries(known.properties).map(([name, property]) => [name, anyOf(property)])
    return fc.record<Record<string, unknown>>(Object.fromEntries(fields), {
      requiredKeys: known.required ?? [],
    })
  }
  const key = fc.stringMatching(/^[a-z]{1,8}_[a-z]{1,4}$/)
  return fc.dictionary(key, fc.oneof(fc.boolean(), fc.integer(), fc.stringMatching(/^[ -~]{0,40}$/)), {
    maxKeys: 5,
  })
}

/**
 * The conditions that are only in the document's descriptions: which routes are ready, whole currencies, and that both amounts
 * agree.
 */
function heed(body: Record<string, unknown>): Record<string, unknown> {
  const { provider, providerRoute, amountMinor, amount, ...rest } = body
  return {
    ...rest,
    ...(provider !== undefined && { provider: 'route_b' }),
    ...(providerRoute !== undefined && { providerRoute: 'route_a' }),
    ...(amount === undefined
      ? amountMinor !== undefined && { amountMinor }
      : { amount: isWhole(body) ? String(Math.ceil(Number(amount))) : amount }),
  }
}

const isWhole = ({ currency }: Record<string, unknown>) => CURRENCIES[CurrencyCode.parse(currency)].isWhole

const PATHS = ['/v1/payment-sessions', '/v1/payment-links', '/v1/payment-method-tokens'] as const

/** `runs`: requests for each endpoint. Without a seed, each run of the tests makes other requests. */
export function testGeneratedRequests({ runs, seed }: { runs: number; seed?: number }): void {
  let kassa: Kassa
  let shop: Shop
  beforeAll(async () => {
    kassa = await startKassa()
    shop = await openShop(kassa.ctx)
  })
  afterAll(() => kassa.close())

  test.each(PATHS)('POST %s accepts requests that a generator makes from the document', async (path) => {
    const operation = document.paths[path]?.post
    const bodies = anyOf(operation?.requestBody?.content['application/json']?.schema ?? {})
    const key = operation?.parameters?.find(({ name }) => name === 'Idempotency-Key')?.schema ?? {}
    const request = fc.record({
      body: bodies.map((body) => heed(body as Record<string, unknown>)),
      key: textOf(key),
    })
    let count = 0
    await fc.assert(
      fc.asyncProperty(
        // Literal IPv6 addresses are the only part of an address that its pattern does not describe.
        request.filter(({ body }) => body.returnUrl === undefined || URL.canParse(String(body.returnUrl))),
        async ({ body, key: generated }) => {
          const headers = {
            authorization: `Bearer ${shop.token}`,
            'idempotency-key': `${generated.slice(0, 150).trim()}${++count}`,
          }
          const answer = await call(`${kassa.url}${path}`, { headers, body })
          // A pattern cannot express that digits form a card number.
          if (answer.body.error?.code === 'raw_card_data_rejected') return
          expect([answer.status, answer.body.error, answer.body.errors, body]).toEqual([
            201,
            undefined,
            undefined,
            body,
          ])
        },
      ),
      { numRuns: runs, ...(seed !== undefined && { seed }) },
    )
  })
}
