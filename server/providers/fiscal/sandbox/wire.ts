/**
 * The simulated cash register's protocol. The driver and the register both use this file.
 * The API is below the register's address at `/api`. It takes HTTP Basic credentials: the register's name, percent-encoded, and
 * its secret. `POST receipts` prints. `GET receipts/<reference>` returns what was printed under a reference, or 404.
 */
import { z } from 'zod'
import { FAULT_NAMES } from '../../../contract/faults.ts'
import { CurrencyCode } from '../../../contract/fields.ts'

/**
 * `answer_lost`: it prints, and the response is lost. `refuses`: it rejects the order. `away`: it reports that its printer
 * cannot be reached.
 */
export const REGISTER_FAULTS = ['answer_lost', 'refuses', 'away'] as const
export type RegisterFault = (typeof REGISTER_FAULTS)[number]

/** The order of a receipt. The members are written in this order. */
export const RegisterOrder = z.object({
  reference: z.string().min(1).max(64),
  sequence: z.int(),
  amountMinor: z.int().min(1),
  currency: CurrencyCode,
  /** The number of the sale that is refunded in full or in part. */
  saleNumber: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  fault: z.enum(REGISTER_FAULTS).optional(),
  /** The fault that the payment's metadata names. */
  paymentFault: z.enum(FAULT_NAMES).optional(),
})
export type RegisterOrder = z.infer<typeof RegisterOrder>

/** The response to an order. `unavailable`: nothing was printed, and it may be ordered again. */
export const Printed = z.discriminatedUnion('result', [
  z.object({ result: z.literal('printed'), number: z.int() }),
  z.object({ result: z.enum(['refused', 'unavailable']), message: z.string() }),
])
export type Printed = z.infer<typeof Printed>

/** The response to a question. */
export const Found = z.object({ number: z.int() })
