/**
 * Translates an answer about an order into our words.
 * Rule: amounts count more than words, and what can be read in two ways is not guessed. It is unreadable, so a person learns of it.
 */
import { UnreadableError } from '../driver/refusal.ts'
import { createWordReader, type WordReader } from '../driver/words.ts'
import type { Snapshot, Standing } from '../driver.ts'
import { isRefusal, isUntried, meaningOfAction } from './actions.ts'
import { cardIn } from './card.ts'
import { type BankOrder, currencyOf, type OrderContext, timeOf } from './order.ts'

/** What `orderStatus` means. Source: 7.1.5 of the manual; 7 and 8 are of other banks. */
export type OrderMeaning =
  | 'registered'
  | 'held'
  | 'taken'
  | 'reversed'
  | 'refunded'
  | 'at_issuer'
  | 'declined'
  | 'part'
export const ORDER_WORDS: Readonly<Record<string, OrderMeaning>> = {
  0: 'registered',
  1: 'held',
  2: 'taken',
  3: 'reversed',
  4: 'refunded',
  5: 'at_issuer',
  6: 'declined',
  7: 'at_issuer',
  8: 'part',
}

/** @throws UnreadableError for an answer that can be read in two ways, or that is about a currency which no payment has */
export function snapshotOf(answer: BankOrder, known: OrderContext): Snapshot {
  const currency = currencyOf(answer)
  if (currency === null) throw new UnreadableError('the order is in a currency that Kassa does not have')
  const reader = createWordReader()
  const word = reader.read<OrderMeaning | null>('order status', ORDER_WORDS, String(answer.orderStatus), null)
  const money = moneyOf(answer, word, known)
  const stands = standingOf(answer, word, { known, money, reader })
  return {
    reference: answer.orderNumber,
    amountMinor: answer.amount,
    currency,
    ...money,
    ...stands,
    ...timesOf(answer, word, known),
    ...(answer.chargeback && { dispute: { amountMinor: money.capturedMinor - money.refundedMinor } }),
    ...instrumentOf(answer),
    ...(answer.authRefNum !== undefined && { rrn: answer.authRefNum }),
    ...(answer.cardAuthInfo?.approvalCode !== undefined && {
      approvalCode: answer.cardAuthInfo.approvalCode,
    }),
    ...(reader.unknown.length > 0 && { unknownWords: reader.unknown }),
  }
}

type Money = Pick<Snapshot, 'authorizedMinor' | 'capturedMinor' | 'refundedMinor'>

function moneyOf(answer: BankOrder, word: OrderMeaning | null, known: OrderContext): Money {
  const { approvedAmount, depositedAmount, refundedAmount } = answer.paymentAmountInfo ?? {}
  if (word === 'held')
    return { authorizedMinor: approvedAmount ?? answer.amount, capturedMinor: 0, refundedMinor: 0 }
  if (word === 'reversed') return reversed(depositedAmount ?? 0, refundedAmount ?? 0)
  const isTaken = word === 'taken' || word === 'refunded'
  const refundedMinor = refundedAmount ?? 0
  // Versions 01 and 02 say `refunded` also after a part was refunded.
  if (word === 'refunded' && refundedMinor === 0) throw new UnreadableError(`${NO_AMOUNTS} was refunded`)
  const capturedMinor =
    refundedMinor === 0
      ? (depositedAmount ?? (isTaken ? fullAmount(answer, word, known) : 0))
      : capturedOf(answer, { deposited: depositedAmount, refundedMinor, known })
  const heldMinor = word === 'part' || isTaken ? (approvedAmount ?? 0) : 0
  return { authorizedMinor: Math.max(heldMinor, capturedMinor), capturedMinor, refundedMinor }
}

const NO_AMOUNTS = "the bank's answer does not show how much of the payment"

/** Only an order that is paid in one step has certainly taken its whole amount. */
function fullAmount({ amount }: BankOrder, word: OrderMeaning, { steps }: OrderContext): number {
  if (steps === 'one' && word === 'taken') return amount
  throw new UnreadableError(`${NO_AMOUNTS} was taken`)
}

/** What was taken back by a reversal is over. What is left besides would be money of an order that has none. */
function reversed(deposited: number, refunded: number): Money {
  if (deposited > refunded)
    throw new UnreadableError('the bank says that the payment was reversed, and shows money')
  return { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
}

/**
 * Returns how much was ever taken. At some installations the deposited amount falls with each refund, at others it stays. A reading is
 * possible if it fits the order's amount. Of two possible ones that one counts which is what was taken before.
 */
function capturedOf(
  { amount }: BankOrder,
  {
    deposited,
    refundedMinor,
    known,
  }: { deposited: number | undefined; refundedMinor: number; known: OrderContext },
): number {
  const expected = known.capturedMinor ?? (known.steps === 'one' ? amount : null)
  const possible = possibleOf({ deposited, refundedMinor, amount, expected })
  const [only] = possible
  if (expected !== null && possible.includes(expected)) return expected
  if (expected === null && possible.length === 1 && only !== undefined) return only
  throw new UnreadableError("the bank's amounts can be read in two ways, or in none")
}

type Amounts = {
  deposited: number | undefined
  refundedMinor: number
  amount: number
  expected: number | null
}

function possibleOf({ deposited, refundedMinor, amount, expected }: Amounts): number[] {
  // Some answers leave out what is zero, or name nothing but the refunds.
  if (deposited === undefined) return expected !== null && refundedMinor <= expected ? [expected] : []
  const falling = deposited + refundedMinor
  const isWhole = refundedMinor <= deposited && deposited <= amount
  return [...(falling <= amount ? [falling] : []), ...(isWhole ? [deposited] : [])]
}

type OrderReport = Pick<Snapshot, 'order' | 'detail' | 'decline' | 'declineCategory'>
type Parts = { known: OrderContext; money: Money; reader: WordReader }

function standingOf(
  { actionCode }: BankOrder,
  word: OrderMeaning | null,
  { known, money, reader }: Parts,
): OrderReport {
  const meaning = meaningOfAction(actionCode, reader)
  switch (word) {
    case 'registered': {
      if (isUntried(actionCode)) return { order: 'waiting' }
      // The bank of the card has said no. A buyer could try another card, but nobody has the page of a charge.
      const isOver = known.isCharge === true && isRefusal(actionCode)
      return isOver ? declined(meaning) : { order: 'reached', detail: meaning.detail }
    }
    case 'at_issuer':
      return { order: 'reached' }
    case 'held':
    case 'taken':
    case 'refunded':
      return { order: 'completed' }
    case 'reversed':
      return { order: 'voided' }
    case 'declined':
      if (!known.isFinal && meaning.order === 'declined') return { order: 'reached', detail: meaning.detail }
      return declined(meaning)
    default:
      // More may be captured of this order at the bank, which we never ask for.
      return {
        order: 'unclear',
        detail: `the bank says that order status, with ${money.capturedMinor} taken`,
      }
  }
}

function declined({
  order,
  detail,
  decline,
  declineCategory,
}: Required<Omit<OrderReport, 'order'>> & { order: Standing }): OrderReport {
  return order === 'declined' ? { order, detail, decline, declineCategory } : { order, detail }
}

/** The day of a payment decides whether it can be reversed. The order was registered at most 20 minutes before. */
function timesOf(
  { authDateTime, depositedDate, date }: BankOrder,
  word: OrderMeaning | null,
  { steps }: OrderContext,
): Pick<Snapshot, 'heldAt' | 'capturedAt'> {
  const at = timeOf(authDateTime) ?? timeOf(date)
  const takenAt = timeOf(depositedDate) ?? (steps === 'one' ? at : null)
  if (word === 'held') return at ? { heldAt: at.toISOString() } : {}
  const isTaken = word === 'taken' || word === 'refunded'
  return isTaken && takenAt ? { capturedAt: takenAt.toISOString() } : {}
}

function instrumentOf({ cardAuthInfo }: BankOrder): Pick<Snapshot, 'instrument'> {
  if (!cardAuthInfo) return {}
  return { instrument: { kind: 'card', ...cardIn(cardAuthInfo.pan ?? cardAuthInfo.maskedPan) } }
}
