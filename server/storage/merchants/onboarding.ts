/** The onboarding steps that merchants completed. Both worlds read them. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { Word } from '../rows.ts'

export type EvidenceStep = Word<'onboarding_evidence.step'>
const FIELDS = fieldsOf('onboarding_evidence', ['step', 'evidence', 'recordedAt'])
/** `evidence`: the callback URL that passed its checks, or the id of the test payment. */
export type EvidenceRecord = RecordOf<'onboarding_evidence', typeof FIELDS>

const COLUMNS = selected(FIELDS)

const TEST_PAYMENT = fieldsOf('payments', ['id as paymentId', 'amountMinor', 'currency', 'description'])
/** The payment of the sandbox that shows that the shop can be paid. */
export type TestPayment = RecordOf<'payments', typeof TEST_PAYMENT>

/** Returns the payment of the sandbox, whichever world asks. */
export const findSandboxPayment = statement<TestPayment>(
  'find_test_payment',
  `select ${selected(TEST_PAYMENT)} from sandbox.payments
   where merchant_id = $1 and id = $2`,
).first((merchantId: string, id: string) => [merchantId, id])

export const upsertEvidence = statement(
  'upsert_onboarding_evidence',
  `insert into kassa.onboarding_evidence (merchant_id, step, evidence, recorded_at) values ($1, $2, $3, $4)
   on conflict (merchant_id, step) do update set evidence = excluded.evidence, recorded_at = excluded.recorded_at`,
).run((merchantId: string, { step, evidence, recordedAt }: EvidenceRecord) => [
  merchantId,
  step,
  evidence,
  recordedAt,
])

/** A test payment counts before it is stored, as long as its event is there. */
export const listEvidence = statement<EvidenceRecord>(
  'list_onboarding_evidence',
  `select ${COLUMNS} from kassa.onboarding_evidence where merchant_id = $1
   union all
   (select 'test_payment', e.payment_id, e.delivered_at from (
      select * from sandbox.events where merchant_id = $1
        and not exists (select from kassa.onboarding_evidence where merchant_id = $1 and step = 'test_payment')
      order by id desc limit 1000) e
    where e.status = 'paid' and e.delivered_at is not null order by e.id limit 1)`,
).all((merchantId: string) => [merchantId])

export const deleteEvidence = statement(
  'delete_onboarding_evidence',
  'delete from kassa.onboarding_evidence where merchant_id = $1 and step = $2',
).run((merchantId: string, step: EvidenceStep) => [merchantId, step])

/**
 * Stores each merchant's first paid payment of the sandbox whose event it accepted, before the event is deleted. Only events before
 * `beforeEventId` count.
 */
// The schema is named here, because the test payment is one of the sandbox whichever world asks.
export const noteTestPayments = statement(
  'note_test_payments',
  `insert into kassa.onboarding_evidence (merchant_id, step, evidence, recorded_at)
   select distinct on (e.merchant_id) e.merchant_id, 'test_payment', e.payment_id, e.delivered_at
   from sandbox.events e
   where e.id < $1 and e.status = 'paid' and e.delivered_at is not null
   order by e.merchant_id, e.id
   on conflict do nothing`,
).run((beforeEventId: string) => [beforeEventId])
