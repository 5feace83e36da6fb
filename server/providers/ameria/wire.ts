/**
 * The answers of vPOS 3.1. What is absent is an empty text, amounts are decimals in whole units, and some names are misspelt.
 * Source: the bank's API protocol description, and a record of exchanges with its test gateway. The guide names both.
 */
import { z } from 'zod'
import { minorIn } from '../driver/decimal.ts'

/** An empty text says nothing. */
const optional = <Value extends z.ZodType>(value: Value) =>
  z.preprocess((given) => (given === '' || given === null ? undefined : given), value.optional())
const Text = z.union([z.string().min(1), z.number().transform(String)])
const Whole = z
  .union([z.number(), z.string().regex(/^-?\d{1,9}$/)])
  .transform(Number)
  .pipe(z.int())
const Amount = z.union([z.number(), z.string()]).transform((given, context) => {
  const minor = minorIn(String(given))
  if (minor === null) context.addIssue({ code: 'custom', message: 'is no amount' })
  return minor ?? Number.NaN
})

/** A payment's id is a GUID. Some answers have it in capital letters, and others in small ones. */
export const PaymentId = z
  .string()
  .regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i)
  .transform((id) => id.toLowerCase())
export const Initialised = z.object({ PaymentID: PaymentId })
/** Only this answer has the name in this spelling. */
export const NamedPayment = z.object({ PaymentId })

/** The answer to `GetPaymentDetails`. */
export const Details = z.object({
  OrderID: Text,
  OrderStatus: Whole,
  PaymentState: optional(z.string()),
  ResponseCode: optional(Text),
  ActionCode: optional(Text),
  Amount,
  Currency: Text,
  ApprovedAmount: optional(Amount),
  DepositedAmount: optional(Amount),
  RefundedAmount: optional(Amount),
  DateTime: optional(z.string()),
  CardNumber: optional(z.string()),
  ExpDate: optional(Text),
  ApprovalCode: optional(Text),
  MDOrderID: optional(z.string()),
  rrn: optional(z.string()),
  Opaque: optional(z.string()),
  CardHolderID: optional(z.string()),
})
export type Details = z.infer<typeof Details>

/** The answer to `MakeBindingPayment`: the address is there if the buyer would have to confirm it. */
export const Charged = z.object({ PaymentID: optional(PaymentId), AcsUrl: optional(z.string()) })

/** The answer to `GetBindings`: every saved card of the account. */
export const Bindings = z.object({
  CardBindingFileds: z.array(
    z.object({
      CardHolderID: optional(z.string()),
      CardPan: optional(z.string()),
      ExpDate: optional(Text),
      IsAvtive: optional(z.boolean()),
    }),
  ),
})
