/** Registers an order, asks about it, and ends one that nobody has paid. */
import { CURRENCIES, descriptionOf, SESSION_MS, SESSION_SECONDS_MAX } from '../arca/order.ts'
import { snapshotOf } from '../arca/snapshot.ts'
import { UnreadableError } from '../driver/refusal.ts'
import type {
  CheckoutRequest,
  Driver,
  LookUpResult,
  ProviderOrder,
  StartResult,
  WriteResult,
} from '../driver.ts'
import { type OrderState, stateOf } from './order.ts'
import { askRbs, CODES, expectLogin, LoginRefusedError, type Method, type RbsCall } from './request.ts'
import { pageOfBank, type RbsSettings } from './settings.ts'
import { OrderStatus, Registered } from './wire.ts'

const SECOND_MS = 1_000
const MINUTE_SECONDS = 60

export type Ordered = Pick<
  CheckoutRequest,
  'reference' | 'orderReference' | 'description' | 'amountMinor' | 'currency' | 'returnUrl'
> &
  Partial<Pick<CheckoutRequest, 'expiresAt' | 'language'>>

/** What came of a registration. `used`: there is an order with this number already. */
export type Registration =
  | { kind: 'registered'; state: OrderState; url: string; until: Date }
  | { kind: 'used' }
  | Extract<StartResult, { kind: 'refused' | 'unknown' }>

/**
 * `clientId`: the bank keeps the card for this client. `isCharge`: the order is charged next, so the registration alone moves nothing.
 * @throws AccountRefusedError if the bank refuses the login
 */
export async function register(
  call: RbsCall,
  steps: 'one' | 'two',
  attempt: Ordered,
  { clientId, isCharge = false }: { clientId?: string; isCharge?: boolean } = {},
): Promise<Registration> {
  const method: Method = steps === 'two' ? 'registerPreAuth.do' : 'register.do'
  const seconds = sessionSeconds(call, attempt)
  const until = new Date(call.now().getTime() + seconds * SECOND_MS)
  const fields = { ...orderOf(attempt, seconds), ...(clientId !== undefined && { clientId }) }
  const { code, body } = await askRbs(call, method, fields, { movesNoMoney: isCharge })
  if (code === CODES.numberUsed) return { kind: 'used' }
  if (code !== CODES.done) return refusedWith(call, code)
  const { orderId: id, formUrl: url } = Registered.parse(body)
  const state: OrderState = { id, steps, until: until.toISOString() }
  // Nobody is sent to the page of a charge.
  const page = isCharge ? url : pageOfBank(call.settings, url)
  return page === null ? FOREIGN_PAGE : { kind: 'registered', state, url: page, until }
}

/** Nobody is sent to the page, so nobody can pay the order. It is so for every order until the setting is right. */
const FOREIGN_PAGE: Registration = {
  kind: 'refused',
  message:
    'The page of the bank is on another host than ADDRESS of the account: correct ADDRESS, or ask the bank which of the two is right.',
  refusal: 'account',
}

function orderOf(attempt: Ordered, seconds: number): Record<string, string> {
  const { reference, amountMinor, currency, returnUrl, language } = attempt
  return {
    orderNumber: reference,
    amount: String(amountMinor),
    // Without it the order would be in roubles.
    currency: CURRENCIES[currency],
    returnUrl,
    description: descriptionOf(attempt),
    sessionTimeoutSecs: String(seconds),
    ...(language && { language }),
  }
}

/** An order does not outlive its payment, nor the longest session. */
function sessionSeconds({ settings, now }: RbsCall, { expiresAt }: Ordered): number {
  const left = expiresAt
    ? Math.ceil((expiresAt.getTime() - now().getTime()) / SECOND_MS)
    : SESSION_SECONDS_MAX
  return Math.min(settings.SESSION_SECONDS, Math.max(left, MINUTE_SECONDS))
}

/** A wrong value, a missing right and an amount beyond the bank's limits have one code. So only this order is refused. */
async function refusedWith(call: RbsCall, code: number): Promise<Registration> {
  const refused = (message: string): Registration => ({ kind: 'refused', message, refusal: 'request' })
  if (code === CODES.currency) return refused('the bank does not take this currency with this login (code 3)')
  if (code === CODES.missing) return refused('the bank misses a value of the order (code 4)')
  if (code !== CODES.denied) return { kind: 'unknown', message: `the bank answered with code ${code}` }
  await expectLogin(call)
  return refused(
    'the bank accepts the login and refuses the order (code 5): the amount is outside its limits, or the login lacks the right to register orders',
  )
}

/** Returns the answer about an order; null if the bank knows none. @throws AccountRefusedError if it refuses the login */
export async function readOrder(
  call: RbsCall,
  { reference, state }: Pick<ProviderOrder, 'reference' | 'state'>,
): Promise<OrderStatus | null> {
  const { id, number = reference } = stateOf(state) ?? {}
  const about: Record<string, string> = id === undefined ? { orderNumber: reference } : { orderId: id }
  const { code, body } = await askRbs(call, 'getOrderStatusExtended.do', about)
  if (code === CODES.noOrder) return null
  if (code === CODES.denied) throw new LoginRefusedError()
  // Code 2 says that the order was declined for its card's data.
  if (code !== CODES.done && code !== CODES.notFound) throw new Error(`the bank answered with code ${code}`)
  const answer = OrderStatus.parse(body)
  if (answer.orderNumber !== number) throw new UnreadableError('the bank answered about another order')
  return answer
}

/** Returns what is stored of the order from now on; null while the bank has not told its id. */
export function stateAfter(answer: OrderStatus, known: Partial<OrderState> | null): OrderState | null {
  const named = answer.attributes?.find(({ name }) => name === 'mdOrder')?.value
  const id = known?.id ?? named
  if (id === undefined) return null
  const info = answer.paymentAmountInfo
  const isPaid = [1, 2, 4].includes(answer.orderStatus)
  const taken = info?.refundedAmount ? undefined : info?.depositedAmount
  return {
    ...known,
    id,
    ...(answer.orderStatus === HELD && { steps: 'two' as const }),
    ...(isPaid && { hasAmounts: info !== undefined }),
    ...(taken && { capturedMinor: taken }),
  }
}

/** Only an order in two steps holds money. */
const HELD = 1

/** How an answer about the order is read. The settings may have changed since an order whose state was lost. */
export function knownOf(call: RbsCall, { state, opened }: Omit<ProviderOrder, 'reference'>) {
  const known = stateOf(state)
  // Of an order whose registration brought no answer nobody has the page, so that nobody can pay it later.
  const until = known?.until ? Date.parse(known.until) : (opened?.after.getTime() ?? 0) + SESSION_MS
  return {
    ...(known?.steps !== undefined && { steps: known.steps }),
    ...(known?.capturedMinor !== undefined && { capturedMinor: known.capturedMinor }),
    ...(known?.isCharge && { isCharge: true as const }),
    isFinal: call.settings.GATEWAY === 'arca' || known?.isCharge === true || call.now().getTime() >= until,
  }
}

export const checkoutMembers = {
  async startCheckout(call, attempt): Promise<StartResult> {
    const registered = await register(call, call.settings.STEPS, attempt)
    if (registered.kind === 'used')
      return { kind: 'unknown', message: 'the bank has an order with this number' }
    if (registered.kind !== 'registered') return registered
    const { url, state, until } = registered
    return { kind: 'redirect', url, state, expiresAt: until }
  },

  async lookUp(call, order): Promise<LookUpResult> {
    const known = stateOf(order.state)
    const answer = await readOrder(call, order)
    if (answer === null && known === null) return { kind: 'not_found' }
    if (answer === null)
      return { kind: 'unavailable', message: 'the bank does not know its own id of the order', isLost: true }
    const snapshot = snapshotOf(answer, knownOf(call, order))
    const now = stateAfter(answer, known)
    return {
      kind: 'found',
      // An order that took the place of another one has a number of its own at the bank.
      snapshot: { ...snapshot, reference: order.reference, ...(now && { providerTransactionId: now.id }) },
      ...(now && JSON.stringify(now) !== JSON.stringify(known) && { state: now }),
    }
  },

  async withdraw(call, { reference, state }): Promise<WriteResult> {
    if (call.settings.WITHDRAW !== 'enabled')
      return order('the bank has no way to end an order before its time')
    const id = stateOf(state)?.id ?? (await idOf(call, reference))
    if (id === null) return order('the bank has not told its id of the order')
    const { code } = await askRbs(call, 'decline.do', { orderId: id, orderNumber: reference })
    if (code === CODES.done) return { kind: 'done' }
    if (code === CODES.denied) await expectLogin(call)
    const answer = await readOrder(call, { reference, state })
    if (answer?.orderStatus === DECLINED) return { kind: 'done' }
    return order(`the bank does not end the order (code ${code})`)
  },
} satisfies Pick<Driver<RbsSettings>, 'startCheckout' | 'lookUp' | 'withdraw'>

const DECLINED = 6
const order = (message: string): WriteResult => ({ kind: 'refused', message, refusal: 'order' })

/** Returns the bank's id of an order whose registration brought no answer. */
export async function idOf(call: RbsCall, reference: string): Promise<string | null> {
  const answer = await readOrder(call, { reference, state: null })
  return answer && (stateAfter(answer, null)?.id ?? null)
}
