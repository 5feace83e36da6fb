/** What a bank of ArCa reports about an order that saves a card, or that charges one. */
import type { ChargeResult, SavingMoney, Snapshot } from '../driver.ts'

const ENDED: readonly Snapshot['order'][] = ['declined', 'cancelled', 'expired']
export const isEnded = (order: Snapshot['order']): boolean => ENDED.includes(order)

/** The status of a saving whose order has brought no money. */
export function statusOfSaving({ order }: Pick<Snapshot, 'order'>): 'pending' | 'cancelled' | 'expired' {
  if (order === 'expired') return order
  return isEnded(order) ? 'cancelled' : 'pending'
}

/** Returns null for an order that never had money. */
export function moneyOf({ order, currency, ...sums }: Snapshot, reference: string): SavingMoney | null {
  const { authorizedMinor, capturedMinor: takenMinor, refundedMinor: returnedMinor } = sums
  if (order !== 'voided' && authorizedMinor === 0) return null
  const heldMinor = takenMinor === 0 ? authorizedMinor : 0
  return { reference, currency, heldMinor, takenMinor, returnedMinor }
}

/** The money of a saving in the words of an order, before it goes back. */
export function beforeReturn({
  heldMinor,
  takenMinor: capturedMinor,
  returnedMinor: refundedMinor,
}: SavingMoney) {
  return { authorizedMinor: heldMinor + capturedMinor, capturedMinor, refundedMinor }
}

/** Returns what the order says about its charge; null while it says nothing yet. */
export function outcomeOfCharge(snapshot: Snapshot, state: unknown): ChargeResult | null {
  if (snapshot.capturedMinor > 0) return { kind: 'done', state }
  if (!isEnded(snapshot.order)) return null
  const { detail: message = 'the bank declined the charge', decline = 'soft' } = snapshot
  return { kind: 'refused', message, decline, state }
}
