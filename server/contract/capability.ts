import { z } from 'zod'
import {
  AmountMinor,
  CURRENCY_CODES,
  CurrencyCode,
  DateTime,
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
] as const
export const CapabilityName = z.enum(CAPABILITY_NAMES)
export type CapabilityName = z.infer<typeof CapabilityName>

/**
 * `supported`: the route's provider can do it. `enabled`: the operator has enabled it too. `reason`: why it is not, for people.
 */
export const CapabilityState = z.strictObject({
  supported: z.boolean(),
  enabled: z.boolean(),
  reason: z.string().optional(),
  proofOfPayment: ProofOfPayment.optional(),
})
export type CapabilityState = z.infer<typeof CapabilityState>

/** The same schema under each name. An object with named properties keeps its names in clients that tools generate. */
const membersOf = <Name extends string, Schema extends z.ZodType>(names: readonly Name[], schema: Schema) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>

export const Capabilities = z.strictObject(membersOf(CAPABILITY_NAMES, CapabilityState))

/** The smallest and the largest amount that a payment can have. */
export const AmountBounds = z.strictObject({ smallestMinor: AmountMinor, largestMinor: AmountMinor })
export type AmountBounds = z.infer<typeof AmountBounds>

export const ProviderCapability = z.strictObject({
  id: PaymentProvider,
  label: z.string(),
  currencies: z.array(CurrencyCode),
  /** For each of the currencies. */
  amountBounds: z.strictObject(membersOf(CURRENCY_CODES, AmountBounds.optional())),
  liveCapable: z.boolean(),
  supportsAutoinit: z.boolean(),
  readiness: z.strictObject({
    enabledForPaymentCreation: z.boolean(),
    reason: z.string(),
    missingEnv: z.array(z.string()),
  }),
  capabilities: Capabilities,
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
export const PlatformStatuses = z.strictObject(membersOf(PAYMENT_STATUSES, z.string()))

/** The status map, with which a shop platform keeps its orders in step with payments. */
export const StatusSync = z.strictObject({
  version: z.int().min(1),
  normalizedStatuses: z.array(PaymentStatus),
  /** The payment's outcome is known, so polling may stop. Later refunds and disputes are sent as events. */
  terminalStatuses: z.array(PaymentStatus),
  fulfilmentStatuses: z.array(PaymentStatus),
  accountingStatuses: z.array(PaymentStatus),
  proofOfPayment: ProofOfPayment,
  poll: z.strictObject({ minSeconds: z.int(), backoff: z.literal('exponential'), maxSeconds: z.int() }),
  /** For each platform: its own status for each payment status. */
  platforms: z.strictObject(membersOf(PLATFORMS, PlatformStatuses)),
})
export type StatusSync = z.infer<typeof StatusSync>

export const CALLBACK_KINDS = ['url', 'order_book', 'none'] as const

/** Where the merchant's events go. `verified`: it has shown that it checks signatures. `lastAcceptedAt`: to within a minute. */
export const CallbackStanding = z.strictObject({
  kind: z.enum(CALLBACK_KINDS),
  verified: z.boolean(),
  lastAcceptedAt: DateTime.optional(),
})
export type CallbackStanding = z.infer<typeof CallbackStanding>

export const CapabilitiesMerchant = z.strictObject({ id: z.string(), name: z.string() })

/** How many digits of an amount in minor units stand behind the decimal point. */
export const CurrencyDigits = z.strictObject(membersOf(CURRENCY_CODES, z.int().min(0)))

const SERVICE_STATUSES = ['ready', 'degraded', 'not_ready'] as const
export const ServiceStatus = z.enum(SERVICE_STATUSES)
export type ServiceStatus = z.infer<typeof ServiceStatus>

export const CapabilitiesResponse = z.strictObject({
  ok: z.literal(true),
  mode: Mode,
  defaultProvider: PaymentProvider,
  /** `degraded`: some route can create payments, but not the default one. */
  status: ServiceStatus,
  generatedAt: DateTime,
  /** Whose token it is. */
  merchant: CapabilitiesMerchant,
  callback: CallbackStanding,
  currencyDigits: CurrencyDigits,
  providers: z.array(ProviderCapability),
  connectors: z.strictObject({ statusSync: StatusSync }),
})
export type CapabilitiesResponse = z.infer<typeof CapabilitiesResponse>
