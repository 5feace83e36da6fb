import { z } from 'zod'
import {
  AmountMinor,
  CURRENCY_CODES,
  CurrencyCode,
  DateTime,
  FIELDS,
  MEANS,
  PaymentProvider,
  ProofOfPayment,
} from './fields.ts'
import { Mode } from './health.ts'
import { PAYMENT_STATUSES, PaymentStatus } from './payment.ts'

export const CAPABILITY_NAMES = [
  'payment_links',
  'qr_presentation',
  'refund',
  'capture',
  'void',
  'tokenization',
  'subscriptions',
  'fiscalization',
  'cancel',
] as const
export const CapabilityName = z.enum(CAPABILITY_NAMES)
export type CapabilityName = z.infer<typeof CapabilityName>

/**
 * `supported`: the route's provider can do it. `enabled`: the operator has enabled it too. `reason`: why it is not, for people.
 */
export const CapabilityState = z.strictObject({
  supported: z.boolean().meta({ description: 'Whether the route’s driver can do it.' }),
  enabled: z.boolean().meta({ description: 'Whether the settings allow it.' }),
  reason: z.string().optional().meta(MEANS.reason),
  proofOfPayment: ProofOfPayment.optional(),
})
export type CapabilityState = z.infer<typeof CapabilityState>

/** A schema under each name. An object with named properties keeps its names in clients that tools generate. */
const membersOf = <Name extends string, Schema extends z.ZodType>(
  names: readonly Name[],
  schemaOf: (name: Name) => Schema,
) => Object.fromEntries(names.map((name) => [name, schemaOf(name)])) as Record<Name, Schema>

export const Capabilities = z.strictObject(membersOf(CAPABILITY_NAMES, () => CapabilityState))

/** The smallest and the largest amount that a payment can have. */
export const AmountBounds = z.strictObject({
  smallestMinor: AmountMinor.meta({ description: 'The smallest amount, in minor units.' }),
  largestMinor: AmountMinor.meta({ description: 'The largest amount, in minor units.' }),
})
export type AmountBounds = z.infer<typeof AmountBounds>

export const ProviderCapability = z.strictObject({
  id: PaymentProvider.meta({ description: 'The provider route.' }),
  label: z.string().meta({ description: 'The route’s name, for people.' }),
  currencies: z.array(CurrencyCode).meta({ description: 'The currencies that the route takes.' }),
  amountBounds: z.strictObject(membersOf(CURRENCY_CODES, () => AmountBounds.optional())).meta({
    description:
      'The smallest and largest amount that the route’s provider takes, for each of its currencies.',
  }),
  liveCapable: z.boolean().meta({ description: 'Whether the route can move real money.' }),
  supportsAutoinit: z
    .boolean()
    .meta({ description: 'Whether the provider’s checkout is opened while the payment is created.' }),
  readiness: z
    .strictObject({
      enabledForPaymentCreation: z
        .boolean()
        .meta({ description: 'Whether payments can be created on the route now.' }),
      reason: z.string().meta(MEANS.reason),
      missingEnv: z.array(z.string()).meta({ description: 'The names of the settings that are missing.' }),
    })
    .meta({ description: 'Whether the route can create payments now.' }),
  capabilities: Capabilities.meta({ description: 'What can be done on the route, by capability name.' }),
})
export type ProviderCapability = z.infer<typeof ProviderCapability>

export const PLATFORMS = [
  'woocommerce',
  'shopify',
  'opencart',
  'prestashop',
  'magento',
  'tilda',
  'medusa',
  'vendure',
  'evershop',
] as const
export const Platform = z.enum(PLATFORMS)
export type Platform = z.infer<typeof Platform>

/** A platform's own status for each payment status. */
export const PlatformStatuses = z.strictObject(
  membersOf(PAYMENT_STATUSES, (status) =>
    z.string().meta({ description: `The platform’s own status for \`${status}\`.` }),
  ),
)

/** The status map, with which a shop platform keeps its orders in step with payments. */
export const StatusSync = z.strictObject({
  version: z.int().min(1).meta(MEANS.version),
  normalizedStatuses: z.array(PaymentStatus).meta({ description: 'Every payment status.' }),
  terminalStatuses: z.array(PaymentStatus).meta({
    description:
      'Statuses with a known outcome. Polling may stop. If the provider changes one of them later, an event tells.',
  }),
  fulfilmentStatuses: z
    .array(PaymentStatus)
    .meta({ description: 'Statuses in which the goods may be delivered.' }),
  accountingStatuses: z.array(PaymentStatus).meta({
    description: 'Statuses in which money went back or is disputed. Update accounting and support.',
  }),
  proofOfPayment: ProofOfPayment,
  poll: z
    .strictObject({
      minSeconds: z.int().meta({ description: 'The first wait, in seconds.' }),
      backoff: z.literal('exponential').meta({ description: 'How the wait grows.' }),
      maxSeconds: z.int().meta({ description: 'The longest wait, in seconds.' }),
    })
    .meta({ description: 'How often to ask.' }),
  platforms: z
    .strictObject(membersOf(PLATFORMS, () => PlatformStatuses))
    .meta({ description: 'Each platform’s own word for each status.' }),
})
export type StatusSync = z.infer<typeof StatusSync>

export const CALLBACK_KINDS = ['url', 'order_book', 'none'] as const

/** Where the merchant's events go. `verified`: it has shown that it checks signatures. `lastAcceptedAt`: to within a minute. */
export const CallbackStanding = z.strictObject({
  kind: z.enum(CALLBACK_KINDS).meta({
    description:
      '`url`: a callback URL. `order_book`: the order book inside this service. `none`: events are kept, and sent to nobody.',
  }),
  verified: z
    .boolean()
    .meta({ description: 'Whether the receiver has passed the check with signed test events.' }),
  lastAcceptedAt: DateTime.optional().meta({
    description: 'When it last accepted an event, to within a minute: ISO 8601, UTC. Absent if it never has.',
  }),
})
export type CallbackStanding = z.infer<typeof CallbackStanding>

export const CapabilitiesMerchant = z.strictObject({
  id: z.string().meta({ description: 'The merchant’s identifier.' }),
  name: z.string().meta({ description: 'The merchant’s name.' }),
})

/** The number of decimals of an amount. */
export const CurrencyDigits = z.strictObject(
  membersOf(CURRENCY_CODES, () => z.int().min(0).meta({ description: 'Digits behind the decimal point.' })),
)

const SERVICE_STATUSES = ['ready', 'degraded', 'not_ready'] as const
export const ServiceStatus = z.enum(SERVICE_STATUSES)
export type ServiceStatus = z.infer<typeof ServiceStatus>

export const CapabilitiesResponse = z.strictObject({
  ok: FIELDS.ok,
  mode: Mode.meta(MEANS.mode),
  defaultProvider: PaymentProvider.meta({ description: 'The route of payments that name none.' }),
  status: ServiceStatus.meta({
    description:
      '`ready`, `degraded` (some route can create payments, but not the default one) or `not_ready`.',
  }),
  generatedAt: DateTime.meta({ description: 'When this response was made: ISO 8601, UTC.' }),
  merchant: CapabilitiesMerchant.meta({ description: 'The merchant of the token. An addition of Kassa.' }),
  callback: CallbackStanding.meta({ description: 'Where the merchant’s events go. An addition of Kassa.' }),
  currencyDigits: CurrencyDigits.meta({
    description:
      'For each currency, how many digits of an amount in minor units stand behind the decimal point. An addition of Kassa.',
  }),
  providers: z.array(ProviderCapability).meta({ description: 'Every provider route, ready or not.' }),
  connectors: z
    .strictObject({
      statusSync: StatusSync.meta({ description: 'How to read statuses and how often to ask for them.' }),
    })
    .meta({ description: 'What shop platforms need to keep their orders up to date.' }),
})
export type CapabilitiesResponse = z.infer<typeof CapabilitiesResponse>
