/**
 * What a buyer says on our own pages: the language, and an e-mail address where the merchant asks for one.
 * Rule: an address that the shop gave is never replaced. Nothing changes while an order is being opened, because the provider
 * must get the same request if it is sent again.
 */
import type { Context } from '../../context.ts'
import { findBrandingCached } from '../../merchants/branding.ts'
import { inTransaction } from '../../storage/db.ts'
import type { Language } from '../../storage/merchants/branding.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { updateBuyer } from '../../storage/payments/buyers.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import { isOverAttempt } from '../attempts/attempt.ts'
import { canExpire } from '../status.ts'

export type Buyer = { locale: Language; email?: string | undefined }

/** Returns whether the merchant wants the buyer's address and nobody has given it. No buyer is there when a saved method is charged. */
export async function wantsEmail(
  ctx: Context,
  { merchantId, customer, singleAttempt }: Pick<Payment, 'merchantId' | 'customer' | 'singleAttempt'>,
): Promise<boolean> {
  if (customer?.email || singleAttempt) return false
  return (await findBrandingCached(ctx, merchantId))?.branding.askEmail === true
}

/** Returns whether the buyer's next step opens a new order at the provider. */
export function isToBeOpened({ attempt: { state } }: { attempt: Pick<Attempt, 'state'> }): boolean {
  return state === 'planned' || isOverAttempt(state)
}

/**
 * Stores what the buyer says, and returns the payment with it. `replaces`: the same form was sent again, so its address is a
 * correction of the earlier one.
 */
export async function noteBuyer(
  ctx: Context,
  seen: AttemptedPayment,
  buyer: Buyer,
  { replaces = false } = {},
): Promise<AttemptedPayment> {
  if (afterWords(seen, buyer, replaces) === null) return seen
  return inTransaction(ctx.db, async (tx) => {
    const payment = await lockPayment(tx, seen.merchantId, seen.id)
    const after = payment && afterWords(payment, buyer, replaces)
    if (!after) return payment ?? seen
    await updateBuyer(tx, payment, after)
    return { ...payment, ...after }
  })
}

/** Returns null where nothing changes. */
function afterWords(
  payment: AttemptedPayment,
  { locale: spoken, email }: Buyer,
  replaces: boolean,
): Pick<Payment, 'customer' | 'locale'> | null {
  if (payment.attempt.state === 'opening') return null
  const isPayable = canExpire(payment.status)
  const locale = isPayable ? spoken : (payment.locale ?? spoken)
  const isAsked = email !== undefined && isPayable && (replaces || !payment.customer?.email)
  const isNews = isAsked && email !== payment.customer?.email
  if (!isNews && locale === payment.locale) return null
  return { locale, customer: isNews ? { ...payment.customer, email } : payment.customer }
}
