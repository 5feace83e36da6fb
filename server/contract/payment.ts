import { z } from 'zod'
import {
  AmountMinor,
  CurrencyCode,
  Customer,
  DateTime,
  MerchantOrderId,
  Metadata,
  PAYMENT_ID_MAX_CHARS,
  PaymentProvider,
} from './fields.ts'
import { ReturnUrl, text } from './formats.ts'

export const PAYMENT_STATUSES = [
  'created',
  'pending_redirect',
  'pending_payment',
  'authorized',
  'paid',
  'failed',
  'cancelled',
  'reversed',
  'partially_refunded',
  'refunded',
  'expired',
  'status_unknown',
  'disputed',
] as const
export const PaymentStatus = z.enum(PAYMENT_STATUSES)
export type PaymentStatus = z.infer<typeof PaymentStatus>

export const FISCAL_STATUSES = [
  'not_required',
  'pending',
  'issued',
  'failed',
  'refunded',
  'partially_refunded',
  'correction_required',
] as const
export const FiscalStatus = z.enum(FISCAL_STATUSES)
export type FiscalStatus = z.infer<typeof FiscalStatus>

/** A payment as the outside sees it. Amounts are in minor units, times are ISO 8601 in UTC. */
export const PaymentSession = z.strictObject({
  ok: z.boolean().optional(),
  id: z.string(),
  merchantOrderId: z.string(),
  provider: PaymentProvider,
  amountMinor: AmountMinor,
  currency: CurrencyCode,
  status: PaymentStatus,
  fiscalStatus: FiscalStatus,
  /** False for a payment of the sandbox: no real money moved. */
  livemode: z.boolean(),
  /** What was really taken and given back, in minor units. */
  capturedMinor: z.int().min(0),
  refundedMinor: z.int().min(0),
  checkoutUrl: z.url().optional(),
  providerCheckoutUrl: z.url().optional(),
  /** The buyer has finished, and the provider is still working on the payment since this time: a review, or a bank debit. */
  processingSince: DateTime.optional(),
  customer: Customer.optional(),
  metadata: Metadata.optional(),
  createdAt: DateTime.optional(),
  updatedAt: DateTime.optional(),
})
export type PaymentSession = z.infer<typeof PaymentSession>

export const CreatePaymentSessionRequest = z.strictObject({
  merchantOrderId: MerchantOrderId,
  amountMinor: AmountMinor,
  currency: CurrencyCode,
  provider: PaymentProvider.optional(),
  returnUrl: ReturnUrl,
  customer: Customer.optional(),
  metadata: Metadata.optional(),
})
export type CreatePaymentSessionRequest = z.infer<typeof CreatePaymentSessionRequest>

/** Query parameters that the service does not know are ignored. */
export const LookUpPaymentQuery = z.object({ paymentId: text(1, PAYMENT_ID_MAX_CHARS) })
