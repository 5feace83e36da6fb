/**
 * Where a mail to the owner of a shop leads: to the order in the console, if the reader may sign in there. Otherwise to a page with a
 * secret address, which ends after a while.
 */
import { reachableConsole } from '../access/address.ts'
import { may } from '../acts/policy.ts'
import type { Context } from '../context.ts'
import { makeLink } from '../orders/link.ts'
import { canSignIn } from '../storage/access/credentials.ts'
import { findUserByEmail } from '../storage/access/users.ts'
import type { OrderLink } from '../storage/orders/links.ts'

/**
 * `orderId`: the order; null for what the mail `mailId` of `day` told of. All are null for the test whether somebody reads the
 * mails.
 */
type LinkSubject = { merchantId: string; to: string } & Pick<OrderLink, 'orderId' | 'day' | 'mailId'>

export async function linkForOwner(
  ctx: Context,
  { merchantId, to, orderId, day, mailId }: LinkSubject,
): Promise<{ link: string; isSecret: boolean }> {
  const isTest = orderId === null && day === null
  const origin = isTest ? null : reachableConsole(ctx)
  if (origin === null || !(await maySignIn(ctx, { merchantId, to, origin })))
    return { link: await makeLink(ctx, ctx.db, { merchantId, orderId, day, mailId }), isSecret: true }
  const shop = `${origin}/${ctx.world}/shops/${merchantId}`
  const end =
    orderId === null
      ? `orders-print?${new URLSearchParams({ day: day ?? '', mail: mailId ?? '' })}`
      : `orders/${orderId}`
  return { link: `${shop}/${end}`, isSecret: false }
}

/** Who has neither a password nor a passkey there would stand before a closed door. */
async function maySignIn(
  { db }: Context,
  { merchantId, to, origin }: { merchantId: string; to: string; origin: string },
): Promise<boolean> {
  const user = await findUserByEmail(db, to)
  if (!user || !may(user, 'order list')) return false
  const isOwn = user.merchantId === null || user.merchantId === merchantId
  return isOwn && (await canSignIn(db, user.id, new URL(origin).hostname))
}
