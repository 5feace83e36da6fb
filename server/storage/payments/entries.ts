/** The ledger of a payment: each movement of its money, recorded once. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { WORDS } from '../rows.ts'
import type { Attempt, NamedAttempt } from './attempt.ts'
import type { NamedPayment } from './payment.ts'

export const ENTRY_KINDS = WORDS.entry_kind
export type EntryKind = (typeof ENTRY_KINDS)[number]

const FIELDS = fieldsOf('entries', [
  /** Counts the entries of the payment. */
  'number',
  'attempt',
  'kind',
  'amountMinor',
  'currency',
  /** The provider's own id of the movement, else our key under which the provider names it. */
  'providerId',
  /** What proved the movement: `answer`, `operation <id>`, `operator <name>` and so on. */
  'proof',
  /** The provider's time, where it is known. */
  'movedAt',
  'createdAt',
])
export type EntryRecord = RecordOf<'entries', typeof FIELDS>

const COLUMNS = selected(FIELDS)

export type NewEntry = Omit<EntryRecord, 'number' | 'attempt' | 'createdAt'>

/** The sums of an attempt in minor units. `refundedMinor` contains `disputeLostMinor`. */
export type AttemptSums = Pick<
  Attempt,
  'authorizedMinor' | 'capturedMinor' | 'refundedMinor' | 'disputedMinor' | 'disputeLostMinor'
>

/** Returns the entries of a payment, the first one first. */
export const listEntries = statement<EntryRecord>(
  'list_entries',
  `select ${COLUMNS}
   from world.entries where merchant_id = $1 and payment_id = $2 order by number`,
).all(({ merchantId, id }: NamedPayment) => [merchantId, id])

/** Adds entries of an attempt, and stores its sums after them. The payment's row is locked. */
// The payment is locked, so no other transaction takes the next number.
export const insertEntries = statement(
  'write_entries',
  `with written as (
     insert into world.entries (merchant_id, payment_id, attempt, number, kind, amount_minor, currency, provider_id, proof,
       moved_at, created_at)
     select $1, $2, $3, last.number + position, kind, "amountMinor", currency, "providerId", proof, "movedAt", $5
     from rows from (jsonb_to_recordset($4::jsonb) as (kind text, "amountMinor" bigint, currency text, "providerId" text,
         proof text, "movedAt" timestamptz)) with ordinality
         as input(kind, "amountMinor", currency, "providerId", proof, "movedAt", position),
       (select coalesce(max(number), 0) as number from world.entries where merchant_id = $1 and payment_id = $2) last
   ) update world.attempts set authorized_minor = $6, captured_minor = $7, refunded_minor = $8, disputed_minor = $9,
       dispute_lost_minor = $10
     where merchant_id = $1 and payment_id = $2 and number = $3`,
).run(
  (
    { merchantId, paymentId, number }: NamedAttempt,
    { entries, after, at }: { entries: NewEntry[]; after: AttemptSums; at: Date },
  ) => {
    const { authorizedMinor, capturedMinor, refundedMinor, disputedMinor, disputeLostMinor } = after
    const money = [authorizedMinor, capturedMinor, refundedMinor, disputedMinor, disputeLostMinor]
    return [merchantId, paymentId, number, JSON.stringify(entries), at, ...money]
  },
)
