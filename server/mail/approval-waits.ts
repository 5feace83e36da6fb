/** Writes to somebody who may approve that a proposal waits. The mail names the sum, the shop and the payment, and no other value of the act. */

import { reachableConsole } from '../access/address.ts'
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import { ADMIN } from '../invocation.ts'
import { translate } from '../messages/translate.ts'
import type { Approval } from '../operator/approvals/approval.ts'
import { actText } from '../pages/approvals/messages.ts'
import { numberOf } from '../pages/orders/order-rows.ts'
import { formatAmount, formatMoment, LOCALES, type Locale } from '../pages/words/locale.ts'
import type { ApprovalMail } from '../storage/mails/mail.ts'
import { htmlOf, type Letter, textOf } from './letter.ts'
import type { Message } from './smtp.ts'

type Row = [label: string, text: string]

export function writeApprovalWaits(ctx: Context, mail: ApprovalMail, approval: Approval): Message {
  const { notice } = mail
  const { proposal } = approval
  const locale = LOCALES.find((each) => each === notice.locale) ?? 'en'
  const origin = reachableConsole(ctx)
  const isTest = ctx.world === 'sandbox'
  const address = origin === null ? null : `${origin}/${ctx.world}/approvals/${proposal.id}`
  const letter: Letter = {
    locale,
    title: translate(locale, 'approvals.waitsTitle', { what: actText(locale, proposal.what) }),
    text: translate(locale, 'approvals.waitsText', { name: proposal.proposer }),
    facts: [rowsOf(ctx, locale, approval)],
    way: address === null ? null : { label: translate(locale, 'approvals.waitsOpen'), address },
    test: isTest ? translate(locale, 'notices.test') : null,
    contact: [],
    contactTitle: '',
    why: translate(locale, 'approvals.why'),
    brand: { name: 'Kassa' },
  }
  const from = ctx.config.mailFrom ?? ''
  return {
    messageId: `${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}`,
    date: mail.createdAt,
    from: { name: 'Kassa', address: from },
    to: notice.to,
    subject: `${isTest ? `[${translate(locale, 'notices.testTag')}] ` : ''}${letter.title}`,
    text: textOf(letter),
    html: htmlOf(letter),
  }
}

function rowsOf(ctx: Context, locale: Locale, { proposal, merchantName, payment }: Approval): Row[] {
  const { id, amountMinor, currency, expiresAt } = proposal
  const rows: [label: string, text: string | null][] = [
    [
      translate(locale, 'approvals.facts.amount'),
      amountMinor !== null && currency ? formatAmount(amountMinor, currency as CurrencyCode, locale) : null,
    ],
    [translate(locale, 'approvals.facts.shop'), merchantName],
    [translate(locale, 'approvals.facts.payment'), payment && numberOf({ paymentId: payment.id })],
    [
      translate(locale, 'approvals.expires'),
      formatMoment(expiresAt.toISOString(), locale, { year: true }) ?? expiresAt.toISOString(),
    ],
    [translate(locale, 'approvals.proposal'), id],
    [translate(locale, 'notices.command'), `${ADMIN} approval show --approval ${id} --${ctx.world}`],
    [translate(locale, 'notices.service'), ctx.baseUrl],
  ]
  return rows.filter((row): row is Row => row[1] !== null)
}
