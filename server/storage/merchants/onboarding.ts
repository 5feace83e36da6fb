/** The onboarding steps that merchants completed. Both worlds read them. */
import { type Queryable, statement } from '../db.ts'

export type EvidenceStep = 'callback_verified' | 'test_payment'
/** `evidence`: the callback URL that passed its checks, or the id of the test payment. */
export type EvidenceRecord = { step: EvidenceStep; evidence: string; recordedAt: Date }

const upsert = statement(
  'upsert_onboarding_evidence',
  `insert into kassa.onboarding_evidence (merchant_id, step, evidence, recorded_at) values ($1, $2, $3, $4)
   on conflict (merchant_id, step) do update set evidence = excluded.evidence, recorded_at = excluded.recorded_at`,
)
const ofMerchant = statement<EvidenceRecord>(
  'list_onboarding_evidence',
  `select step, evidence, recorded_at as "recordedAt" from kassa.onboarding_evidence where merchant_id = $1
   union all
   (select 'test_payment', e.payment_id, e.delivered_at from (
      select * from sandbox.events where merchant_id = $1
        and not exists (select from kassa.onboarding_evidence where merchant_id = $1 and step = 'test_payment')
      order by id desc limit 1000) e
    where e.status = 'paid' and e.delivered_at is not null order by e.id limit 1)`,
)
const testPayment = statement<TestPayment>(
  'find_test_payment',
  `select id as "paymentId", amount_minor as "amountMinor", currency, description from sandbox.payments
   where merchant_id = $1 and id = $2`,
)
const remove = statement(
  'delete_onboarding_evidence',
  'delete from kassa.onboarding_evidence where merchant_id = $1 and step = $2',
)
// The schema is named here, because the test payment is one of the sandbox whichever world asks.
const noteTests = statement(
  'note_test_payments',
  `insert into kassa.onboarding_evidence (merchant_id, step, evidence, recorded_at)
   select distinct on (e.merchant_id) e.merchant_id, 'test_payment', e.payment_id, e.delivered_at
   from sandbox.events e
   where e.id < $1 and e.status = 'paid' and e.delivered_at is not null
   order by e.merchant_id, e.id
   on conflict do nothing`,
)

/** The payment of the sandbox that shows that the shop can be paid. */
export type TestPayment = {
  paymentId: string
  amountMinor: number
  currency: string
  description: string | null
}

/** Returns the payment of the sandbox, whichever world asks. */
export async function findSandboxPayment(
  db: Queryable,
  merchantId: string,
  id: string,
): Promise<TestPayment | null> {
  return (await testPayment(db, [merchantId, id]))[0] ?? null
}

export async function upsertEvidence(
  db: Queryable,
  merchantId: string,
  { step, evidence, recordedAt }: EvidenceRecord,
): Promise<void> {
  await upsert(db, [merchantId, step, evidence, recordedAt])
}

/** A test payment counts before it is stored, as long as its event is there. */
export async function listEvidence(db: Queryable, merchantId: string): Promise<EvidenceRecord[]> {
  return ofMerchant(db, [merchantId])
}

export async function deleteEvidence(db: Queryable, merchantId: string, step: EvidenceStep): Promise<void> {
  await remove(db, [merchantId, step])
}

/**
 * Stores each merchant's first paid payment of the sandbox whose event it accepted, before the event is deleted. Only events before
 * `beforeEventId` count.
 */
export async function noteTestPayments(db: Queryable, beforeEventId: string): Promise<void> {
  await noteTests(db, [beforeEventId])
}
