/** What the buyer of a payment says on our own pages. */
import type { Customer, Metadata } from '../../contract/fields.ts'
import { statement } from '../db.ts'
import type { Language } from '../merchants/branding.ts'
import type { NamedPayment } from './payment.ts'

/** The caller has locked the payment. */
export const updateBuyer = statement(
  'update_buyer',
  'update world.payments set customer = $3, locale = $4, metadata = $5 where merchant_id = $1 and id = $2',
).run(
  (
    { merchantId, id }: NamedPayment,
    {
      customer,
      locale,
      metadata,
    }: { customer: Customer | null; locale: Language | null; metadata: Metadata | null },
  ) => {
    const [asCustomer, asMetadata] = [customer, metadata].map((each) => each && JSON.stringify(each))
    return [merchantId, id, asCustomer, locale, asMetadata]
  },
)
