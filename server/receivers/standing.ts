/** What a shop's own program reads about where its events go. */
import type { Context } from '../context.ts'
import type { CallbackStanding } from '../contract/capability.ts'
import { ORDER_BOOK_URL } from '../merchants/order-book-address.ts'
import { findLatestCallbackCheck } from '../storage/events/callback-checks.ts'
import { findLastAccepted } from '../storage/events/receivers.ts'
import { listEvidence } from '../storage/merchants/onboarding.ts'

export async function presentReceiver(
  ctx: Pick<Context, 'db' | 'world'>,
  merchantId: string,
): Promise<CallbackStanding> {
  const receiver = await findLastAccepted(ctx.db, merchantId)
  if (!receiver) return { kind: 'none', verified: false }
  const { url, acceptedAt } = receiver
  return {
    kind: url === ORDER_BOOK_URL ? 'order_book' : 'url',
    verified: await isVerified(ctx, merchantId, url),
    ...(acceptedAt && { lastAcceptedAt: acceptedAt.toISOString() }),
  }
}

/** In the live world only the evidence of the onboarding counts: a person has to have opened the order book. */
async function isVerified(
  { db, world }: Pick<Context, 'db' | 'world'>,
  merchantId: string,
  url: string,
): Promise<boolean> {
  if (world !== 'live') return (await findLatestCallbackCheck(db, merchantId, url))?.accepted ?? false
  const all = await listEvidence(db, merchantId)
  return all.some(({ step, evidence }) => step === 'callback_verified' && evidence === url)
}
