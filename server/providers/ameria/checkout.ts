/** Asks about payments. */
import { SESSION_MS } from '../arca/order.ts'
import { snapshotOf } from '../arca/snapshot.ts'
import type { OrderQuestion } from '../driver/order.ts'
import { NotOursError, UnreadableError } from '../driver/refusal.ts'
import type { Driver, LookUpAnswer, Opened, ProviderOrder, StartResult } from '../driver.ts'
import { initialise, pageOf } from './opening.ts'
import { type OrderState, stateOf } from './order.ts'
import { type AmeriaCall, askAmeria, CODES, LoginRefusedError } from './request.ts'
import type { AmeriaSettings } from './settings.ts'
import { bankOrderOf, timeIn } from './snapshot.ts'
import { Details, NamedPayment } from './wire.ts'

const SECOND_MS = 1_000
const MINUTE_SECONDS = 60
/** The bank may end a page a little later. */
const PAGE_MARGIN_MS = 5 * 60_000
/** How far the clock of the bank may be from ours. */
const CLOCKS_MS = 3_600_000

/** Returns the bank's id of an order number; null if the bank has none. @throws AccountRefusedError if it refuses the login */
export async function findId(call: AmeriaCall, reference: string): Promise<string | null> {
  if (!/^\d{1,10}$/.test(reference)) return null
  const { code, body } = await askAmeria(call, 'GetPaymentId', { OrderID: Number(reference) })
  if (code === CODES.login) throw new LoginRefusedError()
  if (code === CODES.noOrder) return null
  if (code !== CODES.done) throw new Error(`the bank answered with code ${code}`)
  return NamedPayment.parse(body).PaymentId
}

/**
 * Returns what the bank reports about a payment; null if it says nothing. So it does while nobody has tried to pay, after a wrong password, and
 * when it fails.
 */
async function readDetails(call: AmeriaCall, id: string): Promise<Details | null> {
  const { code, body } = await askAmeria(call, 'GetPaymentDetails', { PaymentID: id })
  if (code === CODES.fault) return null
  const isShown = body.OrderStatus !== '' && body.OrderStatus !== undefined && body.OrderStatus !== null
  if (code === CODES.system && !isShown) return null
  if (code === CODES.login) throw new LoginRefusedError()
  return Details.parse(body)
}

/** @throws UnreadableError for an answer about another payment; NotOursError for one that has this number, or is older than the order */
function expectOurs(
  { OrderID: number, Opaque: opaque, DateTime: at }: Details,
  { reference, opened, paymentReference }: OrderQuestion,
  known: OrderState | null,
): void {
  if (number !== reference) throw new UnreadableError('the bank answered about another order')
  const sent = known?.opaque ?? paymentReference
  if (opaque !== undefined && sent !== undefined && opaque !== sent)
    throw new NotOursError('the bank has this order number for another payment')
  const paidAt = timeIn(at)
  if (paidAt && opened && paidAt.getTime() < opened.after.getTime() - CLOCKS_MS)
    throw new NotOursError('the bank has this order number for a payment that is older than the order')
}

/** Returns what is stored of the order from now on. */
function stateAfter(details: Details, known: OrderState): OrderState {
  const {
    ApprovedAmount: approved,
    DepositedAmount: deposited,
    RefundedAmount: refunded,
    OrderStatus: status,
  } = details
  const isPaid = [1, 2, 4].includes(status)
  // The bank may leave out what is zero.
  const hasAmounts = (approved ?? deposited ?? refunded) !== undefined
  return {
    ...known,
    isTried: true,
    ...(status === HELD && { steps: 'two' as const }),
    ...(isPaid && { hasAmounts }),
    ...(!refunded && deposited && { capturedMinor: deposited }),
  }
}
/** Only an account in two steps holds money. */
const HELD = 1

/** Returns how a payment stands, with all that the driver knows of it. Null: nobody has tried to pay, or the bank does not say. */
export async function lookUpOrder(call: AmeriaCall, order: OrderQuestion, known: OrderState) {
  const details = await readDetails(call, known.id)
  if (details === null) return null
  expectOurs(details, order, known)
  const state = stateAfter(details, known)
  // ArCa's gateway ends an order for good when it is declined.
  const snapshot = snapshotOf(bankOrderOf(details), { ...known, steps: state.steps, isFinal: true })
  return { details, state, snapshot: { ...snapshot, providerTransactionId: known.id } }
}

export const checkoutMembers = {
  async startCheckout(call, attempt): Promise<StartResult> {
    const left = Math.ceil((attempt.expiresAt.getTime() - call.now().getTime()) / SECOND_MS)
    const seconds = Math.min(call.settings.SESSION_SECONDS, Math.max(left, MINUTE_SECONDS))
    return initialise(call, attempt, { seconds })
  },

  async lookUp(call, order): Promise<LookUpAnswer> {
    const stored = stateOf(order.state)
    const known = stored ?? (await findKnown(call, order))
    if (known === null) return { kind: 'not_found' }
    const seen = await lookUpOrder(call, order, known)
    if (seen === null) return askUnopened(call, order, known, stored !== null)
    const { state, snapshot } = seen
    const isNew = JSON.stringify(state) !== JSON.stringify(order.state)
    const opened = openedBy(call, known, snapshot.order)
    return { kind: 'found', snapshot, ...(opened && { opened }), ...(isNew && { state }) }
  },
} satisfies Pick<Driver<AmeriaSettings>, 'startCheckout' | 'lookUp'>

/** What is known of an order whose opening brought no answer. It was opened before now, so its page ends within the longest time. */
export async function findKnown(
  call: AmeriaCall,
  { reference, paymentReference, opened }: OrderQuestion,
): Promise<OrderState | null> {
  const id = await findId(call, reference)
  if (id === null) return null
  const openedAt = opened?.before ?? call.now()
  const until = new Date(openedAt.getTime() + SESSION_MS).toISOString()
  return { id, until, ...(paymentReference !== undefined && { opaque: paymentReference }) }
}

/**
 * The bank does not show an order that nobody has tried to pay. It does not show anything to a wrong login either, so it is asked by number.
 * Whether it has the number matters only for an order that it has shown before.
 */
export async function askUnopened(
  call: AmeriaCall,
  { reference }: ProviderOrder,
  known: OrderState,
  isStored: boolean,
): Promise<LookUpAnswer> {
  const id = isStored ? await findId(call, reference) : known.id
  if (id !== null && id !== known.id)
    throw new UnreadableError('the bank has this order number for another payment')
  if (known.isTried && id === null)
    return { kind: 'unavailable', message: 'the bank does not know the number of the order', isLost: true }
  if (known.isTried) throw new Error('the bank does not show a payment that it has shown before')
  const until =
    known.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(known.until) + PAGE_MARGIN_MS
  const isOver = call.now().getTime() >= until
  const opened = isOver ? null : openedBy(call, known, 'waiting')
  return {
    kind: 'unpaid',
    order: isOver ? 'expired' : 'waiting',
    state: known,
    ...(opened && { opened }),
  }
}

/** The address of the page follows from the payment's id, so no buyer loses it with an answer. A charge has none. */
function openedBy({ settings, now }: AmeriaCall, known: OrderState, order: string): Opened | null {
  const { id, isCharge, until } = known
  if (isCharge || !PAYABLE.includes(order)) return null
  const expiresAt = until === undefined ? new Date(now().getTime() + SESSION_MS) : new Date(until)
  return { kind: 'redirect', url: pageOf(settings, id, null), state: known, expiresAt }
}

const PAYABLE = ['waiting', 'reached']
