/** Orders v2 of the simulated PayPal: an order takes money once, after its buyer has approved. */
import { Money } from '../../../providers/paypal/money.ts'
import { plan, type SimAccount, type SimAuthorization, type SimOrder, touch, type World } from './books.ts'
import { planDispute } from './disputes.ts'
import { tell } from './events.ts'
import { faultIn, hooksOf } from './faults.ts'
import { orderLinks, presentAuthorization, presentCapture, presentOrder } from './present.ts'
import { type AccountRequest, at, json, LIFETIMES, once, type Reply, refuse } from './reply.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** For this long a buyer can be sent to an order, and an approval can be used. */
const LASTS_MS = 3 * HOUR_MS
const AUTHORIZED_MS = 29 * DAY_MS

/** Some of the locales that PayPal's document names. It refuses what it does not know. */
const LOCALES = new Set(['en-US', 'ru-RU', 'da-DK', 'pt-BR'])

export function createOrder(request: AccountRequest): Reply {
  const { world, account, json: body, headers } = request
  const [unit, ...more] = (at(body, 'purchase_units') as unknown[] | undefined) ?? []
  const intent = at(body, 'intent')
  const amount = Money.safeParse(at(unit, 'amount'))
  if (!unit || more.length > 0 || (intent !== 'CAPTURE' && intent !== 'AUTHORIZE'))
    return refuse(400, 'MISSING_REQUIRED_PARAMETER')
  if (at(unit, 'amount', 'currency_code') === 'AMD') return refuse(422, 'CURRENCY_NOT_SUPPORTED')
  if (!amount.success || amount.data.currency_code === 'AMD') return refuse(422, 'DECIMAL_PRECISION')
  if (at(body, 'payment_source') !== undefined && headers['paypal-request-id'] === undefined)
    return refuse(400, 'PAYPAL_REQUEST_ID_REQUIRED')
  const source = at(body, 'payment_source', 'paypal')
  const context = at(source, 'experience_context')
  const locale = at(context, 'locale') as string | undefined
  if (locale !== undefined && !LOCALES.has(locale)) return refuse(422, 'INVALID_PARAMETER_VALUE')
  const vaultId = at(source, 'vault_id')
  const text = (name: string) => at(unit, name) as string | undefined
  return once(request, LIFETIMES.orders, () => {
    const order: SimOrder = {
      id: world.newId('O'),
      intent,
      status: context ? 'PAYER_ACTION_REQUIRED' : 'CREATED',
      unit: {
        reference_id: text('reference_id') ?? 'default',
        custom_id: text('custom_id'),
        invoice_id: text('invoice_id'),
        description: text('description'),
        amount: amount.data,
      },
      pages: context
        ? {
            returnUrl: String(at(context, 'return_url')),
            cancelUrl: String(at(context, 'cancel_url')),
            locale,
          }
        : null,
      instrument: 'good',
      tries: 0,
      vaultId: null,
      createdAt: world.now(),
      updatedAt: world.now(),
      authorizations: [],
      captures: [],
      refunds: [],
      fault: faultIn(text('description')),
    }
    const refusal = vaultId === undefined ? null : chargeSaved(request, order, String(vaultId))
    if (refusal) return refusal
    account.orders.set(order.id, order)
    return { made: () => shown(request, order) }
  })
}

/** Returns the whole order if the request asks for it, else a minimal one. */
function shown({ world, headers }: AccountRequest, order: SimOrder): object {
  const { id, status } = order
  if (headers.prefer === 'return=representation') return presentOrder(world, order)
  return { id, status, links: orderLinks(world, order) }
}

export function findOrder(
  { account, world }: Pick<AccountRequest, 'account' | 'world'>,
  id: string,
): SimOrder | null {
  const order = account.orders.get(id)
  if (!order) return null
  const isOver = order.status !== 'COMPLETED' && world.now().getTime() > order.updatedAt.getTime() + LASTS_MS
  return isOver ? null : order
}

export function showOrder(request: AccountRequest, id: string): Reply {
  const order = findOrder(request, id)
  return order ? json(200, presentOrder(request.world, order)) : refuse(404, 'INVALID_RESOURCE_ID')
}

/** Stores the buyer's choice on the approval page. */
export function approve(
  world: World,
  account: SimAccount,
  order: SimOrder,
  instrument: 'good' | 'declining',
): void {
  order.instrument = instrument
  order.status = 'APPROVED'
  touch(world, order)
  const resource = presentOrder(world, order)
  tell(world, account, { name: 'CHECKOUT.ORDER.APPROVED', kind: 'checkout-order', resource, order })
}

/** `capture` or `authorize` an order. */
export function finalize(request: AccountRequest, id: string, act: 'capture' | 'authorize'): Reply {
  const { account, world } = request
  return once(request, LIFETIMES.orders, () => {
    const order = findOrder(request, id)
    if (!order) return refuse(404, 'INVALID_RESOURCE_ID')
    const refusal = findObstacle(request, order, act)
    if (refusal) return refusal
    order.tries++
    if (order.instrument === 'declining') {
      touch(world, order)
      const payer = orderLinks(world, { ...order, status: 'PAYER_ACTION_REQUIRED' })
      return refuse(
        422,
        order.refusal ?? 'INSTRUMENT_DECLINED',
        payer.map((each) => ({ ...each, rel: each.rel === 'payer-action' ? 'redirect' : each.rel })),
      )
    }
    complete(world, account, order)
    return { made: () => shown(request, order) }
  })
}

/** Takes the money of a new order from a saved account at once, without the buyer. A refused order does not exist. */
function chargeSaved({ account, world }: AccountRequest, order: SimOrder, vaultId: string): Reply | null {
  const token = account.tokens.get(vaultId)
  if (!token) return refuse(422, 'TOKEN_ID_NOT_FOUND')
  if (token.refusal !== 'PAYER_ACTION_REQUIRED' && token.instrument === 'declining')
    return refuse(422, token.refusal ?? 'INSTRUMENT_DECLINED')
  if (isInvoicePaid(account, order)) return refuse(422, 'DUPLICATE_INVOICE_ID')
  order.vaultId = vaultId
  order.instrument = token.instrument
  if (token.instrument === 'declining') order.status = 'PAYER_ACTION_REQUIRED'
  else complete(world, account, order)
  return null
}

function isInvoicePaid({ orders }: SimAccount, { unit: { invoice_id } }: SimOrder): boolean {
  const isPaid = (other: SimOrder) => other.status === 'COMPLETED' && other.unit.invoice_id === invoice_id
  return invoice_id !== undefined && [...orders.values()].some(isPaid)
}

function findObstacle(
  { account }: AccountRequest,
  order: SimOrder,
  act: 'capture' | 'authorize',
): Reply | null {
  if (act !== (order.intent === 'CAPTURE' ? 'capture' : 'authorize'))
    return refuse(422, 'ACTION_DOES_NOT_MATCH_INTENT')
  if (order.status === 'COMPLETED')
    return refuse(422, act === 'capture' ? 'ORDER_ALREADY_CAPTURED' : 'ORDER_ALREADY_AUTHORIZED')
  if (order.status !== 'APPROVED' && order.instrument !== 'declining')
    return refuse(422, 'ORDER_NOT_APPROVED')
  return isInvoicePaid(account, order) ? refuse(422, 'DUPLICATE_INVOICE_ID') : null
}

function complete(world: World, account: SimAccount, order: SimOrder): void {
  order.status = 'COMPLETED'
  touch(world, order)
  const { amount } = order.unit
  if (order.intent === 'CAPTURE') {
    const taken = hooksOf(order.fault).taken?.(amount) ?? amount
    take(world, account, order, { amount: taken, isFinal: true })
    return
  }
  authorize(world, account, order)
}

/** An authorization that PayPal reviews first is captured at once afterwards. */
const reviewOf = ({ intent, fault }: SimOrder) => {
  const { hold } = hooksOf(fault)
  return intent === 'AUTHORIZE' && hold?.reason === 'PENDING_REVIEW' && !hold.isCaptureOnly ? hold : undefined
}

function authorize(world: World, account: SimAccount, order: SimOrder): void {
  const createdAt = world.now()
  const expiresAt = new Date(createdAt.getTime() + AUTHORIZED_MS)
  const review = reviewOf(order)
  const authorization: SimAuthorization = {
    id: world.newId('A'),
    status: review ? 'PENDING' : 'CREATED',
    amount: order.unit.amount,
    createdAt,
    expiresAt,
  }
  order.authorizations.push(authorization)
  // After its validity period PayPal voids an authorization that nobody has captured.
  plan(world, AUTHORIZED_MS, () => {
    if (authorization.status === 'CREATED') voidHold(world, account, order, authorization)
  })
  if (!review) announceHold(world, account, order, authorization)
  // The documents have no event for the review of an authorization, nor for one that was denied.
  else
    plan(world, review.ms, () => {
      authorization.status = review.isAccepted ? 'CREATED' : 'DENIED'
      if (review.isAccepted) announceHold(world, account, order, authorization)
    })
}

function announceHold(
  world: World,
  account: SimAccount,
  order: SimOrder,
  authorization: SimAuthorization,
): void {
  const resource = resourceOf(order, presentAuthorization(world, order, authorization))
  tell(world, account, { name: 'PAYMENT.AUTHORIZATION.CREATED', kind: 'authorization', resource, order })
}

export function voidHold(
  world: World,
  account: SimAccount,
  order: SimOrder,
  authorization: SimAuthorization,
): void {
  authorization.status = 'VOIDED'
  const resource = resourceOf(order, presentAuthorization(world, order, authorization))
  tell(world, account, { name: 'PAYMENT.AUTHORIZATION.VOIDED', kind: 'authorization', resource, order })
}

function resourceOf(order: SimOrder, shownResource: object): object {
  return { ...shownResource, supplementary_data: { related_ids: { order_id: order.id } } }
}

/** Takes money, at once or later. */
export function take(
  world: World,
  account: SimAccount,
  order: SimOrder,
  { amount, isFinal }: { amount: SimOrder['unit']['amount']; isFinal: boolean },
): void {
  const hold = reviewOf(order) ? undefined : hooksOf(order.fault).hold
  const capture: SimOrder['captures'][number] = {
    id: world.newId('C'),
    status: hold ? 'PENDING' : 'COMPLETED',
    reason: hold?.reason ?? '',
    amount,
    isFinal,
    createdAt: world.now(),
  }
  order.captures.push(capture)
  const announce = (name: string) => {
    const resource = resourceOf(order, presentCapture(world, order, capture))
    tell(world, account, { name, kind: 'capture', resource, captureId: capture.id, order })
  }
  announce(hold ? 'PAYMENT.CAPTURE.PENDING' : 'PAYMENT.CAPTURE.COMPLETED')
  if (hold)
    plan(world, hold.ms, () => {
      capture.status = hold.isAccepted ? 'COMPLETED' : 'DECLINED'
      announce(hold.isAccepted ? 'PAYMENT.CAPTURE.COMPLETED' : 'PAYMENT.CAPTURE.DENIED')
    })
  planDispute(world, account, order)
}
