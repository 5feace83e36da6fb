import type { Context } from '../../context.ts'
import { createMemoryBuckets } from '../../limits/token-bucket.ts'

/** One line an hour for each merchant, because a program sends the same address with every payment. */
const PER_MERCHANT = { perSecond: 1 / 3_600, burst: 1 }
const buckets = createMemoryBuckets()

/** The contract allows a returnUrl without https. In the live world the operator learns of it from the log. */
export function warnOfPlainReturn(
  ctx: Context,
  {
    merchantId,
    paymentId,
    returnUrl,
  }: { merchantId: string; paymentId: string; returnUrl: string | undefined },
): void {
  if (ctx.world !== 'live' || returnUrl === undefined || !/^http:/i.test(returnUrl)) return
  if (buckets.take(merchantId, PER_MERCHANT).waitMs > 0) return
  const { host } = new URL(returnUrl)
  ctx.log.warn(
    { merchantId, paymentId, host },
    'a live payment has a returnUrl without https, so others on the way can read and change the page that the buyer comes back to',
  )
}
