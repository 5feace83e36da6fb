/**
 * Tells the owner of a shop what somebody has changed that decides where money or news go.
 * Rule: the mail is stored in the transaction of the change, so nobody redirects anything unnoticed. It names no secret and no new address.
 */
import type { Context } from '../../context.ts'
import { newId, oldestId } from '../../id.ts'
import type { Tx } from '../../storage/db.ts'
import type { OwnerChange } from '../../storage/mails/mail.ts'
import { countChangesTold, insertNotice } from '../../storage/mails/mails.ts'
import { findOrderBook } from '../../storage/orders/books.ts'

const HOUR_MS = 3_600_000
/** Of one kind of change, so that many changes of a price hide no other change. */
const MAILS_AN_HOUR = 5
const KIND = 'address_changed'

/** `told`: who gets the mail; the shop's address for mails about orders if it is absent. */
export async function tellOwner(
  ctx: Context,
  tx: Tx,
  merchantId: string,
  change: OwnerChange,
  told?: { email: string | null; locale: string },
): Promise<void> {
  ctx.log.warn({ merchantId, change }, 'a setting has changed that its owner is told of')
  if (!ctx.config.smtpServer) return
  const { email = null, locale = 'en' } = told ?? (await findOrderBook(tx, merchantId)) ?? {}
  if (email === null) return
  const now = ctx.clock.now()
  const since = oldestId(ctx.world, 'mal', new Date(now.getTime() - HOUR_MS))
  if ((await countChangesTold(tx, { merchantId, change, since })) >= MAILS_AN_HOUR) return
  const notice = { to: email, locale, change }
  await insertNotice(tx, {
    merchantId,
    id: newId(ctx.world, 'mal', merchantId, now),
    kind: KIND,
    notice,
    createdAt: now,
  })
}
