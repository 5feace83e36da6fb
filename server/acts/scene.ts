/** What the examples of the rows are about. `testing/acts/scene.ts` makes it. */
import type { LimitChanges } from '../merchants/token-limits.ts'
import type { RefundLimits } from '../storage/access/users.ts'

export type Scene = {
  /** A shop that nothing else uses. */
  merchantId: string
  /** Replaces the secret that signs the shop's events. The old one still signs for a week. */
  rotateSecret(): Promise<unknown>
  /** A payment of 19.00 USD that a provider has taken. Returns its id. */
  paid(): Promise<string>
  /** One that a provider holds until somebody takes or releases it. */
  held(): Promise<string>
  /** A payment of 19.00 USD by transfer. `isPaid`: its money has arrived. Returns its id. */
  byHand(how?: { isPaid: boolean }): Promise<string>
  /** A refund of which nobody knows whether it was made. Returns its id. */
  undecided(): Promise<string>
  /** A payment method that a buyer of the shop has saved. Returns its id. */
  savedMethod(): Promise<string>
  /** An account of the shop's own. Returns its id. */
  account(): Promise<string>
  /** Pauses the shop. */
  stop(): Promise<unknown>
  /** Lets calls of the API carry an origin, whose domain was reviewed too. */
  origin(): Promise<string>
  /** Makes a public key for these origins; by default for two. Returns its id. */
  installation(origins?: string[]): Promise<string>
  /** Two limits of refunds, of which the second one is higher. */
  limits: readonly [RefundLimits, RefundLimits]
  /** Issues a token of the shop, which may do everything. Without limits it may return any amount. */
  token(limits?: LimitChanges): Promise<{ tokenId: string; token: string }>
}
