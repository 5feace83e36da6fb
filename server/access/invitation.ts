/**
 * Sends a person the link with which the sign-in is set up.
 * Rule: the link is made when its mail is sent, because no secret is stored in a mail. A mail whose link was used, replaced or has
 * expired is not sent.
 */
import { type Context, systemClock } from '../context.ts'
import { tellOfLink } from '../notices/notify.ts'
import { replaceSignInLink } from '../storage/access/credentials.ts'
import { findUser, type UserRecord } from '../storage/access/users.ts'
import { inTransaction } from '../storage/db.ts'
import { setInvitedDigest } from '../storage/mails/invitations.ts'
import type { InvitationMail } from '../storage/mails/mail.ts'
import { reachableConsole } from './address.ts'
import { linkOf } from './link.ts'
import { digestOf, secretFrom } from './secret.ts'

/**
 * Mails the link to the person. Returns false if no mail can be sent to this address, or if it had too many within the hour: then whoever
 * has made the link passes it on. A link that is mailed must not be passed on too, because the mail has another one.
 */
export async function mailLink(ctx: Context, user: UserRecord, link: string): Promise<boolean> {
  if (!ctx.config.smtpServer || reachableConsole(ctx) === null) return false
  const digest = digestOf(link.slice(link.lastIndexOf('/') + 1)).toString('hex')
  return inTransaction(ctx.db, (tx) => tellOfLink(ctx, tx, user, digest))
}

/** Returns the link for the mail, or null if the link that it was made for is not the person's any more. */
export async function linkForMail(ctx: Context, mail: InvitationMail): Promise<string | null> {
  const token = secretFrom('')
  const digest = digestOf(token)
  return inTransaction(ctx.db, async (tx) => {
    const { userId, digest: known, to } = mail.notice
    // The address was corrected while the mail waited: a stranger may read the old one.
    if ((await findUser(tx, userId))?.email !== to) return null
    const now = systemClock.now()
    if (!(await replaceSignInLink(tx, { userId, known: Buffer.from(known, 'hex'), digest, now }))) return null
    await setInvitedDigest(tx, mail, digest.toString('hex'))
    return linkOf(ctx, token)
  })
}
