import { z } from 'zod'
import {
  DateTime,
  FIELDS,
  MEANS,
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
  ok: z.boolean().optional().meta({ description: 'True if the request succeeded.' }),
  id: z.string().meta({ description: 'The payment’s identifier.' }),
  merchantOrderId: FIELDS.merchantOrderId,
  provider: PaymentProvider.meta({ description: 'The provider route of the payment.' }),
  amountMinor: FIELDS.amountMinor,
  currency: FIELDS.currency,
  status: PaymentStatus.meta(MEANS.status),
  fiscalStatus: FiscalStatus.meta({
    description:
      'The status of the fiscal receipt. `failed`: a retry can print it. `correction_required`: money moved and its receipt is missing or unclear, or the receipt of a refund that failed after all was printed. A change sends no event.',
  }),
  livemode: z.boolean().meta(MEANS.livemode),
  capturedMinor: z.int().min(0).meta({
    description:
      'How much was really taken, in minor units. It is less than `amountMinor` after a capture of a part, or if the shop has accepted less. After a void it is 0.',
  }),
  refundedMinor: z.int().min(0).meta(MEANS.refundedMinor),
  checkoutUrl: z.url().optional().meta(MEANS.checkoutUrl),
  providerCheckoutUrl: z.url().optional().meta(MEANS.providerCheckoutUrl),
  processingSince: DateTime.optional().meta({
    description:
      'The buyer has finished, and the provider has been working on the payment since then: a review, or a bank debit that takes days. Do not ask the buyer to pay again. Absent when it has decided.',
  }),
  customer: FIELDS.customer.optional(),
  metadata: Metadata.optional(),
  createdAt: FIELDS.createdAt.optional(),
  updatedAt: FIELDS.updatedAt.optional(),
})
export type PaymentSession = z.infer<typeof PaymentSession>

export const CreatePaymentSessionRequest = z.strictObject({
  merchantOrderId: MerchantOrderId,
  amountMinor: FIELDS.amountMinor,
  currency: FIELDS.currency,
  provider: PaymentProvider.optional().meta(MEANS.defaultRoute),
  returnUrl: ReturnUrl,
  customer: FIELDS.customer.optional(),
  metadata: Metadata.optional(),
})
export type CreatePaymentSessionRequest = z.infer<typeof CreatePaymentSessionRequest>

/** Query parameters that the service does not know are ignored. */
export const LookUpPaymentQuery = z.object({
  paymentId: text(1, PAYMENT_ID_MAX_CHARS).meta(MEANS.paymentId),
})
