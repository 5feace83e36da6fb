/** Chooses the order book in place of a callback URL: because a person says so, or by itself for a new shop. */
import type { Person } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { ORDER_BOOK_URL } from '../../receivers/receiver.ts'
import { hasEvents } from '../../storage/events/due-events.ts'
import { findReceiver } from '../../storage/events/receivers.ts'
import { doOrPropose, doOrProposeWeighed } from '../approvals/approvals.ts'
import { weigh } from '../approvals/weigh.ts'

/**
 * Lets the order book get the news of a shop whose news nothing gets yet. Above a limit it waits for a second person. Its earlier sales
 * come in as done.
 * @throws AppError validation_failed if a program of the shop gets the news; not_found
 */
export async function chooseOrderBook(
  ctx: Context,
  person: Person,
  merchantId: string,
): Promise<'chosen' | 'proposed'> {
  const { callbackUrl } = await getMerchant(ctx, merchantId)
  if (callbackUrl === ORDER_BOOK_URL) return 'chosen'
  if (callbackUrl !== null)
    throw new AppError('validation_failed', {
      reason: 'callback_is_set',
      message: `Events go to ${callbackUrl}. Whoever runs the service can change that.`,
    })
  const wish = { merchantId, url: ORDER_BOOK_URL, seen: callbackUrl }
  return unlessChosen(ctx, merchantId, async () => {
    const decided = await doOrPropose(ctx, person, 'callback set', wish)
    return 'proposed' in decided ? 'proposed' : 'chosen'
  })
}

/** Somebody else may have chosen it a moment ago. */
async function unlessChosen<Result>(
  ctx: Context,
  merchantId: string,
  choose: () => Promise<Result>,
): Promise<Result | 'chosen'> {
  try {
    return await choose()
  } catch (error) {
    const isSet = error instanceof AppError && error.details.reason === 'callback_is_set'
    if (isSet && (await findReceiver(ctx.db, merchantId))?.url === ORDER_BOOK_URL) return 'chosen'
    throw error
  }
}

/**
 * The order book is on by default for a new shop: one that has no receiver and no event yet. The person has just made something in the
 * console by which it sells. Where a second person is needed, and for shops with sales, the steps to real money ask.
 * @throws AppError not_found
 */
export async function beginOrderBook(ctx: Context, person: Person, merchantId: string): Promise<void> {
  const { callbackUrl } = await getMerchant(ctx, merchantId)
  if (callbackUrl !== null || (await hasEvents(ctx.db, merchantId))) return
  const named = { name: 'callback set', args: { merchantId, url: ORDER_BOOK_URL, seen: null } } as const
  const weighed = await weigh(ctx, person, named.name, named.args)
  if (weighed.isAbove) return
  await unlessChosen(ctx, merchantId, () => doOrProposeWeighed(ctx, person, { ...named, weighed }))
}
