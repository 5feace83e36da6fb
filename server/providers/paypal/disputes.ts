/**
 * Disputes of a capture. An order does not show them, so each question about a paid order asks for them too.
 */
import { WrongModeError } from '../driver/mode.ts'
import type { Snapshot } from '../driver.ts'
import { minorOf } from './money.ts'
import { askPaypal, type PaypalCall, readPaypal, whyRefused } from './request.ts'
import { DisputeDetails, Disputes } from './wire.ts'

/** The outcomes that return the money to the buyer. */
const LOST = ['RESOLVED_BUYER_FAVOUR', 'ACCEPTED']
/** Disputes are a service of their own at PayPal. It may be slow or away while orders and captures work. */
const BESIDE_POINT = { isBesidePoint: true, timeoutMs: 3_000 }

/** Returns the snapshot with the dispute of its capture. If PayPal does not tell, the snapshot says so. */
export async function withDispute(call: PaypalCall, snapshot: Snapshot): Promise<Snapshot> {
  const { capturedMinor, refundedMinor, providerTransactionId: capture } = snapshot
  if (capturedMinor === 0 || capture === undefined) return snapshot
  try {
    const { open, lost } = await findDisputes(call, capture)
    if (open) return { ...snapshot, status: 'disputed', dispute: open }
    // PayPal may also list the money of a lost dispute as a refund.
    return lost && refundedMinor < capturedMinor
      ? { ...snapshot, status: 'reversed', detail: 'the buyer won a dispute at PayPal' }
      : snapshot
  } catch (error) {
    if (error instanceof WrongModeError) throw error
    call.log('info', 'PayPal did not say whether the payment is disputed', { reason: String(error) })
    return { ...snapshot, disputesUnknown: true }
  }
}

type Found = { open: NonNullable<Snapshot['dispute']> | null; lost: boolean }

async function findDisputes(call: PaypalCall, capture: string): Promise<Found> {
  const said = await askPaypal(call, {
    method: 'GET',
    path: `/v1/customer/disputes?disputed_transaction_id=${encodeURIComponent(capture)}`,
    ...BESIDE_POINT,
  })
  if (said.kind === 'refused') {
    // PayPal refuses if the app has no permission for disputes, and for a payment without a dispute.
    if (said.status === 403 || said.status === 404) return { open: null, lost: false }
    throw new Error(whyRefused(said))
  }
  const { items } = Disputes.parse(said.body)
  const open = items.find(({ status }) => status !== 'RESOLVED')
  if (open) {
    const { dispute_amount: amount, reason, seller_response_due_date: answerBy } = open
    return {
      open: {
        amountMinor: amount ? minorOf(amount) : 0,
        ...(reason !== undefined && { reason: reason.toLowerCase().replaceAll('_', ' ') }),
        ...(answerBy !== undefined && { answerBy }),
      },
      lost: false,
    }
  }
  for (const { dispute_id: id } of items) {
    const details = await readPaypal(call, `/v1/customer/disputes/${encodeURIComponent(id)}`, BESIDE_POINT)
    const outcome = details === null ? undefined : DisputeDetails.parse(details).dispute_outcome
    if (outcome && LOST.includes(outcome.outcome_code)) return { open: null, lost: true }
  }
  return { open: null, lost: false }
}
