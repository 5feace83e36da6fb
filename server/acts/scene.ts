/** What the examples of the rows are about. `testing/acts/scene.ts` makes it. */
import type { LimitWish } from '../merchants/token-limits.ts'
import type { RefundLimits } from '../storage/access/users.ts'

export type Scene = {
  /** A shop that nothing else uses. */
  merchantId: string
  /** Two limits of refunds, of which the second one is higher. */
  limits: readonly [RefundLimits, RefundLimits]
  /** Issues a token of the shop, which may do everything. Without limits it may return any amount. */
  token(limits?: LimitWish): Promise<{ tokenId: string; token: string }>
}
