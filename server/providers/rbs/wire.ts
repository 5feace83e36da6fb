/**
 * The answers of the gateway. Numbers may be texts.
 * Source: the manual of ArCa's gateway, Ipay Merchant API Manual, BPC IPay 1.55.1.0 (2023); for other banks the reference of BPC.
 */
import { z } from 'zod'

/** A field that the manual marks optional. Some installations send null. */
const optional = <Value extends z.ZodType>(value: Value) =>
  value.nullish().transform((given) => given ?? undefined)
/** An amount in minor units. */
const Minor = z
  .union([z.number(), z.string().regex(/^\d{1,15}$/)])
  .transform(Number)
  .pipe(z.int().nonnegative())
const Text = z.union([z.string(), z.number().transform(String)])
const Whole = z
  .union([z.number(), z.string().regex(/^-?\d{1,9}$/)])
  .transform(Number)
  .pipe(z.int())

/** The answer to `register.do` and `registerPreAuth.do`. */
export const Registered = z.object({ orderId: z.string().min(1).max(64), formUrl: z.url().max(2_048) })

/** The answer to `getOrderStatusExtended.do`, in versions 01 to 03. Later versions only add fields. */
export const OrderStatus = z.object({
  orderNumber: z.string(),
  orderStatus: Whole,
  actionCode: optional(Whole),
  amount: Minor,
  currency: optional(Text),
  date: optional(Text),
  attributes: optional(z.array(z.object({ name: optional(z.string()), value: optional(Text) }))),
  cardAuthInfo: optional(
    z.object({
      pan: optional(z.string()),
      maskedPan: optional(z.string()),
      approvalCode: optional(Text),
    }),
  ),
  /** From version 02 on. */
  authDateTime: optional(Text),
  authRefNum: optional(Text),
  depositedDate: optional(Text),
  /** From version 03 on. */
  paymentAmountInfo: optional(
    z.object({
      approvedAmount: optional(Minor),
      depositedAmount: optional(Minor),
      refundedAmount: optional(Minor),
    }),
  ),
  /** From version 06 on, which ArCa does not have. */
  chargeback: optional(z.boolean()),
})
export type OrderStatus = z.infer<typeof OrderStatus>

const Binding = z.object({
  bindingId: z.string().min(1).max(255),
  maskedPan: optional(z.string()),
  expiryDate: optional(Text),
})
export type Binding = z.infer<typeof Binding>
/** The answer to `getBindings.do`. */
export const Bindings = z.object({ bindings: z.array(Binding) })
