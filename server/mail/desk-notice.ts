/** Writes what the operator is told of new cases, in the language of OPERATOR_LOCALE. */
import { reachableConsole } from '../access/address.ts'
import type { Context } from '../context.ts'
import { ADMIN } from '../invocation.ts'
import { sayDesk } from '../pages/words/desk-messages.ts'
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
  const more: Row = [sayDesk(locale, 'more'), sayDesk(locale, 'moreText', { count: String(rest) })]
  return {
    title:
      only && count === 1
        ? sayDesk(locale, `case_${only.kind}`)
        : sayDesk(locale, 'many', { count: String(count) }),
    text: sayDesk(locale, 'text'),
    // Without a console the command is the way.
    way:
      origin === null
        ? null
        : { label: sayDesk(locale, 'open'), address: `${origin}/${ctx.world}/${pathOf(cases, count)}` },
    facts: [
      ...cases.map((each) => rowsOf(each, locale)),
      [
        ...(rest > 0 ? [more] : []),
        [sayDesk(locale, 'command'), `${ADMIN} desk list --${ctx.world}`],
        [sayDesk(locale, 'service'), ctx.baseUrl],
      ],
    ],
  }
}

/** A single case is opened at once. The id of a difference says nothing without its account. */
function pathOf([only]: DeskMail['notice']['cases'], count: number): string {
  if (!only || count > 1 || only.kind === 'difference') return 'desk'
  return `desk/${only.kind}/${encodeURIComponent(only.subject)}`
}

function rowsOf(each: DeskMail['notice']['cases'][number], locale: Locale): Row[] {
  const { kind, subject, merchantName, paymentId, amountMinor, currency, since } = each
  const rows: [label: string, text: string | null | undefined][] = [
    [sayDesk(locale, 'kind'), sayDesk(locale, `case_${kind}`)],
    [sayDesk(locale, 'merchant'), merchantName],
    [
      sayDesk(locale, 'amount'),
      amountMinor !== null && currency ? formatAmount(amountMinor, currency, locale) : null,
    ],
    [sayDesk(locale, 'since'), formatMoment(since, locale, { year: true })],
    [sayDesk(locale, 'about'), subject],
    [sayDesk(locale, 'command'), paymentId && `${ADMIN} payment show --payment ${paymentId}`],
  ]
  return rows.filter((row): row is Row => !!row[1])
}
