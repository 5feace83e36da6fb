/**
 * Refunds, captures and reversals.
 * Rule: the bank knows no repetition of them, unless it takes an id with each refund. So each is sent once, and the amounts of the next
 * answer show what became of it.
 */
import { snapshotOf } from '../arca/snapshot.ts'
import { explainSystemError, readSentWrite, refused, type SentWrite } from '../arca/writes.ts'
import { type IdForm, requestIdOf } from '../driver/request-id.ts'
import type { Driver, MoneyWrite, WriteResult } from '../driver.ts'
import { idOf, knownOf, readOrder } from './checkout.ts'
import { stateOf } from './order.ts'
import { askRbs, CODES, expectLogin, type RbsCall } from './request.ts'
import type { RbsSettings } from './settings.ts'

/** The bank refuses to refund or capture less than one unit of the currency, and says the same of a failure of its own. */
const LEAST_MINOR = 100
/** `externalRefundId` takes 32 characters. */
const REFUND_ID: IdForm = { separator: '-', max: 32, marks: [] }

export const writeMembers = {
  refund: (call, write) => sendRefund(call, write, readSentWrite(write)),

  capture: (call, write) => send(call, 'deposit.do', readSentWrite(write)),

  void: (call, write) => send(call, 'reverse.do', { ...readSentWrite(write), amountMinor: null }),

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

function dayOf({ settings }: RbsCall, at: Date): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: settings.TIME_ZONE }).format(at)
}

export function sendRefund(
  call: RbsCall,
  named: Pick<MoneyWrite, 'key' | 'refusedTimes'>,
  sent: SentWrite,
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
  sent: SentWrite,
  extra: Record<string, string> = {},
): Promise<WriteResult> {
  const { order, amountMinor } = sent
  if (amountMinor !== null && amountMinor > 0 && amountMinor < LEAST_MINOR)
    return refused('the bank refunds and captures at least one whole unit of the currency')
  const id = stateOf(order.state)?.id ?? (await idOf(call, order.reference))
  if (id === null) return refused('the bank has not told its id of the order: do it on the page of the bank')
  const amount: Record<string, string> = amountMinor === null ? {} : { amount: wholeAmount(amountMinor) }
  const { code } = await askRbs(call, method, { orderId: id, ...amount, ...extra })
  if (code === CODES.done) return { kind: 'done' }
  if (code === CODES.noOrder) return refused('the bank does not know the order (code 6)')
  if (code === CODES.denied) {
    await expectLogin(call)
    return refused(
      'the bank accepts the login and refuses this (code 5): the bank that issued the card declined it, or the login lacks the right',
    )
  }
  if (code !== CODES.system) return { kind: 'unknown', message: `the bank answered with code ${code}` }
  return explainSystemError(method === 'refund.do', sent, async () => {
    const answer = await readOrder(call, order)
    return answer && snapshotOf(answer, knownOf(call, order))
  })
}

/** Zero would mean everything. */
function wholeAmount(amountMinor: number): string {
  if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0) throw new Error('the amount must be above zero')
  return String(amountMinor)
}
