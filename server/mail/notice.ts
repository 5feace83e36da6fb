/**
 * Writes the mails to the operator: that the health of accounts has changed, and the checkpoints of the audit log, in English. New
 * cases are told in the language of OPERATOR_LOCALE.
 */

import type { Context } from '../context.ts'
import { ADMIN } from '../invocation.ts'
import { translate } from '../messages/translate.ts'
import { findBrand } from '../pages/brand/brand.ts'
import { formatMoment, type Locale } from '../pages/words/locale.ts'
import type { Checkpoint } from '../storage/audit/checkpoints.ts'
import type { AccountNotice, DeskMail, NoticeMail } from '../storage/mails/mails.ts'
import { deskContent } from './desk-notice.ts'
import { htmlOf, type Letter, textOf } from './letter.ts'
import type { Message } from './smtp.ts'

type State = AccountNotice['state']
type Row = [label: string, text: string]

/** `happened`: completes a sentence that begins with the account. */
const WORDS: Record<State, { happened: string; effect: string }> = {
  refusing: {
    happened: 'is refused by its provider',
    effect:
      'It gets no new payments until the provider accepts it again. What is under way waits, and nothing fails because of it.',
  },
  unopenable: {
    happened: 'cannot be opened',
    effect:
      'It cannot be used until this is mended. What is under way waits, and nothing fails because of it.',
  },
  away: {
    happened: 'gets no answer from its provider',
    effect:
      'Its payments wait until the provider answers. The service keeps asking, and nothing fails because of it.',
  },
  unclear: {
    happened: 'has payments about which its provider’s answers cannot be read or contradict the books',
    effect:
      'It takes payments as before. Each payment concerned has a warning that waits for a person, and the provider is asked about it again.',
  },
  ok: { happened: 'is well again', effect: 'It takes payments again. There is nothing to do.' },
}

/** `to`: the operator's address. */
export async function writeNotice(ctx: Context, mail: NoticeMail | DeskMail, to: string): Promise<Message> {
  const letter = await letterOf(ctx, mail)
  const from = ctx.config.mailFrom ?? ''
  const test = ctx.world === 'sandbox' ? `[${translate(letter.locale, 'notices.testTag')}] ` : ''
  return {
    messageId: `${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}`,
    date: mail.createdAt,
    from: { name: 'Kassa', address: from },
    to,
    subject: `${test}${letter.title}`,
    text: textOf(letter),
    html: htmlOf(letter),
  }
}

async function letterOf(ctx: Context, mail: NoticeMail | DeskMail): Promise<Letter> {
  if (mail.kind === 'desk_cases')
    return { ...frameOf(ctx, ctx.config.operatorLocale), ...deskContent(ctx, mail.notice) }
  const { checkpoint } = mail.notice
  if (checkpoint) return writeCheckpoint(ctx, checkpoint)
  return writeLetter(ctx, await Promise.all(mail.notice.accounts.map((each) => named(ctx, each))))
}

type Named = AccountNotice & { ownerName: string }

async function named(ctx: Context, account: AccountNotice): Promise<Named> {
  const { owner } = account
  const name = owner === null ? null : (await findBrand(ctx, owner, 'en')).name || owner
  return { ...account, ownerName: name ?? 'the deployment' }
}

/** The line of JSON is what `audit verify` reads. */
function writeCheckpoint(ctx: Context, checkpoint: Checkpoint): Letter {
  return {
    ...frameOf(ctx),
    title: `Checkpoint of the audit log: row ${checkpoint.seq}`,
    text: 'Keep this mail. It shows later whether somebody has changed or removed what the log has until now.',
    facts: [
      [
        ['Checkpoint', JSON.stringify(checkpoint)],
        ['Command', `${ADMIN} audit verify --checkpoint FILE`],
        ['Service', ctx.baseUrl],
      ],
    ],
  }
}

/** Mails about accounts and checkpoints are in English. */
const frameOf = ({ world }: Context, locale: Locale = 'en') => ({
  locale,
  test: world === 'sandbox' ? translate(locale, 'notices.test') : null,
  way: null,
  contact: [],
  contactTitle: '',
  why: translate(locale, 'notices.why'),
  brand: { name: 'Kassa' },
})

function writeLetter(ctx: Context, accounts: Named[]): Letter {
  const [first, ...others] = accounts
  const isOne = first !== undefined && others.length === 0
  return {
    ...frameOf(ctx),
    title: isOne
      ? `The account of ${first.ownerName} at ${first.provider} ${WORDS[first.state].happened}`
      : `${accounts.length} provider accounts have changed`,
    text: isOne ? WORDS[first.state].effect : 'What each change means is written below.',
    facts: [...accounts.map((each) => rowsOf(each, isOne)), [['Service', ctx.baseUrl]]],
  }
}

function rowsOf(account: Named, isOne: boolean): Row[] {
  const { accountId, route, provider, ownerName, state, since, unwellSince, reason, advice } = account
  const moment = (iso: string) => formatMoment(iso, 'en', { year: true }) ?? iso
  const rows: [label: string, text: string | null][] = [
    ['Account', accountId],
    ['Route', route],
    ['Provider', provider],
    ['Whose', ownerName],
    ['Health', isOne ? state : `${state}. ${WORDS[state].effect}`],
    ['Since', moment(since)],
    ['It was not well for', state === 'ok' ? durationOf(unwellSince, since) : null],
    ['Why', reason],
    ['What to do', advice],
    ['Command', `${ADMIN} account test --account ${accountId}`],
  ]
  return rows.filter((row): row is Row => row[1] !== null)
}

function durationOf(from: string, to: string): string {
  const minutes = Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / 60_000))
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60)]
  const parts = [days && `${days} d`, hours && `${hours} h`, minutes % 60 && `${minutes % 60} min`]
  return parts.filter(Boolean).join(' ')
}
