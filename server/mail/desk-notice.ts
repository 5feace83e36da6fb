/** Writes what the operator is told of new cases, in the language of OPERATOR_LOCALE. */

import { reachableConsole } from '../access/address.ts'
import type { Context } from '../context.ts'
import { ADMIN } from '../invocation.ts'
import { say } from '../messages/say.ts'
import { formatAmount, formatMoment, type Locale } from '../pages/words/locale.ts'
import type { DeskMail } from '../storage/mails/mail.ts'
import type { Letter } from './letter.ts'

type Row = [label: string, text: string]

export function deskContent(
  ctx: Context,
  { cases, count }: DeskMail['notice'],
): Pick<Letter, 'title' | 'text' | 'facts' | 'way'> {
  const locale = ctx.config.operatorLocale
  const origin = reachableConsole(ctx)
  const [only] = cases
  const rest = count - cases.length
  const more: Row = [say(locale, 'notices.more'), say(locale, 'notices.moreText', { count: rest })]
  return {
    title: only && count === 1 ? say(locale, `cases.${only.kind}`) : say(locale, 'notices.many', { count }),
    text: say(locale, 'notices.text'),
    // Without a console the command is the way.
    way:
      origin === null
        ? null
        : { label: say(locale, 'notices.open'), address: `${origin}/${ctx.world}/${pathOf(cases, count)}` },
    facts: [
      ...cases.map((each) => rowsOf(each, locale)),
      [
        ...(rest > 0 ? [more] : []),
        [say(locale, 'notices.command'), `${ADMIN} desk list --${ctx.world}`],
        [say(locale, 'notices.service'), ctx.baseUrl],
      ],
    ],
  }
}

/** With a single case the link opens it at once. The address of a difference needs its account too. */
function pathOf([only]: DeskMail['notice']['cases'], count: number): string {
  if (!only || count > 1 || only.kind === 'difference') return 'desk'
  return `desk/${only.kind}/${encodeURIComponent(only.subject)}`
}

function rowsOf(each: DeskMail['notice']['cases'][number], locale: Locale): Row[] {
  const { kind, subject, merchantName, paymentId, amountMinor, currency, since } = each
  const rows: [label: string, text: string | null | undefined][] = [
    [say(locale, 'notices.kind'), say(locale, `cases.${kind}`)],
    [say(locale, 'notices.merchant'), merchantName],
    [
      say(locale, 'notices.amount'),
      amountMinor !== null && currency ? formatAmount(amountMinor, currency, locale) : null,
    ],
    [say(locale, 'notices.since'), formatMoment(since, locale, { year: true })],
    [say(locale, 'notices.about'), subject],
    [say(locale, 'notices.command'), paymentId && `${ADMIN} payment show --payment ${paymentId}`],
  ]
  return rows.filter((row): row is Row => !!row[1])
}
