/** An operator makes a payment link for a merchant: checked and stored like one of the API. */
import { hash } from 'node:crypto'
import { refuseCardData } from '../../card-number/card-data.ts'
import type { Context } from '../../context.ts'
import { CreatePaymentLinkRequest, type PaymentLinkResponse } from '../../contract/link.ts'
import { AppError } from '../../errors.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { checkLinkTerms, createLink } from '../../payments/creation/link.ts'

/** The link's terms as they were typed. */
type LinkInput = {
  [Field in keyof CreatePaymentLinkRequest]?: CreatePaymentLinkRequest[Field] | undefined
}

/**
 * Creates a link, or returns the one that the key has made. `key`: by default derived from the terms, so that a repeated command
 * returns the same link.
 * @throws AppError validation_failed, amount_mismatch, and those of createLink
 */
export async function createLinkFor(
  ctx: Context,
  {
    merchantId,
    wish,
    key,
    by,
  }: { merchantId: string; wish: LinkInput; key?: string | undefined; by: string },
): Promise<PaymentLinkResponse & { key: string }> {
  await getMerchant(ctx, merchantId)
  refuseCardData(wish, 'command')
  const parsed = CreatePaymentLinkRequest.safeParse(wish)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new AppError('validation_failed', { message: problems.join('\n') })
  }
  const request = parsed.data
  const idempotencyKey = key ?? `link ${hash('sha256', JSON.stringify(request), 'hex').slice(0, 16)}`
  await checkLinkTerms(ctx, { merchantId, idempotencyKey, by, body: request })
  return { ...(await createLink(ctx, { merchantId, idempotencyKey, request, by })), key: idempotencyKey }
}
