/** The money of savings: real payments by which providers save methods, and which go back to their buyers. */
import { statement } from '../db.ts'
import {
  SAVED_METHOD_COLUMNS,
  SAVING_COLUMNS,
  type SavedMethodRecord,
  type SavingRecord,
} from './saved-methods.ts'

type Named = Pick<SavedMethodRecord, 'merchantId' | 'id'>

/** Stores what the saving of this method takes. */
export const insertSavingMoney = statement(
  'insert_saving_money',
  'insert into world.saving_money (merchant_id, saved_method_id, amount_minor, currency) values ($1, $2, $3, $4)',
).run(
  ({ merchantId, id }: Named, { amountMinor, currency }: Pick<SavingRecord, 'amountMinor' | 'currency'>) => [
    merchantId,
    id,
    amountMinor,
    currency,
  ],
)

/** Stores what the provider has reported about the money. */
// What was taken or returned stays so, also if an older answer arrives later.
export const noteSavingMoney = statement<SavingRecord>(
  'note_saving_money',
  `update world.saving_money set reference = $3, held_minor = $4, taken_minor = greatest(taken_minor, $5),
     returned_minor = greatest(returned_minor, $6)
   where merchant_id = $1 and saved_method_id = $2
   returning ${SAVING_COLUMNS}`,
).row(
  (
    { merchantId, id }: Named,
    { reference, heldMinor, takenMinor, returnedMinor }: Omit<SavingRecord, 'amountMinor' | 'currency'>,
  ) => {
    const values = [reference, heldMinor, takenMinor, returnedMinor]
    return [merchantId, id, ...values]
  },
)

/** The provider is not asked by the schedule any more. */
export const endSavingWatch = statement<SavedMethodRecord>(
  'end_saving_watch',
  `update world.saved_methods set due_at = null where merchant_id = $1 and id = $2 returning ${SAVED_METHOD_COLUMNS}`,
).row(({ merchantId, id }: Named) => [merchantId, id])
