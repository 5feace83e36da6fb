/** Translates an answer about a payment into the words of ArCa's gateway, before which vPOS stands. */
import type { BankOrder } from '../arca/order.ts'
import { UnreadableError } from '../driver/refusal.ts'
import type { Details } from './wire.ts'

/** What `PaymentState` says. It has to agree with `OrderStatus`. Source: table 2 of the bank's description. */
export const PAYMENT_STATES: Readonly<Record<string, number>> = {
  payment_started: 0,
  payment_approved: 1,
  payment_deposited: 2,
  payment_void: 3,
  payment_refunded: 4,
  payment_autoauthorized: 5,
  payment_declined: 6,
}

/** @throws UnreadableError for an answer that contradicts itself */
export function bankOrderOf(details: Details): BankOrder {
  const { OrderID: orderNumber, OrderStatus: orderStatus, PaymentState: state, CardNumber: pan } = details
  const stated = state === undefined ? undefined : PAYMENT_STATES[state]
  if (stated !== undefined && stated !== orderStatus)
    throw new UnreadableError('the bank says of one payment that it stands in two ways')
  const at = timeIn(details.DateTime)?.getTime()
  const { ApprovedAmount, DepositedAmount, RefundedAmount } = details
  const hasAmounts = (ApprovedAmount ?? DepositedAmount ?? RefundedAmount) !== undefined
  return {
    orderNumber,
    orderStatus,
    actionCode: actionCodeIn(details),
    amount: details.Amount,
    currency: details.Currency,
    ...(at !== undefined && { date: String(at) }),
    cardAuthInfo: { pan, approvalCode: details.ApprovalCode },
    authRefNum: details.rrn ?? details.MDOrderID,
    ...(hasAmounts && {
      paymentAmountInfo: {
        approvedAmount: ApprovedAmount,
        depositedAmount: DepositedAmount,
        refundedAmount: RefundedAmount,
      },
    }),
  }
}

/** A response code is the digit 0 before ArCa's action code: 0116 is 116, and 0-2007 is -2007. */
function actionCodeIn({ ActionCode: action, ResponseCode: response }: Details): number | undefined {
  const text = action ?? /^0(-?\d{1,7})$/.exec(response ?? '')?.[1]
  return text !== undefined && /^-?\d{1,7}$/.test(text) ? Number(text) : undefined
}

/** Armenia has no summer time. */
const YEREVAN = '+04:00'

/** Returns a time as `31/12/2026 12:00:00`, in Yerevan; null for any other text. */
export function timeIn(text: string | undefined): Date | null {
  const [, day, month, year, time] = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d:\d\d:\d\d)$/.exec(text ?? '') ?? []
  const at = new Date(`${year}-${month}-${day}T${time}${YEREVAN}`)
  return Number.isNaN(at.getTime()) ? null : at
}
