/**
 * How many mails an address gets, and a merchant's payments cause, within an hour. In the sandbox nobody has to pay before a mail is
 * sent, so without a limit anybody with a public key could fill a stranger's mailbox.
 */

import type { Context } from '../context.ts'
import { oldestId } from '../id.ts'
import { counted } from '../messages/counted.ts'
import { TEST_MAILS_AN_HOUR } from '../operator/orders/book.ts'
import { type BuyerMail, countMailsBefore, countMailsTo, type OwnerMail } from '../storage/mails/mails.ts'

const HOUR_MS = 3_600_000
/** With real money each mail costs a payment, and a busy shop owes all its buyers their receipts. */
export const MAILS_AN_HOUR: Record<Context['world'], { toAddress: number; ofMerchant: number }> = {
  sandbox: { toAddress: 5, ofMerchant: 100 },
  live: { toAddress: 20, ofMerchant: Number.POSITIVE_INFINITY },
}

/** Returns why the mail must not be sent now, or null. The reason names no address. */
export async function overLimit(ctx: Context, mail: BuyerMail, to: string): Promise<string | null> {
  const since = new Date(ctx.clock.now().getTime() - HOUR_MS)
  const before = await countMailsBefore(ctx.db, mail, { to, since })
  const { toAddress, ofMerchant } = MAILS_AN_HOUR[ctx.world]
  if (before.toAddress >= toAddress)
    return `The address had ${counted(toAddress, 'mail')} within the hour, which is the limit. The page of the receipt shows the same.`
  if (before.ofMerchant >= ofMerchant)
    return `Payments of this merchant caused ${counted(ofMerchant, 'mail')} within the hour, which is the limit of the sandbox. The page of the receipt shows the same.`
  return null
}

/** Whether a test mail may go to the address. Shops that name one address at the same moment do not see each other's mails. */
export async function mayTest(ctx: Context, { id, notice }: OwnerMail, to: string): Promise<boolean> {
  if (notice.to !== undefined && notice.to !== to) return false
  const since = oldestId(ctx.world, 'mal', new Date(ctx.clock.now().getTime() - HOUR_MS))
  return (await countMailsTo(ctx.db, { to, kind: 'order_test', since, before: id })) < TEST_MAILS_AN_HOUR
}
