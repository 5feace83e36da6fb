/** What of an exchange with a gateway may be kept. */
import { type Recordable, wordsOf } from '../driver/proof.ts'

export const recordable: Recordable = {
  words: wordsOf(`
    https http payment rest merchants orderId mdOrder lang
    register.do registerPreAuth.do getOrderStatusExtended.do deposit.do reverse.do refund.do decline.do paymentOrderBinding.do
    getBindings.do unBindCard.do
    CREATED APPROVED DEPOSITED DECLINED REVERSED REFUNDED 051 840 978 643 AMD USD EUR hy ru en one two true false
    waiting reached completed voided declined cancelled expired unclear pending active revoked redirect refused unknown found
    not_found unavailable done soft hard ask_another_card ask_bank try_later fraud technical card visa mastercard amex arca
    credentials rights account amount order request application/x-www-form-urlencoded application/json`),
  texts: wordsOf(`
    currency language paymentState kind state order decline declineCategory refusal brand steps status content-type errorCodeString`),
  numbers: wordsOf(`
    amount orderStatus actionCode errorCode ErrorCode success approvedAmount depositedAmount refundedAmount sessionTimeoutSecs
    amountMinor authorizedMinor capturedMinor refundedMinor heldMinor takenMinor returnedMinor`),
  times: wordsOf('date authDateTime depositedDate expiresAt until after before heldAt capturedAt'),
  addresses: wordsOf('formUrl returnUrl url callbackUrl'),
  headers: wordsOf('content-type'),
  logins: wordsOf('userName password'),
}
