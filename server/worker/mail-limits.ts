/**
 * How many mails an address gets, and a merchant's payments cause, within an hour. In the sandbox nobody has to pay before a mail is
 * sent, so without a limit anybody with a public key could fill a stranger's mailbox.
 */
import type { Context } from '../context.ts'
import { type BuyerMail, countMailsBefore } from '../storage/mails/mails.ts'

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
    return `The address had ${toAddress} mails within the hour, which is the limit. The page of the receipt shows the same.`
  if (before.ofMerchant >= ofMerchant)
    return `Payments of this merchant caused ${ofMerchant} mails within the hour, which is the limit of the sandbox. The page of the receipt shows the same.`
  return null
}
