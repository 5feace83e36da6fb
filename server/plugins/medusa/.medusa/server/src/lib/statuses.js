/** What a payment at Kassa means for a payment session of Medusa. */
const { actOf, doubtOf } = require('kassa-client')

const SESSION_STATUS = {
  paid: 'captured',
  authorized: 'authorized',
  failed: 'error',
  cancelled: 'canceled',
  expired: 'canceled',
}
exports.WITHOUT_MONEY = ['failed', 'cancelled', 'expired']
exports.MONEY = ['paid', 'authorized']

/** Returns why a person must look at this payment before it counts, or null. Money that is held is compared like money that has come. */
exports.faultOf = (payment, { amountMinor, currency, session_id: merchantOrderId }) => {
  const taken =
    payment.status === 'authorized'
      ? { ...payment, status: 'paid', capturedMinor: payment.amountMinor }
      : payment
  return doubtOf(taken, { amountMinor, currency, merchantOrderId })
}

/** `data`: of the payment session. Money that is not what was asked for is an error. */
exports.sessionStatusOf = (payment, data) => {
  if (exports.MONEY.includes(payment.status) && exports.faultOf(payment, data)) return 'error'
  const waits = actOf(payment.status) === 'wait' || actOf(payment.status) === 'hold'
  return SESSION_STATUS[payment.status] ?? (waits ? 'pending' : 'error')
}
