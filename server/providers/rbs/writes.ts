/**
 * Refunds, captures and reversals.
 * Rule: the bank knows no repetition of them, unless it takes an id with each refund. So each is sent once, and the amounts of the next
 * answer show what became of it.
 */
import { type IdForm, requestIdOf } from '../driver/request-id.ts'
import type { Driver, MoneyWrite, ProviderOrder, Snapshot, WriteResult } from '../driver.ts'
import { idOf, knownOf, readOrder } from './checkout.ts'
import { stateOf } from './order.ts'
import { ask, CODES, expectLogin, type RbsCall } from './request.ts'
import type { RbsSettings } from './settings.ts'
import { snapshotOf } from './snapshot.ts'

/** The bank refuses to refund or capture less than one unit of the currency, and says the same of a failure of its own. */
const LEAST_MINOR = 100
/** `externalRefundId` takes 32 characters. */
const REFUND_ID: IdForm = { separator: '-', max: 32, marks: [] }

export const writeMembers = {
  refund: (call, write) => sendRefund(call, write, sentOf(write)),

  capture: (call, write) => send(call, 'deposit.do', sentOf(write)),

  void: (call, write) => send(call, 'reverse.do', { ...sentOf(write), amountMinor: null }),

  eligible(call, name, { state, snapshot }): string | null {
    const known = stateOf(state)
    const { capturedMinor, refundedMinor, heldAt, capturedAt } = snapshot
    if (name !== 'void') return known?.hasAmounts === false ? WITHOUT_AMOUNTS : null
    if (refundedMinor > 0) return 'a part of the payment is refunded, so it can only be refunded'
    if (capturedMinor > 0 && (call.settings.REVERSE_PAID !== 'enabled' || known?.steps !== 'one'))
      return 'the bank has taken the money already, so it can only be refunded'
    const at = heldAt ?? capturedAt
    if (at === undefined || call.settings.GATEWAY !== 'arca') return null
    return dayOf(call, new Date(at)) === dayOf(call, call.now())
      ? null
      : 'the bank releases a payment only until the end of its day: ask the bank to release it'
  },
} satisfies Pick<Driver<RbsSettings>, 'refund' | 'capture' | 'void' | 'eligible'>

const WITHOUT_AMOUNTS =
  "the bank's answers do not show amounts: ask it for version 03 of getOrderStatusExtended, or do it on the page of the bank"

const sentOf = ({ reference, state, before, amountMinor }: MoneyWrite): Sent => ({
  order: { reference, state },
  before,
  amountMinor,
})

function dayOf({ settings }: RbsCall, at: Date): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: settings.TIME_ZONE }).format(at)
}

/** What is known of the order's money before the write. */
type Before = Pick<Snapshot, 'authorizedMinor' | 'capturedMinor' | 'refundedMinor'>
/** `amountMinor`: null for a write of everything that is held. */
type Sent = { order: ProviderOrder; before: Before; amountMinor: number | null }

export function sendRefund(
  call: RbsCall,
  named: Pick<MoneyWrite, 'key' | 'refusedTimes'>,
  sent: Sent,
): Promise<WriteResult> {
  const isNamed = call.settings.REFUND_IDS === 'enabled'
  return send(call, 'refund.do', sent, isNamed ? { externalRefundId: refundIdOf(named) } : {})
}

/** A repetition has the same id. After a refusal the bank has done nothing, and could repeat it for the same id. */
function refundIdOf({ key, refusedTimes = 0 }: Pick<MoneyWrite, 'key' | 'refusedTimes'>): string {
  return requestIdOf([key.replaceAll('-', '')], refusedTimes > 0 ? [String(refusedTimes)] : [], REFUND_ID)
}

export async function send(
  call: RbsCall,
  method: 'deposit.do' | 'reverse.do' | 'refund.do',
  sent: Sent,
  extra: Record<string, string> = {},
): Promise<WriteResult> {
  const { order, amountMinor } = sent
  if (amountMinor !== null && amountMinor > 0 && amountMinor < LEAST_MINOR)
    return refused('the bank refunds and captures at least one whole unit of the currency')
  const id = stateOf(order.state)?.id ?? (await idOf(call, order.reference))
  if (id === null) return refused('the bank has not told its id of the order: do it on the page of the bank')
  const amount: Record<string, string> = amountMinor === null ? {} : { amount: wholeAmount(amountMinor) }
  const { code } = await ask(call, method, { orderId: id, ...amount, ...extra })
  if (code === CODES.done) return { kind: 'done' }
  if (code === CODES.noOrder) return refused('the bank does not know the order (code 6)')
  if (code === CODES.denied) {
    await expectLogin(call)
    return refused(
      'the bank accepts the login and refuses this (code 5): the bank that issued the card declined it, or the login lacks the right',
    )
  }
  if (code !== CODES.system) return { kind: 'unknown', message: `the bank answered with code ${code}` }
  return explainSystemError(call, method, sent)
}

/** Zero would mean everything. */
function wholeAmount(amountMinor: number): string {
  if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0) throw new Error('the amount must be above zero')
  return String(amountMinor)
}

const refused = (message: string): WriteResult => ({ kind: 'refused', message, refusal: 'order' })

/**
 * Code 7 says that the order is in the wrong state, or that the gateway failed at its work. So the order is asked about: if it cannot take
 * this write, and has not taken it, the bank has refused it. Otherwise nobody knows, and the amounts of later answers decide.
 */
async function explainSystemError(
  call: RbsCall,
  method: 'deposit.do' | 'reverse.do' | 'refund.do',
  { order, before, amountMinor }: Sent,
): Promise<WriteResult> {
  const unknown: WriteResult = { kind: 'unknown', message: 'the bank answered with code 7, a system error' }
  // A question that fails, whyever, says nothing about the write.
  const answer = await readOrder(call, order).catch(() => null)
  if (answer === null || amountMinor === null) return unknown
  const now = snapshotOf(answer, knownOf(call, order))
  const isRefund = method === 'refund.do'
  const sum = isRefund ? 'refundedMinor' : 'capturedMinor'
  const leftMinor = isRefund
    ? now.capturedMinor - now.refundedMinor
    : now.capturedMinor === 0
      ? now.authorizedMinor
      : 0
  const mayBeOurs = now[sum] - before[sum] >= amountMinor
  if (mayBeOurs || amountMinor <= leftMinor) return unknown
  return refused(`the bank does not do this: the order has ${leftMinor} minor units for it (code 7)`)
}
