/**
 * Disputes of a capture. An order does not show them, so each question about a paid order asks for them too.
 */
import { CurrencyCode } from '../../contract/fields.ts'
import { sumDisputes } from '../driver/disputes.ts'
import { WrongModeError } from '../driver/mode.ts'
import { createWordReader, type WordReader } from '../driver/words.ts'
import type { Snapshot, Dispute as SnapshotDispute } from '../driver.ts'
import { minorOf } from './money.ts'
import { readName } from './order.ts'
import { askPaypal, type PaypalCall, readPaypal, whyRefused } from './request.ts'
import { type Dispute, DisputeDetails, Disputes, type Unit } from './wire.ts'
import { DISPUTE_REASONS, DISPUTE_WORDS, OUTCOME_WORDS, STAGE_WORDS } from './words.ts'

/** Disputes are a service of their own at PayPal. It may be slow or away while orders and captures work. */
export const OPTIONAL = { isOptional: true, isExtra: true, timeoutMs: 3_000 } as const
/** A refund that belongs to a dispute may be dated a little later than the dispute's end. A later one of the same amount is another. */
const DATED_LATER_MS = 10 * 60_000

type Refunds = Unit['payments']['refunds']
type DisputedSnapshot = Pick<
  Snapshot,
  'dispute' | 'inquiry' | 'disputeLostMinor' | 'disputesUnknown' | 'lostElsewhere' | 'doubts' | 'unknownWords'
>

/** What a dispute takes. `currency`: of the amount, if PayPal names one. `isOther`: it is not the payment's. `isNamed`: PayPal names an amount. */
type JudgedDispute = {
  dispute: Dispute
  meaning: 'open' | 'inquiry' | 'lost' | 'kept'
  amountMinor: number
  currency: string
  isOther: boolean
  isNamed: boolean
}

/** Returns the snapshot with the disputes of its capture. If PayPal does not tell, the snapshot says so. */
export async function withDisputes(
  call: PaypalCall,
  snapshot: Snapshot,
  refunds: Refunds,
): Promise<Snapshot> {
  const { capturedMinor, refundedMinor, providerTransactionId: capture } = snapshot
  if (capturedMinor === 0 || capture === undefined) return snapshot
  try {
    const amounts = { capturedMinor, refundedMinor, currency: snapshot.currency, refunds }
    const { disputeLostMinor = 0, unknownWords = [], ...open } = await findDisputes(call, capture, amounts)
    const { dispute, ...rest } = snapshot
    const words = [...(snapshot.unknownWords ?? []), ...unknownWords]
    // A capture that is PENDING because of a complaint stays so for a while after the dispute is lost.
    const isKept = dispute !== undefined && disputeLostMinor === 0
    return {
      ...rest,
      ...(isKept && { dispute }),
      ...open,
      ...(words.length > 0 && { unknownWords: words }),
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
  {
    capturedMinor,
    refundedMinor,
    currency,
    refunds,
  }: Omit<PaymentAmounts, 'reader'> & { refundedMinor: number; refunds: Refunds },
): Promise<DisputedSnapshot> {
  const answer = await askPaypal(call, {
    method: 'GET',
    path: `/v1/customer/disputes?disputed_transaction_id=${encodeURIComponent(capture)}`,
    ...OPTIONAL,
  })
  if (answer.kind === 'refused') {
    // PayPal refuses if the app has no permission for disputes, and for a payment without a dispute. A dispute that is known stays.
    if (answer.status === 403 || answer.status === 404) return { disputesUnknown: 'denied' }
    throw new Error(whyRefused(answer))
  }
  const { items } = Disputes.parse(answer.body)
  const reader = createWordReader()
  const all: JudgedDispute[] = []
  for (const each of items) all.push(await judge(call, each, { capturedMinor, currency, reader }))
  const own = all.filter(({ isOther }) => !isOther)
  const sum = (meaning: JudgedDispute['meaning']) =>
    sumDisputes(own.filter((each) => each.meaning === meaning).map(present))
  const [dispute, inquiry] = [sum('open'), sum('inquiry')]
  const unmatched = [...refunds]
  const lost = own.filter(
    ({ meaning, dispute: of, amountMinor }) =>
      meaning === 'lost' && !removeRefund(unmatched, of, amountMinor),
  )
  // Which amount a dispute names is known, and it cannot take what refunds have returned. One without an amount is about everything.
  const sumOfLost = (isNamed: boolean) =>
    lost.reduce((total, each) => (each.isNamed === isNamed ? total + each.amountMinor : total), 0)
  const disputeLostMinor =
    sumOfLost(false) + Math.min(sumOfLost(true), Math.max(capturedMinor - refundedMinor, 0))
  const others = all.filter(({ isOther, meaning }) => isOther && meaning !== 'kept')
  return {
    ...(dispute && { dispute }),
    ...(inquiry && { inquiry }),
    ...(disputeLostMinor > 0 && { disputeLostMinor }),
    ...(others.length > 0 && {
      doubts: others.map(explain),
      lostElsewhere: others.flatMap(lostInOtherCurrency),
    }),
    ...(reader.unknown.length > 0 && { unknownWords: reader.unknown }),
  }
}

type PaymentAmounts = { capturedMinor: number; currency: string; reader: WordReader }

/**
 * Returns what a dispute means. A dispute without an amount is one about everything. An unknown word may mean that the money is gone, so
 * it counts as an open dispute.
 */
async function judge(
  call: PaypalCall,
  dispute: Dispute,
  { capturedMinor, currency: paidIn, reader }: PaymentAmounts,
): Promise<JudgedDispute> {
  const { status, reason, dispute_amount, dispute_life_cycle_stage: stage } = dispute
  if (reason !== undefined) reader.read('dispute reason', DISPUTE_REASONS, reason, true)
  const outcome =
    reader.read('dispute status', DISPUTE_WORDS, status, 'open') === 'over'
      ? await readOutcome(call, dispute)
      : null
  const amount = outcome?.amount_refunded ?? dispute_amount
  const base = {
    dispute,
    amountMinor: amount ? minorOf(amount) : capturedMinor,
    currency: amount?.currency_code ?? paidIn,
    isOther: amount !== undefined && amount.currency_code !== paidIn,
    isNamed: amount !== undefined,
  }
  if (outcome)
    return {
      ...base,
      meaning: reader.read('outcome of a dispute', OUTCOME_WORDS, outcome.outcome_code, 'open'),
    }
  const isInquiry =
    stage !== undefined && reader.read('stage of a dispute', STAGE_WORDS, stage, 'dispute') === 'inquiry'
  return { ...base, meaning: isInquiry && status !== 'RESOLVED' ? 'inquiry' : 'open' }
}

/** A dispute that is over has its outcome only outside the list. Without the dispute nobody has won it. */
async function readOutcome(call: PaypalCall, { dispute_id: id }: Dispute) {
  const details = await readPaypal(call, `/v1/customer/disputes/${encodeURIComponent(id)}`, OPTIONAL)
  return details === null ? NO_OUTCOME : DisputeDetails.parse(details).dispute_outcome
}
const NO_OUTCOME = { outcome_code: 'NONE', amount_refunded: undefined }

function present({
  amountMinor,
  dispute: { reason, seller_response_due_date: answerBy },
}: JudgedDispute): SnapshotDispute {
  return {
    amountMinor,
    ...(reason !== undefined && { reason: reason.toLowerCase().replaceAll('_', ' ') }),
    ...(answerBy !== undefined && { answerBy }),
  }
}

function explain({ meaning, amountMinor, currency, dispute: { dispute_id: id } }: JudgedDispute): string {
  const what = { open: 'is open', inquiry: 'is an inquiry', lost: 'was lost', kept: 'was won' }[meaning]
  return `the dispute ${id} about ${amountMinor} hundredths of ${currency} ${what}, and the payment is in another currency: look at the provider what it takes`
}

function lostInOtherCurrency({ meaning, amountMinor, currency }: JudgedDispute) {
  const code = CurrencyCode.safeParse(currency).data
  return code && meaning === 'lost' ? [{ currency: code, amountMinor }] : []
}

/**
 * PayPal may list the money of a lost dispute among the refunds, and a refund in the Resolution Center ends a dispute. Such a refund
 * has the dispute's amount, and was made while the dispute was open. Returns whether there is one, and takes it from the list.
 */
function removeRefund(refunds: Refunds, { create_time, update_time }: Dispute, amountMinor: number): boolean {
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
