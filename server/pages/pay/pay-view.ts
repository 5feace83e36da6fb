/** What a pay page shows. */
import type { Mode } from '../../contract/health.ts'
import type { AmountChoice } from '../../merchants/product.ts'
import type { Earlier } from '../buyer-cookies.ts'
import type { RouteOption } from '../checkout/choice-form.ts'
import type { AskedEmail } from '../checkout/email-field.ts'
import type { PaymentFacts } from '../checkout/payment-frame.ts'
import type { FormField } from '../checkout/product-fields.ts'
import type { LocaleLinks } from '../page.ts'

/** Why the form was rejected and is shown again. */
export type PayProblem =
  | 'foreign'
  | 'stale'
  | 'changed'
  | 'amount'
  | 'quantity'
  | 'begun'
  | 'email'
  | 'fields'

export type PayView = PaymentFacts & {
  mode: Mode
  /** The address to which the form is posted. */
  action: string
  token: string
  /** Present if the buyer chooses the amount. */
  choice?: AmountChoice | null
  maxQuantity?: number
  /** The ways to pay, if there are several. */
  routes?: readonly RouteOption[]
  /** The buyer's earlier input, if the form is shown again. */
  typed?: { amount?: string; quantity?: string }
  /** Present if the page asks for the buyer's e-mail address. */
  email?: AskedEmail | undefined
  /** What the product asks the buyer. */
  fields?: readonly FormField[]
  problem?: PayProblem
  /** Another payment for the same product, which this browser has begun. */
  earlier?: Pick<Earlier, 'isPaid' | 'address'> | null
  localeLinks?: LocaleLinks
}
