/** Writes what the operator is told of new cases. Operators read English. */
import { consoleOrigin } from '../access/address.ts'
import type { Context } from '../context.ts'
import { ADMIN } from '../invocation.ts'
import { formatAmount, formatMoment } from '../pages/words/locale.ts'
import type { DeskMail } from '../storage/mails/mail.ts'
import type { Letter } from './letter.ts'

type Row = [label: string, text: string]

const KINDS: Record<DeskMail['notice']['cases'][number]['kind'], string> = {
  undecided: 'Nobody knows whether this payment was paid',
  disputed: 'The buyer disputes this payment',
  operation: 'A refund, capture or void needs a decision',
  receipt: 'A fiscal receipt could not be printed',
  warning: 'A payment has a warning',
  difference: 'A statement differs from the books',
  callback_paused: 'A callback URL has failed for days',
  events_given_up: 'Events were given up',
  account: 'A provider account is not well',
  approval: 'Something waits for a second person',
  restore: 'Refunds and renewals wait after a restore',
}

export function deskContent(
  ctx: Context,
  { cases, count }: DeskMail['notice'],
): Pick<Letter, 'title' | 'text' | 'facts' | 'way'> {
  const origin = consoleOrigin(ctx.config)
  const [only] = cases
  const rest = count - cases.length
  return {
    title: only && count === 1 ? KINDS[only.kind] : `${count} new cases wait for a person`,
    text: 'The service cannot decide this by itself. The desk shows both sides of each case.',
    // Without a console the command is the way.
    way:
      origin === null
        ? null
        : { label: 'Open the desk', address: `${origin}/${ctx.world}/${pathOf(cases, count)}` },
    facts: [
      ...cases.map(rowsOf),
      [
        ...(rest > 0 ? [['More', `${rest} cases are not listed here`] as Row] : []),
        ['Command', `${ADMIN} desk list --${ctx.world}`],
        ['Service', ctx.baseUrl],
      ],
    ],
  }
}

/** A single case is opened at once. The id of a difference says nothing without its account. */
function pathOf([only]: DeskMail['notice']['cases'], count: number): string {
  if (!only || count > 1 || only.kind === 'difference') return 'desk'
  return `desk/${only.kind}/${encodeURIComponent(only.subject)}`
}

function rowsOf({
  kind,
  subject,
  merchantName,
  paymentId,
  amountMinor,
  currency,
  since,
}: DeskMail['notice']['cases'][number]): Row[] {
  const rows: [label: string, text: string | null | undefined][] = [
    ['Case', KINDS[kind]],
    ['Merchant', merchantName],
    ['Amount', amountMinor !== null && currency ? formatAmount(amountMinor, currency, 'en') : null],
    ['Since', formatMoment(since, 'en', { year: true })],
    ['About', subject],
    ['Command', paymentId && `${ADMIN} payment show --payment ${paymentId}`],
  ]
  return rows.filter((row): row is Row => !!row[1])
}
