/** An operator ends a subscription or a saved method, or has a receipt printed again: through the same verbs as the API. */
import type { Context } from '../../context.ts'
import type { OperationResponse } from '../../contract/operation.ts'
import type { TokenRevocationResponse } from '../../contract/payment-method-token.ts'
import type { SubscriptionResponse } from '../../contract/subscription.ts'
import { AppError } from '../../errors.ts'
import { isEnded } from '../../payments/operation.ts'
import { requestFiscalRetry } from '../../payments/receipts/retry.ts'
import { revokeToken } from '../../payments/saved-methods/saved-method.ts'
import { cancelSubscription } from '../../payments/subscriptions/subscription.ts'
import { findSubscriptionById } from '../../storage/payments/subscriptions.ts'
import { findSavedMethodById } from '../../storage/saved-methods/saved-methods.ts'
import { getPayment } from '../payment-timeline.ts'
import { keyFor } from './key.ts'

/** `by`: the operator's name. @throws AppError subscription_not_found, operation_disabled, operation_not_configured */
export async function cancelForMerchant(
  ctx: Context,
  subscriptionId: string,
  by: string,
): Promise<SubscriptionResponse> {
  const found = await findSubscriptionById(ctx.db, subscriptionId)
  if (!found)
    throw new AppError('subscription_not_found', { message: `There is no subscription ${subscriptionId}.` })
  const { merchantId } = found
  return cancelSubscription(ctx, { merchantId, subscriptionId, idempotencyKey: 'cancel', by })
}

/** @throws AppError token_not_found, operation_disabled, operation_not_configured */
export async function revokeForMerchant(
  ctx: Context,
  tokenId: string,
  by: string,
): Promise<TokenRevocationResponse> {
  const found = await findSavedMethodById(ctx.db, tokenId)
  if (!found) throw new AppError('token_not_found', { message: `There is no saved method ${tokenId}.` })
  const { merchantId } = found
  return revokeToken(ctx, { merchantId, tokenId, idempotencyKey: 'revoke', by })
}

/** @throws AppError those of requestFiscalRetry */
export async function retryReceiptFor(
  ctx: Context,
  paymentId: string,
  by: string,
): Promise<OperationResponse> {
  const { merchantId, id } = await getPayment(ctx, paymentId)
  const of = { merchantId, scope: `POST /v1/fiscal-receipts/${id}/retry` }
  const { key: idempotencyKey } = await keyFor(ctx, of, 'retry', ({ status }) => !isEnded(status))
  return requestFiscalRetry(ctx, { merchantId, paymentId: id, idempotencyKey, by })
}
