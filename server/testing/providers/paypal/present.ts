/** The simulated PayPal's resources as its API returns them. */
import { minorOf, moneyOf } from '../../../providers/paypal/money.ts'
import {
  type SimAuthorization,
  type SimCapture,
  type SimDispute,
  type SimOrder,
  type SimRefund,
  type SimSetup,
  type SimToken,
  timeText,
  type World,
} from './books.ts'
import { hooksOf } from './faults.ts'

const PAYER = {
  email_address: 'buyer-of-the-simulator@example.com',
  payer_id: 'QYR5Z8XDVJNXQ',
  name: { given_name: 'Planted', surname: 'Buyername' },
  address: { country_code: 'US' },
}

type Method = 'GET' | 'POST' | 'DELETE'
function links(world: World, ...all: [rel: string, path: string, method: Method][]) {
  return all.map(([rel, path, method]) => ({ href: `${world.origin()}${path}`, rel, method }))
}

const hasPayer = ({ status }: SimOrder) => status === 'APPROVED' || status === 'COMPLETED'

export function presentOrder(world: World, order: SimOrder): object {
  const { id, intent, status, unit, fault, authorizations, captures, refunds } = order
  const { payer_id: account_id, ...person } = PAYER
  const { payer_id, email_address, name, address } = PAYER
  const payments = {
    ...(authorizations.length > 0 && {
      authorizations: authorizations.map((each) => presentAuthorization(world, order, each)),
    }),
    ...(captures.length > 0 && { captures: captures.map((each) => presentCapture(world, order, each)) }),
    ...(refunds.length > 0 && { refunds: refunds.map((each) => presentRefund(world, order, each)) }),
  }
  return {
    id,
    intent,
    status,
    ...((order.pages || hasPayer(order)) && {
      payment_source: {
        paypal: hasPayer(order) ? { ...person, account_id, account_status: 'VERIFIED' } : {},
      },
    }),
    purchase_units: [
      {
        ...unit,
        amount: hooksOf(fault).stated?.(unit.amount) ?? unit.amount,
        payee: { email_address: 'shop@example.com', merchant_id: 'SHPSHPSHP2222' },
        ...(Object.keys(payments).length > 0 && { payments }),
      },
    ],
    ...(hasPayer(order) && { payer: { payer_id, email_address, name, address } }),
    create_time: timeText(order.createdAt),
    // An order that was only approved has none, and nobody can tell from the order when its buyer approved.
    ...(order.status === 'COMPLETED' && { update_time: timeText(order.updatedAt) }),
    links: orderLinks(world, order),
  }
}

export function orderLinks(world: World, { id, status, intent, pages }: SimOrder) {
  const act = intent === 'CAPTURE' ? 'capture' : 'authorize'
  const self = ['self', `/v2/checkout/orders/${id}`, 'GET'] as const
  if (status === 'COMPLETED') return links(world, [...self])
  if (status === 'APPROVED') return links(world, [...self], [act, `/v2/checkout/orders/${id}/${act}`, 'POST'])
  const rel = pages ? 'payer-action' : 'approve'
  return links(world, [...self], [rel, `/checkoutnow?token=${id}`, 'GET'])
}

const numbers = ({ unit }: SimOrder) => ({
  ...(unit.custom_id !== undefined && { custom_id: unit.custom_id }),
  ...(unit.invoice_id !== undefined && { invoice_id: unit.invoice_id }),
})

export function presentCapture(world: World, order: SimOrder, capture: SimCapture): object {
  const { id, status, reason, amount, isFinal, createdAt } = capture
  const fee = Math.round(minorOf(amount) * 0.0349) + 49
  const parent = order.authorizations[0]
    ? `/v2/payments/authorizations/${order.authorizations[0].id}`
    : `/v2/checkout/orders/${order.id}`
  return {
    id,
    status,
    ...(status === 'PENDING' && reason !== '' && { status_details: { reason } }),
    amount,
    final_capture: isFinal,
    ...numbers(order),
    seller_protection: {
      status: 'ELIGIBLE',
      dispute_categories: ['ITEM_NOT_RECEIVED', 'UNAUTHORIZED_TRANSACTION'],
    },
    ...(status !== 'PENDING' &&
      status !== 'DECLINED' && {
        seller_receivable_breakdown: {
          gross_amount: amount,
          paypal_fee: moneyOf(fee, amount.currency_code),
          net_amount: moneyOf(Math.max(minorOf(amount) - fee, 0), amount.currency_code),
        },
      }),
    create_time: timeText(createdAt),
    update_time: timeText(createdAt),
    links: links(
      world,
      ['self', `/v2/payments/captures/${id}`, 'GET'],
      ['refund', `/v2/payments/captures/${id}/refund`, 'POST'],
      ['up', parent, 'GET'],
    ),
  }
}

export function presentAuthorization(world: World, order: SimOrder, authorization: SimAuthorization): object {
  const { id, status, amount, createdAt, expiresAt } = authorization
  return {
    id,
    status,
    ...(status === 'PENDING' && { status_details: { reason: 'PENDING_REVIEW' } }),
    amount,
    ...numbers(order),
    seller_protection: {
      status: 'ELIGIBLE',
      dispute_categories: ['ITEM_NOT_RECEIVED', 'UNAUTHORIZED_TRANSACTION'],
    },
    expiration_time: timeText(expiresAt),
    create_time: timeText(createdAt),
    update_time: timeText(createdAt),
    links: links(
      world,
      ['self', `/v2/payments/authorizations/${id}`, 'GET'],
      ['capture', `/v2/payments/authorizations/${id}/capture`, 'POST'],
      ['void', `/v2/payments/authorizations/${id}/void`, 'POST'],
      ['up', `/v2/checkout/orders/${order.id}`, 'GET'],
    ),
  }
}

export function presentRefund(world: World, order: SimOrder, refund: SimRefund): object {
  const { id, status, amount, customId, captureId, createdAt } = refund
  return {
    id,
    status,
    ...(status === 'PENDING' && { status_details: { reason: 'ECHECK' } }),
    amount,
    ...(customId !== undefined && { custom_id: customId }),
    ...(order.unit.invoice_id !== undefined && { invoice_id: order.unit.invoice_id }),
    create_time: timeText(createdAt),
    update_time: timeText(createdAt),
    links: links(
      world,
      ['self', `/v2/payments/refunds/${id}`, 'GET'],
      ['up', `/v2/payments/captures/${captureId}`, 'GET'],
    ),
  }
}

export function presentSetup(world: World, setup: SimSetup): object {
  const { id, customerId, status } = setup
  return {
    id,
    customer: { id: customerId },
    status,
    payment_source: { paypal: { usage_type: 'MERCHANT' } },
    links: [
      ...(status === 'PAYER_ACTION_REQUIRED'
        ? links(world, ['approve', `/agreements/approve?approval_session_id=${id}`, 'GET'])
        : links(world, ['confirm', '/v3/vault/payment-tokens', 'POST'])),
      ...links(world, ['self', `/v3/vault/setup-tokens/${id}`, 'GET']),
    ],
  }
}

export function presentToken(world: World, { id, customerId }: SimToken): object {
  const { payer_id, email_address, name } = PAYER
  return {
    id,
    customer: { id: customerId },
    payment_source: {
      paypal: {
        usage_type: 'MERCHANT',
        email_address,
        payer_id,
        account_id: payer_id,
        name: { given_name: name.given_name, surname: name.surname },
      },
    },
    links: links(
      world,
      ['self', `/v3/vault/payment-tokens/${id}`, 'GET'],
      ['delete', `/v3/vault/payment-tokens/${id}`, 'DELETE'],
    ),
  }
}

/** A dispute in a list. Only there it has a state. */
export function presentDispute(world: World, dispute: SimDispute): object {
  const dispute_state = dispute.status === 'RESOLVED' ? 'RESOLVED' : 'REQUIRED_ACTION'
  return { ...disputeParts(world, dispute), dispute_state }
}

function disputeParts(world: World, dispute: SimDispute): object {
  const { id, status, stage, amount, createdAt, updatedAt } = dispute
  return {
    dispute_id: id,
    create_time: timeText(createdAt),
    update_time: timeText(updatedAt),
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    status,
    dispute_amount: amount,
    dispute_life_cycle_stage: stage,
    seller_response_due_date: timeText(new Date(createdAt.getTime() + 10 * 24 * 3_600_000)),
    links: links(world, ['self', `/v1/customer/disputes/${id}`, 'GET']),
  }
}

/** A dispute on its own, outside a list, also has its reason and its outcome. */
export function presentDisputeDetails(world: World, dispute: SimDispute): object {
  const { captureId, customId, outcome, amount } = dispute
  return {
    ...disputeParts(world, dispute),
    disputed_transactions: [
      {
        seller_transaction_id: captureId,
        ...(customId !== undefined && { custom: customId }),
        gross_amount: amount,
      },
    ],
    ...(outcome && {
      dispute_outcome: {
        outcome_code: outcome,
        ...(outcome === 'RESOLVED_BUYER_FAVOUR' && { amount_refunded: amount }),
      },
    }),
  }
}
