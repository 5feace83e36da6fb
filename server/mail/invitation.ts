/** Writes the mail with the link with which a person sets up the sign-in. */
import type { Context } from '../context.ts'
import { translate } from '../messages/translate.ts'
import { LOCALES } from '../pages/words/locale.ts'
import type { InvitationMail } from '../storage/mails/mail.ts'
import { htmlOf, type Letter, textOf } from './letter.ts'
import type { Message } from './smtp.ts'

export function writeInvitation(ctx: Context, mail: InvitationMail, link: string): Message {
  const { notice } = mail
  const locale = LOCALES.find((each) => each === notice.locale) ?? 'en'
  const letter: Letter = {
    locale,
    title: translate(locale, 'notices.invitation.title'),
    text: translate(locale, 'notices.invitation.text'),
    facts: [[[translate(locale, 'notices.service'), ctx.baseUrl]]],
    way: { label: translate(locale, 'notices.invitation.open'), address: link },
    test: null,
    contact: [],
    contactTitle: '',
    why: translate(locale, 'notices.invitation.why'),
    brand: { name: 'Kassa' },
  }
  const from = ctx.config.mailFrom ?? ''
  return {
    messageId: `${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}`,
    date: mail.createdAt,
    from: { name: 'Kassa', address: from },
    to: notice.to,
    subject: letter.title,
    text: textOf(letter),
    html: htmlOf(letter),
  }
}
