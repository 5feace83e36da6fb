/** What a pay page shows. */
import type { Mode } from '../../../contract/health.ts'
import type { AmountChoice } from '../../../merchants/product.ts'
import type { Earlier } from '../buyer-cookies.ts'
import type { AskedEmail } from '../checkout/email-field.ts'
import type { PaymentFacts } from '../checkout/slip.ts'
import type { LocaleLinks } from '../page.ts'

/** Why the form that was sent is not taken, and the buyer is asked once more. */
export type PayProblem = 'foreign' | 'stale' | 'changed' | 'amount' | 'quantity' | 'begun' | 'email'

export type PayView = PaymentFacts & {
  mode: Mode
  /** Where the form is posted to. */
  action: string
  token: string
  /** Set where the buyer chooses the amount. */
  choice?: AmountChoice | null
  maxQuantity?: number
  /** What the buyer has typed into a form that is asked for again. */
  typed?: { amount?: string; quantity?: string }
  /** Set where the page asks for the buyer's e-mail address. */
  email?: AskedEmail | undefined
  problem?: PayProblem
  /** Another payment for the same product, which this browser has begun. */
  earlier?: Pick<Earlier, 'isPaid' | 'address'> | null
  localeLinks?: LocaleLinks
}
