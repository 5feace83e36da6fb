/**
 * What a buyer says on our own pages: the language, an e-mail address where the merchant asks for one, and the fields of the product.
 * Rule: what the shop gave is never replaced. Nothing changes while an order is being opened, because the provider
 * must get the same request if it is sent again.
 */
import type { Context } from '../../context.ts'
import { findBrandingCached } from '../../merchants/branding.ts'
import { BUYER_FIELDS, type BuyerField } from '../../merchants/product.ts'
import { inTransaction } from '../../storage/db.ts'
import type { Language } from '../../storage/merchants/branding.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { updateBuyer } from '../../storage/payments/buyers.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import { isOverAttempt } from '../attempts/attempt.ts'
import { canExpire } from '../status.ts'

/** What the buyer wrote into the product's fields. An empty text is a field that was left empty. */
export type Answers = { [Field in BuyerField]?: string }
export type Buyer = { locale: Language; email?: string | undefined; answers?: Answers | undefined }
/** What a payment keeps of its buyer. */
export type Kept = Pick<Payment, 'customer' | 'metadata'>

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
 * Stores what the buyer says, and returns the payment with it. `replaces`: the same form was sent again, so it is a correction
 * of the earlier one.
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
  { locale: spoken, email, answers }: Buyer,
  replaces: boolean,
): Pick<Payment, 'customer' | 'locale' | 'metadata'> | null {
  if (payment.attempt.state === 'opening') return null
  const isPayable = canExpire(payment.status)
  const locale = isPayable ? spoken : (payment.locale ?? spoken)
  const kept = isPayable ? withAnswers(payment, { email, answers }, replaces) : payment
  if (kept === payment && locale === payment.locale) return null
  return { locale, customer: kept.customer, metadata: kept.metadata }
}

/** Where an answer is kept. A provider gets the customer, and only the shop gets the metadata. */
const PLACES = { name: 'customer', phone: 'customer', address: 'metadata', note: 'metadata' } as const

/** Returns what the payment has kept already for a field of the product. */
export function answerIn(kept: Kept, field: BuyerField): unknown {
  const place: Record<string, unknown> | null = kept[PLACES[field]]
  return place?.[field]
}

/** Returns the same object where nothing changes. `replaces`: also what is there already, and an empty text removes it. */
export function withAnswers<Before extends Kept>(
  before: Before,
  { email, answers = {} }: Pick<Buyer, 'email' | 'answers'>,
  replaces: boolean,
): Kept {
  const after: Record<'customer' | 'metadata', Record<string, unknown>> = {
    customer: { ...before.customer },
    metadata: { ...before.metadata },
  }
  const given: [place: 'customer' | 'metadata', name: string, text: string | undefined][] = [
    ['customer', 'email', email],
    ...BUYER_FIELDS.map((field): (typeof given)[number] => [PLACES[field], field, answers[field]]),
  ]
  let isNews = false
  for (const [place, name, text] of given) {
    const known = after[place][name] ?? ''
    if (text === undefined || text === known || (known !== '' && !replaces)) continue
    isNews = true
    if (text === '') delete after[place][name]
    else after[place][name] = text
  }
  const orNull = <Value extends object>(value: Value) => (Object.keys(value).length > 0 ? value : null)
  return isNews ? { customer: orNull(after.customer), metadata: orNull(after.metadata) } : before
}
