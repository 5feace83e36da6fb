/** Refunds, captures and voids. Each is sent with our operation's id as PayPal-Request-Id. */
import type { Driver, MoneyWrite, WriteResult } from '../driver.ts'
import { moneyOf } from './money.ts'
import { readOrder, refundName, stateOf } from './order.ts'
import { askPaypal, type PaypalAnswer, type PaypalCall, whyRefused } from './request.ts'
import { paypalRequestId } from './request-id.ts'
import type { PaypalSettings } from './settings.ts'
import { Authorization, Capture, Order, Refund } from './wire.ts'

/** The statuses of a refund or a capture that was done. With any other word the next answer shows what became of it. */
const DONE = ['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']
const DAY_MS = 24 * 3_600_000
/** For this long after the capture PayPal accepts refunds. */
const REFUNDABLE_MS = 180 * DAY_MS

export const writeMembers = {
  async refund(call, write): Promise<WriteResult> {
    const capture = stateOf(write.state)?.capture ?? (await readPayments(call, write)).capture
    if (capture === undefined) return refused('PayPal has no payment that could be refunded')
    const { amountMinor, currency, key, refusedTimes } = write
    const answer = await askPaypal(call, {
      method: 'POST',
      path: `/v2/payments/captures/${capture}/refund`,
      // The reason is internal to the shop. PayPal would show it to the buyer.
      body: { amount: moneyOf(amountMinor, currency), custom_id: refundName(write) },
      requestId: paypalRequestId('refund', key, refusedTimes),
    })
    if (answer.kind === 'refused') return explainRefusal(answer)
    const { id: operationId, status } = Refund.parse(answer.body)
    if (status === 'FAILED' || status === 'CANCELLED')
      return refused(`PayPal says that the refund is ${status.toLowerCase()}`)
    return { kind: DONE.includes(status) ? 'done' : 'pending', operationId }
  },

  async capture(call, write): Promise<WriteResult> {
    const authorization =
      stateOf(write.state)?.authorization ?? (await readPayments(call, write)).authorization
    if (authorization === undefined) return refused('PayPal holds no money of this order')
    const { amountMinor, currency, key, refusedTimes } = write
    const answer = await askPaypal(call, {
      method: 'POST',
      path: `/v2/payments/authorizations/${authorization}/capture`,
      // This is the last capture of the authorization, so PayPal releases the rest.
      body: { amount: moneyOf(amountMinor, currency), final_capture: true },
      requestId: paypalRequestId('captureHold', key, refusedTimes),
    })
    if (answer.kind === 'refused') return explainRefusal(answer)
    const { id: operationId, status } = Capture.parse(answer.body)
    if (status === 'DECLINED' || status === 'FAILED')
      return refused(`PayPal says that the capture is ${status.toLowerCase()}`)
    return { kind: DONE.includes(status) ? 'done' : 'pending', operationId }
  },

  async void(call, write): Promise<WriteResult> {
    const authorization =
      stateOf(write.state)?.authorization ?? (await readPayments(call, write)).authorization
    if (authorization === undefined) return refused('PayPal holds no money of this order')
    const answer = await askPaypal(call, {
      method: 'POST',
      path: `/v2/payments/authorizations/${authorization}/void`,
      // Without a body PayPal's live API has been seen to hang.
      body: {},
      requestId: paypalRequestId('void', write.key, write.refusedTimes),
    })
    if (answer.kind === 'refused')
      return answer.issues.includes('PREVIOUSLY_VOIDED') ? { kind: 'done' } : explainRefusal(answer)
    if (answer.body !== null) Authorization.parse(answer.body)
    return { kind: 'done' }
  },

  eligible(call, name, { snapshot: { capturedMinor, capturedAt, dispute } }): string | null {
    if (name === 'void' && capturedMinor > 0)
      return 'PayPal has taken the money already, so it can only be refunded'
    if (name !== 'refund') return null
    if (dispute) return DISPUTED
    const until = capturedAt === undefined ? null : new Date(capturedAt).getTime() + REFUNDABLE_MS
    return until !== null && call.now().getTime() > until
      ? 'PayPal refunds for 180 days after the payment'
      : null
  },
} satisfies Pick<Driver<PaypalSettings>, 'refund' | 'capture' | 'void' | 'eligible'>

const DISPUTED = 'the payment is disputed at PayPal, which refunds nothing meanwhile'

/** Returns the ids of the order's payments, for a stored state that does not have them yet. */
async function readPayments(
  call: PaypalCall,
  write: MoneyWrite,
): Promise<{ capture: string | undefined; authorization: string | undefined }> {
  const body = await readOrder(call, write)
  if (body === null) return { capture: undefined, authorization: undefined }
  const { authorizations, captures } = Order.parse(body).purchase_units[0].payments
  const taken = captures.find(({ status }) => status === 'COMPLETED' || status === 'PARTIALLY_REFUNDED')
  return { capture: taken?.id, authorization: authorizations[0]?.id }
}

const WORDS: Record<string, string> = {
  CAPTURE_FULLY_REFUNDED: 'PayPal says that the payment is refunded already',
  REFUND_AMOUNT_EXCEEDED: 'PayPal says that less is left to refund',
  REFUND_TIME_LIMIT_EXCEEDED: 'PayPal refunds for 180 days after the payment',
  REFUND_FAILED_INSUFFICIENT_FUNDS: "there is not enough money in the shop's PayPal account",
  TRANSACTION_DISPUTED:
    'the buyer has opened a case at PayPal. Meanwhile PayPal accepts no refund of a part, and none at all once the case is a dispute',
  REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK: 'the buyer has taken the money back through the bank',
  PENDING_CAPTURE: 'PayPal has not received the money yet',
  AUTHORIZATION_EXPIRED: 'the authorization has expired',
  AUTHORIZATION_VOIDED: 'the authorization was voided',
  AUTHORIZATION_DENIED: 'PayPal denied the authorization',
  AUTHORIZATION_ALREADY_CAPTURED: 'the authorization was captured already',
  MAX_CAPTURE_AMOUNT_EXCEEDED: 'PayPal says that less is held',
  PREVIOUSLY_CAPTURED: 'the authorization was captured already',
}

const refused = (message: string): WriteResult => ({ kind: 'refused', message, refusal: 'order' })

function explainRefusal(answer: Extract<PaypalAnswer, { kind: 'refused' }>): WriteResult {
  const known = answer.issues.map((issue) => WORDS[issue]).find((words) => words !== undefined)
  return refused(known ? `${known} (debug id ${answer.debugId})` : whyRefused(answer))
}
