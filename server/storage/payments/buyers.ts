/** What the buyer of a payment says on our own pages. */
import type { Customer, Metadata } from '../../contract/fields.ts'
import { type Queryable, statement } from '../db.ts'
import type { Language } from '../merchants/branding.ts'
import type { NamedPayment } from './payment.ts'

const write = statement(
  'update_buyer',
  'update world.payments set customer = $3, locale = $4, metadata = $5 where merchant_id = $1 and id = $2',
)

/** The caller has locked the payment. */
export async function updateBuyer(
  tx: Queryable,
  { merchantId, id }: NamedPayment,
  {
    customer,
    locale,
    metadata,
  }: { customer: Customer | null; locale: Language | null; metadata: Metadata | null },
): Promise<void> {
  const [asCustomer, asMetadata] = [customer, metadata].map((each) => each && JSON.stringify(each))
  await write(tx, [merchantId, id, asCustomer, locale, asMetadata])
}
