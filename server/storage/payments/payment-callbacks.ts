/** A payment as a provider's callback finds it. */
import { type Queryable, statement } from '../db.ts'
import type { PaymentRecord } from './payments.ts'

type Named = Pick<PaymentRecord, 'merchantId' | 'id'>

const byReference = statement<Named>(
  'find_payment_by_reference',
  `select merchant_id as "merchantId", id from world.payments where account_id = $1 and provider_reference = $2`,
)
const wake = statement(
  'wake_payment_sync',
  'update world.payments set question_due_at = least(question_due_at, $3) where merchant_id = $1 and id = $2',
)

/** Returns the payment of this reference at this account; null when there is none. */
export async function findPaymentByReference(
  db: Queryable,
  accountId: string,
  reference: string,
): Promise<Named | null> {
  return (await byReference(db, [accountId, reference]))[0] ?? null
}

/** Makes the payment's next question due by `at`, also where none was to come. */
export async function wakePaymentSync(db: Queryable, { merchantId, id }: Named, at: Date): Promise<void> {
  await wake(db, [merchantId, id, at])
}
