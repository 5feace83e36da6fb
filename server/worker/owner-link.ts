/**
 * Where a mail to the owner of a shop leads: to the order in the console, if the reader may sign in there. Otherwise to a page with a
 * secret address, which ends after a while.
 */
import { consoleOrigin } from '../access/address.ts'
import { may } from '../access/roles.ts'
import type { Context } from '../context.ts'
import { makeLink } from '../orders/link.ts'
import { findUserByEmail } from '../storage/access/users.ts'
import type { OrderLink } from '../storage/orders/links.ts'

/**
 * `orderId`: the order; null for what the mail `mailId` of `day` told of. All are null for the test whether somebody reads the
 * mails.
 */
type About = { merchantId: string; to: string } & Pick<OrderLink, 'orderId' | 'day' | 'mailId'>

export async function linkForOwner(
  ctx: Context,
  { merchantId, to, orderId, day, mailId }: About,
): Promise<{ link: string; isSecret: boolean }> {
  const isTest = orderId === null && day === null
  const origin = isTest ? null : reachableConsole(ctx)
  if (origin === null || !(await maySignIn(ctx, merchantId, to)))
    return { link: await makeLink(ctx, ctx.db, { merchantId, orderId, day, mailId }), isSecret: true }
  const shop = `${origin}/${ctx.world}/shops/${merchantId}`
  const end =
    orderId === null
      ? `orders-print?${new URLSearchParams({ day: day ?? '', mail: mailId ?? '' })}`
      : `orders/${orderId}`
  return { link: `${shop}/${end}`, isSecret: false }
}

/** Without an address of its own the console is at localhost, where only a reader on the same machine finds it. */
function reachableConsole({ config, baseUrl }: Context): string | null {
  const isHere = /^(localhost|127\.0\.0\.1)$/.test(new URL(baseUrl).hostname)
  return config.consoleBaseUrl || (isHere && config.consolePort !== 0) ? consoleOrigin(config) : null
}

async function maySignIn({ db }: Context, merchantId: string, email: string): Promise<boolean> {
  const user = await findUserByEmail(db, email)
  if (!user || !may(user, 'order list')) return false
  return user.merchantId === null || user.merchantId === merchantId
}
