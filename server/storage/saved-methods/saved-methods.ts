/** Saved payment methods. The cards themselves are with the providers. */
import type { PaymentMethodTokenStatus, SavedCard } from '../../contract/payment-method-token.ts'
import { valuesOfBudget, withBudget } from '../accounts/question-budget.ts'
import { statement } from '../db.ts'
import { asJson, fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'
import { ENDED_SAVING, OPEN_SAVING } from '../payments/due-accounts.ts'

const SAVING = fieldsOf('saving_money', [
  /** What a saving takes. */
  'amountMinor',
  'currency',
  /** The provider's own name of the payment. Null until it has shown one. */
  'reference',
  'heldMinor',
  'takenMinor',
  'returnedMinor',
])
/** The money of a saving in minor units, as the provider has last told it. */
export type SavingRecord = RecordOf<'saving_money', typeof SAVING>
export const SAVING_COLUMNS = selected(SAVING)

const NEW = fieldsOf('saved_methods', [
  'merchantId',
  'id',
  'provider',
  /** The provider account that keeps the method. It never changes. */
  'accountId',
  /** Our own reference at the provider. */
  'providerReference',
  /** Until then one request may be opening that page. Null if no request is. The lease ends by itself if the process dies. */
  'leaseUntil',
  'customerConsentId',
  'returnUrl',
  'customer',
  'metadata',
  /** The intent. */
  'operationId',
  'expiresAt',
  /** When the provider is next to be asked; null once the buyer has decided and no money of the saving can arrive any more. */
  'dueAt',
  'createdAt',
  'updatedAt',
])
const FIELDS = fieldsOf('saved_methods', [
  ...NEW,
  /** The driver's own ids; nobody else reads them. */
  'providerState',
  /** Null until the provider has opened its page. */
  'setupUrl',
  'status',
  'card',
  'attempts',
])
export type SavedMethodRecord = RecordOf<'saved_methods', typeof FIELDS> & {
  /** The real payment by which the provider saves the method. Null where nothing is taken. */
  saving: SavingRecord | null
}

export const SAVED_METHOD_COLUMNS = `${selected(FIELDS)}, (select ${asJson(SAVING, 'm')}
   from world.saving_money m
   where m.merchant_id = saved_methods.merchant_id and m.saved_method_id = saved_methods.id) as saving`

type Named = Pick<SavedMethodRecord, 'merchantId' | 'id'>

/** Returns true for one caller in each interval, who may ask the provider now. */
export const claimSavedMethodQuestion = statement<{ id: string }>(
  'claim_saved_method_question',
  `update world.saved_methods set asked_at = $3
   where merchant_id = $1 and id = $2 and (asked_at is null or asked_at <= $4) returning id`,
).some(({ merchantId, id }: Named, { now, unlessSince }: { now: Date; unlessSince: Date }) => [
  merchantId,
  id,
  now,
  unlessSince,
])

const valuesOfNew = valuesOf('saved_methods', NEW)

export const insertSavedMethod = statement(
  'insert_payment_method_token',
  insertInto('saved_methods', NEW),
).run((record: Omit<RecordOf<'saved_methods', typeof NEW>, 'updatedAt'>) =>
  valuesOfNew({ ...record, updatedAt: record.createdAt }),
)

/** Returns null if no saved method has the id, or if another merchant owns it. */
export const findSavedMethod = statement<SavedMethodRecord>(
  'find_payment_method_token',
  `select ${SAVED_METHOD_COLUMNS} from world.saved_methods where merchant_id = $1 and id = $2`,
).first((merchantId: string, id: string) => [merchantId, id])

/** For the buyer's return, where the id itself is the secret. */
export const findSavedMethodById = statement<SavedMethodRecord>(
  'find_payment_method_token_by_id',
  `select ${SAVED_METHOD_COLUMNS} from world.saved_methods where id = $1`,
).first((id: string) => [id])

/** Returns the saved method that this account knows by our reference; null when there is none. */
export const findSavedMethodByReference = statement<SavedMethodRecord>(
  'find_payment_method_token_by_reference',
  `select ${SAVED_METHOD_COLUMNS} from world.saved_methods where account_id = $1 and provider_reference = $2`,
).first((accountId: string, reference: string) => [accountId, reference])

/** Lists up to `limit` saved methods of this account whose state has all these members. */
export const listSavedMethodsByState = statement<SavedMethodRecord>(
  'list_payment_method_tokens_by_state',
  `select ${SAVED_METHOD_COLUMNS} from world.saved_methods where account_id = $1 and provider_state @> $2::jsonb order by id limit $3`,
).all((accountId: string, members: Record<string, string>, limit: number) => [
  accountId,
  JSON.stringify(members),
  limit,
])

/** Reads the saved method and locks its row until the transaction ends. Every charge takes this lock first. */
export const lockSavedMethod = statement<SavedMethodRecord>(
  'lock_payment_method_token',
  `select ${SAVED_METHOD_COLUMNS} from world.saved_methods where merchant_id = $1 and id = $2 for update`,
).first(({ merchantId, id }: Named) => [merchantId, id])

/** Notes the provider's page. The first one stands. */
export const openSavedMethod = statement<SavedMethodRecord>(
  'open_payment_method_token',
  `update world.saved_methods set setup_url = coalesce(setup_url, $3), provider_state = coalesce(provider_state, $4),
     lease_until = null
   where merchant_id = $1 and id = $2 returning ${SAVED_METHOD_COLUMNS}`,
).row(({ merchantId, id }: Named, { setupUrl, state }: { setupUrl: string; state: unknown }) => [
  merchantId,
  id,
  setupUrl,
  jsonOf(state),
])

/** Claims the opening of the provider's page until `until`. Returns null when the page is open, or when another request has the claim. */
export const claimSavedMethodOpening = statement<SavedMethodRecord>(
  'claim_opening_payment_method_token',
  `update world.saved_methods set lease_until = $4
   where merchant_id = $1 and id = $2 and status = 'pending' and setup_url is null
     and (lease_until is null or lease_until <= $3)
   returning ${SAVED_METHOD_COLUMNS}`,
).first(({ merchantId, id }: Named, { now, until }: { now: Date; until: Date }) => [
  merchantId,
  id,
  now,
  until,
])

/** Gives up a claim, so that the next request need not wait for its end. */
export const endSavedMethodOpening = statement(
  'end_opening_payment_method_token',
  `update world.saved_methods set lease_until = null where merchant_id = $1 and id = $2 and lease_until = $3`,
).run(({ merchantId, id, leaseUntil }: Pick<SavedMethodRecord, 'merchantId' | 'id' | 'leaseUntil'>) => [
  merchantId,
  id,
  leaseUntil,
])

/** Writes a decided status. Only `payments/saved-methods/change.ts` calls this. */
export const updateSavedMethod = statement<SavedMethodRecord>(
  'update_payment_method_token',
  `update world.saved_methods set status = $3, card = coalesce($4, card), provider_state = coalesce($5, provider_state),
     due_at = case when exists (
       select from world.saving_money m where m.merchant_id = $1 and m.saved_method_id = $2) then due_at end, updated_at = $6
   where merchant_id = $1 and id = $2 returning ${SAVED_METHOD_COLUMNS}`,
).row(
  (
    { merchantId, id }: Named,
    to: { status: PaymentMethodTokenStatus; card?: SavedCard | undefined; state?: unknown; at: Date },
  ) => {
    const values = [to.status, to.card ?? null, jsonOf(to.state), to.at]
    return [merchantId, id, ...values]
  },
)

/** Notes what the driver finds the method with from now on. */
export const noteSavedMethodState = statement(
  'note_payment_method_token_state',
  'update world.saved_methods set provider_state = $3 where merchant_id = $1 and id = $2',
).run(({ merchantId, id }: Named, state: unknown) => [merchantId, id, jsonOf(state)])

/**
 * Claims up to `limit` savings of this account whose buyers may be at the provider. They are due again at `leaseUntil` unless an answer
 * changes that.
 */
export const claimDueSavings = statement<SavedMethodRecord>(
  'claim_due_savings',
  `update world.saved_methods set due_at = $2, attempts = attempts + 1
   where (merchant_id, id) in (
     select merchant_id, id from world.saved_methods where account_id = $4 and due_at <= $1 and ${OPEN_SAVING}
     order by due_at limit $3 for update skip locked)
   returning ${SAVED_METHOD_COLUMNS}`,
).all((accountId: string, { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number }) => [
  now,
  leaseUntil,
  limit,
  accountId,
])

/** Like claimDueSavings, for those that have ended. Claims no more than the account's budget of questions allows. */
export const claimDueEndedSavings = statement<SavedMethodRecord>(
  'claim_due_ended_savings',
  `${withBudget(`select merchant_id, id from world.saved_methods
     where account_id = $1 and due_at <= $2 and ${ENDED_SAVING} order by due_at`)}
   update world.saved_methods set due_at = $3, attempts = attempts + 1 where (merchant_id, id) in (select * from chosen)
   returning ${SAVED_METHOD_COLUMNS}`,
).all(valuesOfBudget)

export const rescheduleSavedMethod = statement(
  'reschedule_payment_method_token',
  `update world.saved_methods set due_at = $3 where merchant_id = $1 and id = $2 and due_at is not null`,
).run(({ merchantId, id }: Named, dueAt: Date) => [merchantId, id, dueAt])

/** The state may be a plain text, which the driver of PostgreSQL would not write as JSON by itself. */
function jsonOf(state: unknown): string | null {
  return state === undefined || state === null ? null : JSON.stringify(state)
}
