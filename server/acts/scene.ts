/** What the examples of the rows are about. `testing/acts/scene.ts` makes it. */
import type { LimitWish } from '../merchants/token-limits.ts'
import type { RefundLimits } from '../storage/access/users.ts'

export type Scene = {
  /** A shop that nothing else uses. */
  merchantId: string
  /** Replaces the secret that signs the shop's events. The old one still signs for a week. */
  rotateSecret(): Promise<unknown>
  /** Pauses the shop. */
  stop(): Promise<unknown>
  /** Lets calls of the API carry an origin, whose domain was reviewed too. */
  origin(): Promise<string>
  /** Makes a public key for these origins; by default for two. Returns its id. */
  installation(origins?: string[]): Promise<string>
  /** Two limits of refunds, of which the second one is higher. */
  limits: readonly [RefundLimits, RefundLimits]
  /** Issues a token of the shop, which may do everything. Without limits it may return any amount. */
  token(limits?: LimitWish): Promise<{ tokenId: string; token: string }>
}
