/** What of an exchange with vPOS may be kept. */
import { type Recordable, wordsOf } from '../driver/proof.ts'

export const recordable: Recordable = {
  words: wordsOf(`
    https http VPOS api Payments Pay id lang am ru en hy one two true false
    InitPayment GetPaymentDetails GetPaymentId ConfirmPayment CancelPayment RefundPayment MakeBindingPayment GetBindings DeactivateBinding
    payment_started payment_approved payment_deposited payment_void payment_refunded payment_autoauthorized payment_declined
    00 01 03 04 05 06 07 20 30 50 500 510 513 514 520 550 560 051 840 978 643 AMD USD EUR
    waiting reached completed voided declined cancelled expired unclear pending active revoked redirect refused unknown found unpaid
    not_found unavailable done soft hard ask_another_card ask_bank try_later fraud technical card visa mastercard amex arca
    credentials rights account amount order request application/json`),
  texts: wordsOf(`
    currency Currency language PaymentState kind state order decline declineCategory refusal brand steps status content-type ResponseCode`),
  numbers: wordsOf(`
    Amount ApprovedAmount DepositedAmount RefundedAmount OrderStatus ActionCode ResponseCode PaymentType Timeout ExchangeRate
    amountMinor authorizedMinor capturedMinor refundedMinor heldMinor takenMinor returnedMinor`),
  times: wordsOf('DateTime expiresAt until after before heldAt capturedAt'),
  addresses: wordsOf('BackURL returnUrl url callbackUrl'),
  headers: wordsOf('content-type'),
  logins: wordsOf('ClientID Username Password'),
}
