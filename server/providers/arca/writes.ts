/** Refunds, captures and reversals at a bank of ArCa, which knows no repetition of them: what came of one is read from the order's amounts. */
import type { MoneyWrite, ProviderOrder, Snapshot, WriteResult } from '../driver.ts'

/** What is known of the order's money before the write. */
type AmountsBefore = Pick<Snapshot, 'authorizedMinor' | 'capturedMinor' | 'refundedMinor'>
/** `amountMinor`: null for a write of everything that is held. */
export type SentWrite = { order: ProviderOrder; before: AmountsBefore; amountMinor: number | null }

export const readSentWrite = ({ reference, state, before, amountMinor }: MoneyWrite): SentWrite => ({
  order: { reference, state },
  before,
  amountMinor,
})

export const refused = (message: string): WriteResult => ({ kind: 'refused', message, refusal: 'order' })

/**
 * Code 7 says that the order is in the wrong state, or that the gateway failed at its work. So the order is asked about: if it cannot take
 * this write, and has not taken it, the bank has refused it. Otherwise nobody knows, and the amounts of later answers decide.
 */
export async function explainSystemError(
  isRefund: boolean,
  { before, amountMinor }: SentWrite,
  look: () => Promise<Snapshot | null>,
): Promise<WriteResult> {
  const unknown: WriteResult = { kind: 'unknown', message: 'the bank answered with code 7, a system error' }
  // A question that fails, whyever, says nothing about the write.
  const now = await look().catch(() => null)
  if (now === null || amountMinor === null) return unknown
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
