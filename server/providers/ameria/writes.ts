/**
 * Refunds, captures and cancellations.
 * Rule: the bank knows no repetition of them. So each is sent once, and the amounts of the next answer show what became of it.
 */
import { explainSystemError, readSentWrite, refused, type SentWrite } from '../arca/writes.ts'
import { decimalOf } from '../driver/decimal.ts'
import type { Driver, WriteResult } from '../driver.ts'
import { findKnown, lookUpOrder } from './checkout.ts'
import { stateOf } from './order.ts'
import { type AmeriaCall, askAmeria, CODES, expectLogin, refuseRight } from './request.ts'
import type { AmeriaSettings } from './settings.ts'

const WITHOUT_AMOUNTS = "the bank's answers do not show amounts: do it on the page of the bank"

/** The bank cancels a payment for so long after it was initialised, whenever it was paid. */
const CANCEL_MS = 72 * 3_600_000

export const writeMembers = {
  refund: (call, write) => send(call, 'RefundPayment', readSentWrite(write)),

  capture: (call, write) => send(call, 'ConfirmPayment', readSentWrite(write)),

  void: (call, write) => send(call, 'CancelPayment', { ...readSentWrite(write), amountMinor: null }),

  eligible({ now }, name, { state, snapshot, begunAt }): string | null {
    if (name !== 'void') return stateOf(state)?.hasAmounts === false ? WITHOUT_AMOUNTS : null
    if (snapshot.refundedMinor > 0) return 'a part of the payment is refunded, so it can only be refunded'
    return now().getTime() < begunAt.getTime() + CANCEL_MS
      ? null
      : 'the bank cancels a payment only within 72 hours after it was opened: refund it, or ask the bank'
  },
} satisfies Pick<Driver<AmeriaSettings>, 'refund' | 'capture' | 'void' | 'eligible'>

const REFUSED: Readonly<Record<string, string>> = {
  [CODES.noOrder]: 'the bank does not know the payment (code 06)',
  [CODES.missing]: 'the bank misses a value (code 04)',
  [CODES.wrong]: 'the bank does not accept a value (code 05)',
  [CODES.parameters]: 'the bank does not accept a value (code 510)',
  [CODES.amount]: 'the bank does not take this amount (code 50)',
}

type MoneyOperation = 'RefundPayment' | 'ConfirmPayment' | 'CancelPayment'

export async function send(
  call: AmeriaCall,
  operation: MoneyOperation,
  sent: SentWrite,
): Promise<WriteResult> {
  const { order, amountMinor } = sent
  const known = stateOf(order.state) ?? (await findKnown(call, order))
  if (known === null) return refused('the bank does not know the number of the order')
  const amount = amountMinor === null ? {} : { Amount: wholeAmount(amountMinor) }
  const { code } = await askAmeria(call, operation, { PaymentID: known.id, ...amount })
  const refusal = REFUSED[code]
  if (refusal !== undefined) return refused(refusal)
  const unknown: WriteResult = { kind: 'unknown', message: `the bank answered with code ${code}` }
  switch (code) {
    case CODES.done:
      return { kind: 'done' }
    case CODES.mayNotRefund:
    case CODES.mayNotCancel:
      return refuseRight(call, `The bank has not allowed this account to do ${operation} (code ${code}).`)
    case CODES.login:
      return refuseRight(call, `The bank accepts the login, and not for ${operation} (code 20).`)
    case CODES.overloaded:
      return explainSystemError(operation === 'RefundPayment', sent, async () => {
        const seen = await lookUpOrder(call, order, known)
        return seen?.snapshot ?? null
      })
    case CODES.system:
      // A wrong password has this code too.
      await expectLogin(call)
      return unknown
    default:
      return unknown
  }
}

function wholeAmount(amountMinor: number): string {
  if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0) throw new Error('the amount must be above zero')
  return decimalOf(amountMinor)
}
