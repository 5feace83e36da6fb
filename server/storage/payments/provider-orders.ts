/** What concerns the provider's order of a payment, and not its status. */
import { type Queryable, statement } from '../db.ts'
import type { PaymentRecord } from './payments.ts'

type Named = Pick<PaymentRecord, 'merchantId' | 'id'>

const updateState = statement(
  'update_provider_state',
  `update world.payments set provider_state = $3
   where merchant_id = $1 and id = $2 and provider_state is distinct from $3::jsonb`,
)
const claimFinalizing = statement<{ id: string }>(
  'claim_finalizing',
  `update world.payments set finalizing_until = $4
   where merchant_id = $1 and id = $2 and version = $3 and expires_at > $5
     and status in ('created', 'pending_redirect', 'pending_payment', 'status_unknown')
     and (finalizing_until is null or finalizing_until <= $5)
   returning id`,
)

/** Stores what the driver needs to find its order again. */
export async function updateProviderState(
  db: Queryable,
  { merchantId, id }: Named,
  state: unknown,
): Promise<void> {
  await updateState(db, [merchantId, id, JSON.stringify(state)])
}

/**
 * Returns true for one caller, who may take the approved order's money until `until`. Returns false if the payment can no
 * longer be paid, or has changed since it was read.
 */
export async function claimFinalizingOrder(
  db: Queryable,
  { merchantId, id, version }: Named & Pick<PaymentRecord, 'version'>,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> {
  return (await claimFinalizing(db, [merchantId, id, version, until, now])).length > 0
}
