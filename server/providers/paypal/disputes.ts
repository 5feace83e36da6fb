/**
 * Disputes of a capture. An order does not show them, so each question about a paid order asks for them too.
 */
import { sumDisputes } from '../driver/disputes.ts'
import { WrongModeError } from '../driver/mode.ts'
import type { Snapshot, Dispute as SnapshotDispute } from '../driver.ts'
import { minorOf } from './money.ts'
import { readName } from './order.ts'
import { askPaypal, type PaypalCall, readPaypal, whyRefused } from './request.ts'
import { type Dispute, DisputeDetails, Disputes, type Unit } from './wire.ts'

/** The outcomes that return the money to the buyer. */
const LOST = ['RESOLVED_BUYER_FAVOUR', 'ACCEPTED']
/** Disputes are a service of their own at PayPal. It may be slow or away while orders and captures work. */
export const OPTIONAL = { isOptional: true, isExtra: true, timeoutMs: 3_000 } as const
/** A refund that belongs to a dispute may be dated a little later than the dispute's end. A later one of the same amount is another. */
const DATED_LATER_MS = 10 * 60_000

type Refunds = Unit['payments']['refunds']
type Found = Pick<Snapshot, 'dispute' | 'inquiry' | 'disputeLostMinor' | 'disputesUnknown'>

/** Returns the snapshot with the disputes of its capture. If PayPal does not tell, the snapshot says so. */
export async function withDisputes(
  call: PaypalCall,
  snapshot: Snapshot,
  refunds: Refunds,
): Promise<Snapshot> {
  const { capturedMinor, refundedMinor, providerTransactionId: capture } = snapshot
  if (capturedMinor === 0 || capture === undefined) return snapshot
  try {
    const { disputeLostMinor = 0, ...open } = await findDisputes(call, capture, { capturedMinor, refunds })
    return {
      ...snapshot,
      ...open,
      // PayPal may show that everything was refunded without a list of the refunds.
      ...(disputeLostMinor > 0 && refundedMinor < capturedMinor && { disputeLostMinor }),
    }
  } catch (error) {
    if (error instanceof WrongModeError) throw error
    call.log('info', 'PayPal did not say whether the payment is disputed', { reason: String(error) })
    return { ...snapshot, disputesUnknown: 'away' }
  }
}

async function findDisputes(
  call: PaypalCall,
  capture: string,
  { capturedMinor, refunds }: { capturedMinor: number; refunds: Refunds },
): Promise<Found> {
  const said = await askPaypal(call, {
    method: 'GET',
    path: `/v1/customer/disputes?disputed_transaction_id=${encodeURIComponent(capture)}`,
    ...OPTIONAL,
  })
  if (said.kind === 'refused') {
    // PayPal refuses if the app has no permission for disputes, and for a payment without a dispute. A dispute that is known stays.
    if (said.status === 403 || said.status === 404) return { disputesUnknown: 'denied' }
    throw new Error(whyRefused(said))
  }
  const { items } = Disputes.parse(said.body)
  const open = items.filter(({ status }) => status !== 'RESOLVED')
  const isInquiry = (each: Dispute) => each.dispute_life_cycle_stage === 'INQUIRY'
  const describe = (each: Dispute) => disputeOf(each, capturedMinor)
  const dispute = sumDisputes(open.filter((each) => !isInquiry(each)).map(describe))
  const inquiry = sumDisputes(open.filter(isInquiry).map(describe))
  const unmatched = [...refunds]
  let disputeLostMinor = 0
  for (const each of items.filter(({ status }) => status === 'RESOLVED')) {
    const lostMinor = await findLost(call, each, capturedMinor)
    if (lostMinor > 0 && !takeRefund(unmatched, each, lostMinor)) disputeLostMinor += lostMinor
  }
  return {
    ...(dispute && { dispute }),
    ...(inquiry && { inquiry }),
    ...(disputeLostMinor > 0 && { disputeLostMinor }),
  }
}

/** A dispute without an amount is one about everything. */
function disputeOf(
  { dispute_amount: amount, reason, seller_response_due_date: answerBy }: Dispute,
  capturedMinor: number,
): SnapshotDispute {
  return {
    amountMinor: amount ? minorOf(amount) : capturedMinor,
    ...(reason !== undefined && { reason: reason.toLowerCase().replaceAll('_', ' ') }),
    ...(answerBy !== undefined && { answerBy }),
  }
}

/** Returns what the buyer won in a dispute that is over. */
async function findLost(call: PaypalCall, dispute: Dispute, capturedMinor: number): Promise<number> {
  const path = `/v1/customer/disputes/${encodeURIComponent(dispute.dispute_id)}`
  const details = await readPaypal(call, path, OPTIONAL)
  const outcome = details === null ? undefined : DisputeDetails.parse(details).dispute_outcome
  if (!outcome || !LOST.includes(outcome.outcome_code)) return 0
  const returned = outcome.amount_refunded ?? dispute.dispute_amount
  return returned ? minorOf(returned) : capturedMinor
}

/**
 * PayPal may list the money of a lost dispute among the refunds, and a refund in the Resolution Center ends a dispute. Such a refund
 * has the dispute's amount, and was made while the dispute was open. Returns whether there is one, and takes it from the list.
 */
function takeRefund(refunds: Refunds, { create_time, update_time }: Dispute, amountMinor: number): boolean {
  const [opened, closed] = [create_time, update_time].map((time) => (time ? Date.parse(time) : Number.NaN))
  const at = refunds.findIndex(({ status, amount, create_time: made, custom_id: name = '' }) => {
    const madeAt = made ? Date.parse(made) : Number.NaN
    const isMeanwhile = madeAt >= (opened ?? 0) && madeAt <= (closed ?? 0) + DATED_LATER_MS
    // A refund that we sent after the dispute was closed does not belong to it.
    const isOurs = readName(name).key !== undefined && madeAt > (closed ?? 0)
    return status === 'COMPLETED' && minorOf(amount) === amountMinor && isMeanwhile && !isOurs
  })
  if (at >= 0) refunds.splice(at, 1)
  return at >= 0
}
