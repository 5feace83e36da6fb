/** Payments v2 of the simulated PayPal: captures and voids of authorizations, and refunds of captures. */
import { Money, minorOf, sumOf } from '../../../providers/paypal/money.ts'
import { plan, type SimOrder } from './books.ts'
import { tell } from './events.ts'
import { hooksOf } from './faults.ts'
import { take, voidHold } from './orders.ts'
import { presentAuthorization, presentCapture, presentRefund } from './present.ts'
import { type AccountRequest, at, json, LIFETIMES, NO_CONTENT, once, type Reply, refuse } from './reply.ts'

const REFUNDABLE_MS = 180 * 24 * 3_600_000

function findAuthorization({ account }: AccountRequest, id: string) {
  for (const order of account.orders.values()) {
    const authorization = order.authorizations.find((each) => each.id === id)
    if (authorization) return { order, authorization }
  }
  return null
}

function findCapture({ account }: AccountRequest, id: string) {
  for (const order of account.orders.values()) {
    const capture = order.captures.find((each) => each.id === id)
    if (capture) return { order, capture }
  }
  return null
}

/** Returns the requested amount, or the whole amount if none was requested. Returns null for an invalid amount. */
function amountIn({ json: body }: AccountRequest, whole: Money): Money | null {
  const given = at(body, 'amount')
  if (given === undefined) return whole
  const amount = Money.safeParse(given).data
  return amount && amount.currency_code === whole.currency_code && minorOf(amount) > 0 ? amount : null
}

export function showAuthorization(request: AccountRequest, id: string): Reply {
  const found = findAuthorization(request, id)
  if (!found) return refuse(404, 'INVALID_RESOURCE_ID')
  return json(200, presentAuthorization(request.world, found.order, found.authorization))
}

export function captureAuthorization(request: AccountRequest, id: string): Reply {
  const { world, account } = request
  const found = findAuthorization(request, id)
  if (!found) return refuse(404, 'INVALID_RESOURCE_ID')
  const { order, authorization } = found
  return once(request, LIFETIMES.payments, () => {
    const amount = amountIn(request, authorization.amount)
    if (!amount) return refuse(422, 'DECIMAL_PRECISION')
    if (authorization.status === 'VOIDED') return refuse(422, 'AUTHORIZATION_VOIDED')
    if (authorization.status === 'CAPTURED') return refuse(422, 'AUTHORIZATION_ALREADY_CAPTURED')
    if (world.now() > authorization.expiresAt) return refuse(422, 'AUTHORIZATION_EXPIRED')
    const taken = sumOf(order.captures.map((each) => each.amount))
    if (taken + minorOf(amount) > minorOf(authorization.amount))
      return refuse(422, 'MAX_CAPTURE_AMOUNT_EXCEEDED')
    const isFinal = at(request.json, 'final_capture') === true
    authorization.status = isFinal ? 'CAPTURED' : 'PARTIALLY_CAPTURED'
    take(world, account, order, { amount, isFinal })
    const capture = order.captures.at(-1)
    return { made: () => (capture ? presentCapture(world, order, capture) : {}) }
  })
}

/** PayPal's live API does not answer a void without a JSON body. The simulator refuses it. */
export function voidAuthorization(request: AccountRequest, id: string): Reply {
  const { world, account, headers } = request
  const found = findAuthorization(request, id)
  if (!found) return refuse(404, 'INVALID_RESOURCE_ID')
  const { order, authorization } = found
  if (request.json === undefined || headers['content-type'] !== 'application/json')
    return refuse(400, 'MALFORMED_REQUEST_JSON')
  const shown = () => presentAuthorization(world, order, authorization)
  const reply = once(request, LIFETIMES.payments, () => {
    if (authorization.status === 'VOIDED') return refuse(422, 'PREVIOUSLY_VOIDED')
    if (authorization.status !== 'CREATED') return refuse(422, 'PREVIOUSLY_CAPTURED')
    voidHold(world, account, order, authorization)
    return { made: shown }
  })
  if (reply.status >= 400) return reply
  return headers.prefer === 'return=representation' ? { ...reply, status: 200 } : NO_CONTENT
}

export function showCapture(request: AccountRequest, id: string): Reply {
  const found = findCapture(request, id)
  if (!found) return refuse(404, 'INVALID_RESOURCE_ID')
  return json(200, presentCapture(request.world, found.order, found.capture))
}

export function refundCapture(request: AccountRequest, id: string): Reply {
  const { world, account } = request
  const found = findCapture(request, id)
  if (!found) return refuse(404, 'INVALID_RESOURCE_ID')
  const { order, capture } = found
  return once(request, LIFETIMES.payments, () => {
    const amount = amountIn(request, capture.amount)
    const cases = account.disputes.filter((each) => each.captureId === id)
    const lost = cases.filter(({ outcome }) => outcome === 'RESOLVED_BUYER_FAVOUR')
    const left = minorOf(capture.amount) - refundedOf(order, id) - sumOf(lost.map((each) => each.amount))
    if (!amount) return refuse(422, 'DECIMAL_PRECISION')
    if (capture.status === 'PENDING') return refuse(422, 'PENDING_CAPTURE')
    const open = cases.filter(({ status }) => status !== 'RESOLVED')
    // While a buyer only asks, PayPal still accepts a refund of everything, which ends the case.
    const isEnding = open.every(({ stage }) => stage === 'INQUIRY') && minorOf(amount) === left
    if (open.length > 0 && !isEnding) return refuse(422, 'TRANSACTION_DISPUTED')
    if (world.now().getTime() > capture.createdAt.getTime() + REFUNDABLE_MS)
      return refuse(422, 'REFUND_TIME_LIMIT_EXCEEDED')
    if (left === 0) return refuse(422, 'CAPTURE_FULLY_REFUNDED')
    if (minorOf(amount) > left) return refuse(422, 'REFUND_AMOUNT_EXCEEDED')
    const refund = {
      id: world.newId('R'),
      captureId: id,
      status: 'COMPLETED' as 'COMPLETED' | 'PENDING' | 'FAILED',
      amount,
      customId: at(request.json, 'custom_id') as string | undefined,
      createdAt: world.now(),
    }
    order.refunds.push(refund)
    for (const each of open)
      Object.assign(each, {
        status: 'RESOLVED',
        outcome: 'RESOLVED_BUYER_FAVOUR',
        updatedAt: world.now(),
      })
    const announce = (name: string) =>
      tell(world, account, { name, kind: 'refund', resource: presentRefund(world, order, refund), order })
    const settle = () => {
      const refunded = refundedOf(order, id)
      capture.status = refunded === minorOf(capture.amount) ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
      if (refunded === 0) capture.status = 'COMPLETED'
    }
    const { refundFailsAfterMs } = hooksOf(order.fault)
    if (refundFailsAfterMs !== undefined) {
      refund.status = 'PENDING'
      announce('PAYMENT.REFUND.PENDING')
      plan(world, refundFailsAfterMs, () => {
        refund.status = 'FAILED'
        settle()
        announce('PAYMENT.REFUND.FAILED')
      })
    } else {
      settle()
      announce('PAYMENT.CAPTURE.REFUNDED')
    }
    return { made: () => presentRefund(world, order, refund) }
  })
}

/** The sum of the refunds that were made or will be made. */
function refundedOf({ refunds }: SimOrder, captureId: string): number {
  return sumOf(
    refunds
      .filter((each) => each.captureId === captureId && each.status !== 'FAILED')
      .map(({ amount }) => amount),
  )
}

export function showRefund({ world, account }: AccountRequest, id: string): Reply {
  for (const order of account.orders.values()) {
    const refund = order.refunds.find((each) => each.id === id)
    if (refund) return json(200, presentRefund(world, order, refund))
  }
  return refuse(404, 'INVALID_RESOURCE_ID')
}
