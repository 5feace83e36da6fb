/** Other people's tools read the document: a linter, and a generator of types. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { CAPABILITY_NAMES, PLATFORMS } from '../../contract/capability.ts'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { compileWith, generateTypes } from '../../testing/documents/generated-client.ts'
import { openApiDocument } from './document.ts'

// biome-ignore lint/suspicious/noExplicitAny: a broken document is made here as well
const copy = (): any => JSON.parse(JSON.stringify(openApiDocument('https://pay.example')))

async function lint(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source: JSON.stringify(document), config })
  return found.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}

describe('Redocly’s recommended rules', () => {
  test('find nothing in the document', async () => {
    expect(await lint(copy())).toEqual([])
  })

  test('do find an operation without security, and an example that its schema rejects', async () => {
    const broken = copy()
    delete broken.webhooks['payment.status_changed'].post.security
    delete broken.webhooks['payment.status_changed'].post.requestBody.content['application/json'].example
      .livemode
    expect((await lint(broken)).map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['security-defined', 'no-invalid-media-type-examples']),
    )
  })
})

const STATUS_WORDS = PAYMENT_STATUSES.map((status) => `platforms.${PLATFORMS[0]}.${status} satisfies string`)
const PROGRAM = `
import type { components, operations, paths, webhooks } from './client.ts'

type Schemas = components['schemas']
declare const provider: Schemas['ProviderCapability']
declare const { platforms }: Schemas['StatusSync']
${CAPABILITY_NAMES.map((name) => `provider.capabilities.${name}.enabled satisfies boolean`).join('\n')}
${PLATFORMS.map((name) => `platforms.${name} satisfies Record<string, string>`).join('\n')}
${STATUS_WORDS.join('\n')}

export const session: Schemas['CreatePaymentSessionRequest'] = {
  merchantOrderId: 'order-1',
  amountMinor: 1900,
  currency: 'USD',
  returnUrl: 'https://shop.example/thanks',
}
export const link: Schemas['CreatePaymentLinkRequest'] = { amount: '15.00', currency: 'EUR', description: 'Tea' }
export const refund: Schemas['CreateRefundRequest'] = { amountMinor: 1, reason: 'Broken' }

// A code of a later version compiles too.
export const code: Schemas['ErrorCode'] = 'a_code_of_a_later_version'

type Cancel = operations['cancelSubscription']
export const noBody: NonNullable<Cancel['requestBody']> extends never ? true : false = true
export const key: Cancel['parameters']['header']['Idempotency-Key'] = 'k'

type Json<Of> = Of extends { content: { 'application/json': infer Body } } ? Body : never
type Created = Json<operations['createPaymentSession']['responses'][201]>
export const idOf = ({ id, livemode, capturedMinor }: Created): [string, boolean, number] => [id, livemode, capturedMinor]
type Refused = Json<operations['createPaymentSession']['responses'][422]>
export const fields = ({ errors }: Refused): Record<string, string> => errors
type Event = webhooks['payment.status_changed']['post']['requestBody']['content']['application/json']
export const statusOf = ({ payment, data }: Event): string => payment.status + data.payment.status
export type Everything = keyof paths
`

describe('types that openapi-typescript generates', () => {
  /** What the compiler says about each program. */
  let faults: Record<'right' | 'wrong', string[]>
  beforeAll(async () => {
    const wrong = PROGRAM.replace('provider.capabilities.refund', 'provider.capabilities.refunds')
    faults = await compileWith(await generateTypes(), { right: PROGRAM, wrong })
  })

  test('compile in strict use, and keep every name of the contract', () => {
    expect(faults.right).toEqual([])
  })

  test('reject a name that the contract does not have', () => {
    expect(faults.wrong).toEqual([expect.stringContaining("Property 'refunds' does not exist")])
  })
})

describe('the document', () => {
  const document = copy()
  const { schemas } = document.components
  const body = (name: string) => schemas[name].properties

  test('declares the formats and patterns that are checked', () => {
    for (const name of [
      'CreatePaymentSessionRequest',
      'CreatePaymentLinkRequest',
      'CreateTokenizationIntentRequest',
    ])
      expect(body(name).returnUrl).toMatchObject({
        format: 'uri',
        pattern: expect.any(String),
        maxLength: 300,
      })
    expect(body('WidgetCheckoutRequest').returnUrl).toMatchObject({ format: 'iri-reference' })
    expect(body('CreatePaymentLinkRequest').amount.anyOf[0].pattern).toEqual(expect.any(String))
    expect(body('CreatePaymentLinkRequest').expiresAt.format).toBe('date-time')
    expect(body('Customer').email.format).toBe('email')
    const keys = Object.values(openApiDocument('https://pay.example').paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters)
      .filter(({ name }) => name === 'Idempotency-Key')
    expect(keys.length).toBe(11)
    for (const { schema } of keys) expect(schema.pattern).toEqual(expect.any(String))
  })

  test('names every capability and every platform', () => {
    expect(Object.keys(body('Capabilities'))).toEqual([...CAPABILITY_NAMES])
    expect(Object.keys(body('StatusSync').platforms.properties)).toEqual([...PLATFORMS])
    expect(Object.keys(body('PlatformStatuses'))).toEqual([...PAYMENT_STATUSES])
  })

  test('leaves the error codes open, and lists the known ones as examples', () => {
    expect(schemas.ErrorCode.enum).toBeUndefined()
    expect(schemas.ErrorCode.examples).toContain('rate_limited')
  })

  test('shows no body where none is taken, and no security for the event', () => {
    const bodyless = [
      ['/v1/fiscal-receipts/{paymentId}/retry', 'post'],
      ['/v1/payment-method-tokens/{tokenId}', 'delete'],
      ['/v1/subscriptions/{subscriptionId}/cancel', 'post'],
    ] as const
    for (const [path, method] of bodyless) expect(document.paths[path][method].requestBody).toBeUndefined()
    expect(document.webhooks['payment.status_changed'].post.security).toEqual([])
  })

  test('tells the link’s identifier from the derived order reference', () => {
    expect(body('PaymentLinkResponse').linkId.description).toContain('merchantOrderId')
    expect(body('CreatePaymentLinkRequest').merchantOrderId.description).toContain('linkId')
  })
})
