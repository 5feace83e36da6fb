/** What the books of a simulated provider say about an order. The model reads them by itself, without any code of the service. */
import type { Door } from './door.ts'

export type Standing = {
  desk: string
  /** Whose account it is at the provider. */
  account: string
  reference: string
  amountMinor: number
  currency: string
  /** A buyer can still pay it. */
  payable: boolean
  /** The buyer has finished, and the provider is still working. */
  underWay: boolean
  heldMinor: number
  capturedMinor: number
  /** A hold that was released or has lapsed, or a payment that was taken back as a whole. */
  voided: boolean
  refunds: { amountMinor: number; state: 'done' | 'pending' | 'failed'; key: string | null }[]
  /** What buyers have won, and what they dispute now. */
  lostMinor: number
  disputedMinor: number
}

/** What people do at a provider: buyers, its staff, and the provider itself. Each returns false where nothing can be done. */
export type Desk = {
  name: string
  door: Door
  origin: string
  orders(): Promise<Standing[]>
  /** The buyer's deed on the provider's page. */
  buy(url: string, deed: Deed): Promise<boolean>
  canPay(url: string): Promise<boolean>
  /** Staff of the shop does it on the provider's own pages. */
  staff(reference: string, what: 'refund' | 'capture' | 'void', amountMinor: number): Promise<boolean>
  dispute(reference: string, what: DisputeKind, amountMinor: number): Promise<boolean>
  /** The money of a lost dispute comes back after all. */
  regain(reference: string): Promise<boolean>
  /** What becomes of the order's next refunds. */
  refundsWill(reference: string, what: RefundFault | null): Promise<boolean>
  /** The provider ends what it works on. */
  decide(accepts: boolean): Promise<boolean>
  letters(what: 'deliver' | 'lose' | 'twice' | 'backwards'): Promise<void>
  /** Does what is due. */
  work(): Promise<void>
  setUpPage(url: string, will: 'save' | 'save_then_decline' | 'save_then_hard' | 'cancel'): Promise<boolean>
  reset(): Promise<void>
}
/** `late`: declined now, and the money arrives after the payment's expiry. */
export type Deed = 'pay' | 'decline' | 'cancel' | 'approve_only' | 'under_way' | 'underpay' | 'late'
export type DisputeKind = 'won' | 'lost' | 'inquiry'
export type RefundFault = 'fails_later' | 'fails_after_success' | 'pending'

export const sumOf = (all: readonly { amountMinor: number }[]) =>
  all.reduce((sum, { amountMinor }) => sum + amountMinor, 0)

/** What is left of the money that a provider has taken: what it would give back. */
export function keptMinor({ voided, capturedMinor, refunds, lostMinor }: Standing): number {
  if (voided) return 0
  return Math.max(0, capturedMinor - sumOf(refunds.filter(({ state }) => state === 'done')) - lostMinor)
}

/** The sums and the status that a payment must have, by its order alone. */
export function expectedOf(order: Standing) {
  const { capturedMinor, heldMinor, refunds, lostMinor, disputedMinor, voided } = order
  if (voided) return { status: 'reversed', capturedMinor: 0, refundedMinor: 0 }
  const givenMinor = sumOf(refunds.filter(({ state }) => state === 'done'))
  const refundedMinor = Math.min(capturedMinor, givenMinor + lostMinor)
  if (capturedMinor === 0)
    return { status: heldMinor > 0 ? 'authorized' : null, capturedMinor, refundedMinor }
  const isLost = lostMinor >= capturedMinor
  const rest = isLost
    ? 'reversed'
    : refundedMinor === 0
      ? 'paid'
      : refundedMinor < capturedMinor
        ? 'partially_refunded'
        : 'refunded'
  const status = disputedMinor > 0 ? 'disputed' : rest
  return { status, capturedMinor, refundedMinor: isLost ? capturedMinor : refundedMinor }
}
