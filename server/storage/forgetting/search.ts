/** The worker may have read a payment just before its buyer was forgotten, and have written the row by which it is found just after. */
import { type Queryable, statement } from '../db.ts'

const drop = statement<{ one: number }>(
  'forget_search_rows',
  `delete from world.payment_search s using world.payments p
   where s.words @@ $1::tsquery and p.id = s.payment_id and p.customer is null returning 1 as one`,
)

/** `words`: alternatives, each of words that a row must have. Deletes rows of payments without a customer. Returns how many. */
export async function dropForgottenRows(db: Queryable, words: string[][]): Promise<number> {
  const query = words.map((all) => `(${all.map((word) => `'${word.replaceAll("'", "''")}'`).join(' & ')})`)
  return (await drop(db, [query.join(' | ')])).length
}
