/** The state of an order whose provider cannot be asked. It is known only from the proofs that the provider has sent by itself. */
import type { Context } from '../../context.ts'
import type { LookUpResult, Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { readProven } from '../../storage/payments/provider-orders.ts'
import { PROOF_WAIT_MS } from '../question-schedule.ts'
import { mayBePaidUnseen } from '../restored.ts'

/** How long a payment that may still be paid for weeks waits for the proof, from the allowed pre-check on. */
const ALLOWED_WAIT_MS = 24 * 3_600_000

/**
 * Returns what is known of the order of a provider that cannot be asked. Nobody may pay after the payment's expiry, but a buyer who was
 * allowed to pay before may have paid. If no proof comes of that, or none within a day, a person looks at the provider. A person also looks,
 * at once, if the order could be paid in the time that a restore has taken from the books.
 */
export async function answerOfProofs(
  ctx: Context,
  { driver }: Account,
  payment: AttemptedPayment,
): Promise<LookUpResult> {
  const unavailable = { kind: 'unavailable', message: 'this provider cannot be asked' } as const
  if (!driver.inbound) return unavailable
  const { attempt, expiresAt } = payment
  const { allowedAt, proof } = await readProven(ctx.db, attempt)
  if (proof !== null) return { kind: 'found', snapshot: proof as Snapshot }
  if (await mayBePaidUnseen(ctx, payment)) return unclear(payment, PAID_UNSEEN)
  const now = ctx.clock.now().getTime()
  // A payment link may live for months. A buyer who has paid on its first day is not kept waiting for so long.
  const allowedUntil = allowedAt === null ? Number.POSITIVE_INFINITY : allowedAt.getTime() + ALLOWED_WAIT_MS
  const endsAt = Math.min(expiresAt.getTime(), allowedUntil)
  if (now < endsAt) return unavailable
  if (allowedAt === null) return { kind: 'not_found' }
  return now < endsAt + PROOF_WAIT_MS ? unavailable : unclear(payment, NEVER_PROVEN)
}

const PAID_UNSEEN =
  'the order could be paid in the hours that a restore has taken from the books, and the provider cannot be asked: look there'
const NEVER_PROVEN =
  'the provider asked whether the order may be paid, and never said whether it was: look there'

function unclear({ attempt, amountMinor, currency }: AttemptedPayment, detail: string): LookUpResult {
  const money = { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
  const { reference } = attempt
  return { kind: 'found', snapshot: { order: 'unclear', reference, amountMinor, currency, ...money, detail } }
}
