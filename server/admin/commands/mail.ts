/** `mail`: the receipts that buyers get by mail, the notices that the operator gets, and the way to the mail server. */
import { AppError } from '../../errors.ts'
import { tryServer } from '../../mail/smtp.ts'
import { nameOf } from '../../settings/table.ts'
import {
  listMails,
  MAIL_STATES,
  type MailRecord,
  measureMails,
  sendMailAgain,
} from '../../storage/mails/mails.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { optional, optionalChoice, pageSize, required } from '../flag.ts'
import { listText, moment, pairs, paragraphs } from '../layout.ts'

const check = verb({
  name: 'check',
  needs: 'operator',
  reads: true,
  summary: 'Connect to the mail server and log in, without sending a mail',
  flags: {},
  examples: [''],
  async run({ config: { smtpServer, mailFrom }, db }) {
    const { waiting, failed } = await measureMails(db)
    const mails = { waiting, failed }
    if (!smtpServer)
      return {
        json: { server: null, ...mails },
        text: `No mail is sent here: ${nameOf('smtpServer')} is not set, or this is the sandbox beside a live world.`,
      }
    const { host, port, isEncrypted, isLoopback } = smtpServer
    const trouble = await tryServer(smtpServer)
    const encryption = isEncrypted ? 'TLS from the start' : isLoopback ? 'none, on this machine' : 'STARTTLS'
    const text = paragraphs(
      pairs([
        ['Mail server', `${host}:${port}`],
        ['Encryption', encryption],
        ['Sender', mailFrom ?? ''],
        ['Answers', trouble ? 'no' : 'yes'],
        ['Mails that wait', String(waiting)],
        ['Mails given up', String(failed)],
      ]),
      failed > 0 && `The reasons: ${ADMIN} mail list --state failed`,
    )
    const json = { server: { host, port, encryption }, sender: mailFrom, ...mails }
    if (!trouble) return { json, text }
    return { json, text, problem: { code: 'mail_server', message: trouble.message } }
  },
})

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List mails, with the reason where one failed',
  flags: {
    state: optionalChoice('STATE', 'only mails in this state', MAIL_STATES),
    payment: optional('ID', 'only mails about this payment'),
    limit: pageSize('mail'),
  },
  examples: ['', '--state failed', '--payment pay_01...'],
  async run(ctx, { payment: paymentId, ...filter }) {
    const mails = await listMails(ctx.db, { paymentId, ...filter })
    const rows = mails.map((each) => [
      each.id,
      moment(each.createdAt),
      WHAT[each.kind],
      each.state,
      String(each.attempts),
      aboutOf(each),
      each.failure ?? '',
    ])
    const heads = ['Mail', 'Created', 'About', 'State', 'Attempts', 'Payment, account or merchant', 'Reason']
    return {
      json: { mails: mails.map(present) },
      text: listText(heads, rows, 'No mails found.'),
    }
  },
})

const resend = verb({
  name: 'resend',
  needs: 'operator',
  summary: 'Send a mail that was given up or withheld',
  flags: { mail: required('ID', "the mail's id (mal_...)") },
  examples: ['--mail mal_01...'],
  async run(ctx, { mail: id }) {
    const mail = await sendMailAgain(ctx.db, id, ctx.clock.now())
    if (!mail)
      throw new AppError('not_found', {
        message: `There is no mail ${id} that was given up or withheld. Mails that wait are sent without a command.`,
      })
    return { json: { mail: present(mail) }, text: `The worker sends ${mail.id} within seconds.` }
  },
})

const WHAT: Record<MailRecord['kind'], string> = {
  address_changed: 'a change',
  approval_waits: 'a proposal that waits',
  invitation: 'a link to set up the sign-in',
  paid: 'receipt',
  refunded: 'refund',
  refund_failed: 'failed refund',
  transfer: 'how to transfer',
  transfer_reminder: 'reminder of a transfer',
  account_health: 'health of accounts',
  audit_checkpoint: 'audit checkpoint',
  order_news: 'orders, to the owner',
  order_test: 'test, to the owner',
  desk_cases: 'new cases',
}

function aboutOf({ paymentId, notice, merchantId }: MailRecord): string {
  if (notice === null) return paymentId
  return 'accounts' in notice ? notice.accounts.map(({ accountId }) => accountId).join(' ') : merchantId
}

function present(mail: MailRecord) {
  const { id, paymentId, notice, kind, state, attempts, dueAt, failure, createdAt, endedAt } = mail
  const time = (at: Date | null) => at?.toISOString() ?? null
  return {
    mailId: id,
    paymentId,
    ...(notice && ('accounts' in notice ? { accounts: notice.accounts } : { merchantId: mail.merchantId })),
    about: WHAT[kind],
    state,
    attempts,
    reason: failure,
    createdAt: time(createdAt),
    dueAt: time(dueAt),
    endedAt: time(endedAt),
  }
}

export const mail: Noun = {
  name: 'mail',
  summary: 'Check the mail server, list and resend mails',
  verbs: [check, list, resend],
}
