/** What the buyer of a payment says on our own pages. */
import type { Customer } from '../../contract/fields.ts'
import { type Queryable, statement } from '../db.ts'
import type { Language } from '../merchants/branding.ts'
import type { NamedPayment } from './payment.ts'

const write = statement(
  'update_buyer',
  'update world.payments set customer = $3, locale = $4 where merchant_id = $1 and id = $2',
)

/** The caller has locked the payment. */
export async function updateBuyer(
  tx: Queryable,
  { merchantId, id }: NamedPayment,
  { customer, locale }: { customer: Customer | null; locale: Language | null },
): Promise<void> {
  await write(tx, [merchantId, id, customer && JSON.stringify(customer), locale])
}
