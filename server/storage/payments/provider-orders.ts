/** Data about an attempt's order at the provider. It does not change the payment's status. */
import { type Queryable, statement } from '../db.ts'
import type { NamedAttempt } from './attempt.ts'
import type { Payment } from './payment.ts'

const updateState = statement(
  'update_provider_state',
  `update world.attempts set provider_state = $4
   where merchant_id = $1 and payment_id = $2 and number = $3 and provider_state is distinct from $4::jsonb`,
)
const claimFinalizing = statement<{ number: number }>(
  'claim_finalizing',
  `update world.attempts a set finalizing_until = $5 from world.payments p
   where a.merchant_id = $1 and a.payment_id = $2 and number = $3 and (finalizing_until is null or finalizing_until <= $6)
     and p.merchant_id = $1 and p.id = $2 and version = $4 and p.expires_at > $7 and p.attempt = a.number
     and status in ('created', 'pending_redirect', 'pending_payment', 'status_unknown')
   returning number`,
)

/** Stores what the driver needs to find its order again. */
export async function updateProviderState(
  db: Queryable,
  { merchantId, paymentId, number }: NamedAttempt,
  state: unknown,
): Promise<void> {
  await updateState(db, [merchantId, paymentId, number, JSON.stringify(state)])
}

/**
 * Returns true for one caller, who may take the approved order's money until `until`. Returns false if the payment has ended,
 * has changed since it was read, or expired before `expiredAfter`.
 */
export async function claimFinalizingOrder(
  db: Queryable,
  {
    version,
    attempt: { merchantId, paymentId, number },
  }: Pick<Payment, 'version'> & { attempt: NamedAttempt },
  { now, until, expiredAfter }: { now: Date; until: Date; expiredAfter: Date },
): Promise<boolean> {
  const values = [merchantId, paymentId, number, version, until, now, expiredAfter]
  return (await claimFinalizing(db, values)).length > 0
}
