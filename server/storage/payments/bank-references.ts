/**
 * The bank references that operators used to confirm money by hand. The database lets each one confirm one payment of an
 * account.
 */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf } from '../fields.ts'

const FIELDS = fieldsOf('bank_references', [
  'accountId',
  /** As the operator typed it. */
  'reference',
  /** The form in which references are compared. */
  'referenceKey as key',
  'merchantId',
  'paymentId',
  'createdAt',
])
export type BankReferenceRecord = RecordOf<'bank_references', typeof FIELDS>

/** The rest of a key that had a buyer's address or number. The same transfer still cannot confirm a second payment. */
const digestOf = (key: string) => `'sha256:' || encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`
/** The form that `customer forget` gives to such a row. */
export const FORGOTTEN_REFERENCE = `reference = 'forgotten',
  reference_key = case when reference_key like 'sha256:%' then reference_key else ${digestOf('reference_key')} end`

/** The form that `customer forget` gives to an entry under such a reference. */
export const FORGOTTEN_NAME = `provider_id = ${digestOf('provider_id')}`
/** Entries that a person has noted. The ids of providers stay, and what was forgotten is not digested again. */
export const NOTED_BY_HAND = `proof like 'operator %' and provider_id not like 'sha256:%'`

// One snapshot sees the key or what is left of it, so a reference that is forgotten at this moment is found too.
const insert = statement<{ paymentId: string }>(
  'insert_bank_reference',
  `insert into world.bank_references (account_id, reference, reference_key, merchant_id, payment_id, created_at)
   select $1, $2, $3::text, $4, $5, $6::timestamptz where not exists (
     select from world.bank_references where account_id = $1 and reference_key in ($3::text, ${digestOf('$3::text')}))
   on conflict do nothing returning payment_id as "paymentId"`,
)
const find = statement<{ paymentId: string }>(
  'find_bank_reference',
  `select payment_id as "paymentId" from world.bank_references
   where account_id = $1 and reference_key in ($2::text, ${digestOf('$2::text')})`,
)

/** Returns false, and writes nothing, if the reference has confirmed another payment. */
export async function insertBankReference(
  tx: Queryable,
  { accountId, reference, key, merchantId, paymentId, createdAt }: BankReferenceRecord,
): Promise<boolean> {
  return (await insert(tx, [accountId, reference, key, merchantId, paymentId, createdAt])).length > 0
}

/** Returns the id of the payment that the reference has confirmed. Null if there is none. */
export async function findBankReference(
  db: Queryable,
  { accountId, key }: Pick<BankReferenceRecord, 'accountId' | 'key'>,
): Promise<string | null> {
  return (await find(db, [accountId, key]))[0]?.paymentId ?? null
}
