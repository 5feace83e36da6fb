/** Trying a merchant's callback URL with one signed test event, now. */
import { type Context, newId } from '../context.ts'
import type { PaymentSession } from '../contract/payment.ts'
import { AppError } from '../errors.ts'
import { eventBody } from '../events/body.ts'
import { EXCHANGE_TIMEOUT_MS, eventHeaders, isAccepted } from '../events/request.ts'
import { type CallbackCheckRecord, insertCallbackCheck } from '../storage/callback-checks.ts'
import { getMerchant } from './merchant.ts'
import { listWebhookSecrets } from './webhook-secret.ts'

export type { CallbackCheckRecord } from '../storage/callback-checks.ts'

/** What the test event's payment is called: no order of a shop's. */
export const CHECK_ORDER_ID = 'callback-check'

/**
 * Sends one test event with the headers of a real one, and records what the receiver answered. Its payment is in `created`,
 * a status that no real event reports and that nobody fulfils.
 * @throws AppError validation_failed when there is no such merchant, or it has no callback URL.
 */
export async function verifyCallback(ctx: Context, merchantId: string): Promise<CallbackCheckRecord> {
  const { callbackUrl: url } = await getMerchant(ctx, merchantId)
  if (url === null)
    throw new AppError('validation_failed', {
      message: 'The merchant has no callback URL to verify.',
      hint: `Set one: npm run -s admin -- callback set --merchant ${merchantId} --url U`,
    })
  const createdAt = ctx.clock.now()
  const id = newId('evt', createdAt)
  const body = eventBody({ id, createdAt, sequence: 1, payment: testPayment(ctx, createdAt) })
  const headers = eventHeaders({ id, body }, await listWebhookSecrets(ctx, merchantId), createdAt)
  const started = performance.now()
  const exchange = await ctx.outbound.post(url, { headers, body, timeoutMs: EXCHANGE_TIMEOUT_MS })
  const answered = exchange.kind === 'answered'
  const record: CallbackCheckRecord = {
    ...{ merchantId, id, url, createdAt, durationMs: Math.round(performance.now() - started) },
    accepted: answered && isAccepted(exchange.statusCode),
    statusCode: answered ? exchange.statusCode : null,
    failure: answered ? null : exchange.message,
  }
  await insertCallbackCheck(ctx.db, record)
  return record
}

function testPayment(ctx: Context, now: Date): PaymentSession {
  const id = newId('pay', now)
  return {
    ...{ id, merchantOrderId: CHECK_ORDER_ID, provider: 'manual', amountMinor: 100, currency: 'EUR' },
    ...{ status: 'created', fiscalStatus: 'not_required', checkoutUrl: `${ctx.baseUrl}/checkout/${id}` },
    metadata: { source: 'callback_check' },
    ...{ createdAt: now.toISOString(), updatedAt: now.toISOString() },
  }
}
