/** The fields with which a product asks its buyer, such as an address for a parcel. */
import type { Context } from '../../context.ts'
import { type AskedFields, BUYER_FIELDS, findProductCached } from '../../merchants/product.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { type Answers, answerIn, isToBeOpened } from './buyer.ts'
import { saleOf } from './pay-page.ts'

/**
 * Returns the fields that the payment's own page asks before the next order is opened. A buyer who has answered something and owes
 * nothing has left the other fields empty on purpose, so the page does not ask for them again.
 */
export async function fieldsToAsk(ctx: Context, payment: AttemptedPayment): Promise<AskedFields> {
  const sale = !payment.singleAttempt && isToBeOpened(payment) ? saleOf(payment) : null
  if (!sale) return {}
  const { fields = {} } = (await findProductCached(ctx, sale.merchantId, sale.productId))?.display ?? {}
  const names = BUYER_FIELDS.filter((field) => fields[field])
  const open = names.filter((field) => !answerIn(payment, field))
  const hasAnswered = open.length < names.length
  if (hasAnswered && !open.some((field) => fields[field]?.isRequired)) return {}
  return Object.fromEntries(open.map((field) => [field, fields[field]]))
}

/** Returns what the page of this payment asks; nothing for an unknown payment. */
export async function findFieldsToAsk(ctx: Context, paymentId: string): Promise<AskedFields> {
  const payment = await findPaymentById(ctx.db, paymentId)
  return payment ? fieldsToAsk(ctx, payment) : {}
}

export const owesAnswer = (fields: AskedFields) => Object.values(fields).some(({ isRequired }) => isRequired)

/** Leaves out what the page did not ask: a form can contain anything. */
export async function answersToKeep(
  ctx: Context,
  payment: AttemptedPayment,
  answers: Answers | undefined,
): Promise<Answers | undefined> {
  if (!answers) return undefined
  const names = await fieldsToAsk(ctx, payment)
  return Object.fromEntries(Object.entries(answers).filter(([field]) => field in names))
}
