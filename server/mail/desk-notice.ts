/** Writes what the operator is told about new cases, in the language of OPERATOR_LOCALE. */

import { reachableConsole } from '../access/address.ts'
import type { Context } from '../context.ts'
import { ADMIN } from '../invocation.ts'
import { translate } from '../messages/translate.ts'
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
  const more: Row = [
    translate(locale, 'notices.more'),
    translate(locale, 'notices.moreText', { count: rest }),
  ]
  return {
    title:
      only && count === 1
        ? translate(locale, `cases.${only.kind}`)
        : translate(locale, 'notices.many', { count }),
    text: translate(locale, 'notices.text'),
    // Without a console the command is the way.
    way:
      origin === null
        ? null
        : {
            label: translate(locale, 'notices.open'),
            address: `${origin}/${ctx.world}/${pathOf(cases, count)}`,
          },
    facts: [
      ...cases.map((each) => rowsOf(each, locale)),
      [
        ...(rest > 0 ? [more] : []),
        [translate(locale, 'notices.command'), `${ADMIN} desk list --${ctx.world}`],
        [translate(locale, 'notices.service'), ctx.baseUrl],
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
    [translate(locale, 'notices.kind'), translate(locale, `cases.${kind}`)],
    [translate(locale, 'notices.merchant'), merchantName],
    [
      translate(locale, 'notices.amount'),
      amountMinor !== null && currency ? formatAmount(amountMinor, currency, locale) : null,
    ],
    [translate(locale, 'notices.since'), formatMoment(since, locale, { year: true })],
    [translate(locale, 'notices.about'), subject],
    [translate(locale, 'notices.command'), paymentId && `${ADMIN} payment show --payment ${paymentId}`],
  ]
  return rows.filter((row): row is Row => !!row[1])
}
