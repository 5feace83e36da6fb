/** The acts on what a deployment works with: a buyer who wants to be forgotten, what waits after a restore, mails, and the clock of the sandbox. */
import { AppError } from '../../errors.ts'
import { tryServer } from '../../mail/smtp.ts'
import { textFact, wordFact } from '../../operator/approvals/facts.ts'
import { advanceClock } from '../../operator/clock-advance.ts'
import { forgetCustomer } from '../../operator/forgetting/forget.ts'
import { presentMail } from '../../operator/views/mail.ts'
import { readRestore, stopWaiting } from '../../payments/restored/report.ts'
import { listMails, measureMails, sendMailAgain } from '../../storage/mails/mails.ts'
import { type AnyRow, act } from '../act.ts'
import { choice, oneOf, optionalText, words } from '../input.ts'

const SHOWN_MAX = 100

export const resend = act('mail resend', { mail: choice({ placeholder: 'ID' }) })({
  place: 'deployment',
  async current({ db }) {
    const [failed, withheld] = await Promise.all([
      listMails(db, { state: 'failed', limit: SHOWN_MAX }),
      listMails(db, { state: 'withheld', limit: SHOWN_MAX }),
    ])
    return { mails: [...failed, ...withheld].map(({ id, state, failure }) => ({ id, state, failure })) }
  },
  notNow: ({ mails }) => (mails.length === 0 ? 'acts.mail.none' : null),
  choices: {
    mail: ({ mails }) => mails.map(({ id, failure }) => ({ id, text: failure ? `${id} · ${failure}` : id })),
  },
  blames: 'mail',
  shows: {
    mail: ({ args }) => [
      ...textFact('mail', args.mail),
      { name: 'state', after: { word: 'mail_waiting' }, before: { word: 'mail_ended' } },
    ],
  },
  async run(ctx, { mail: id }) {
    const mail = await sendMailAgain(ctx.db, id, ctx.clock.now())
    if (mail) return mail
    throw new AppError('not_found', {
      message: `There is no mail ${id} that was given up or withheld. Mails that wait are sent without a command.`,
    })
  },
  result: async (_ctx, mail) => ({ facts: { mail: presentMail(mail) }, textValues: { mailId: mail.id } }),
  helpExamples: ['--mail mal_01...'],
  examples: async (scene) => [{ mail: await scene.failedMail() }],
})

export const forget = act('customer forget', {
  email: optionalText({ placeholder: 'E', max: 320 }),
  phone: optionalText({ placeholder: 'P', max: 40 }),
})({
  place: 'deployment',
  wrong: ({ email, phone }) => (email === undefined && phone === undefined ? 'email' : null),
  blames: 'email',
  shows: {
    email: ({ args }) => textFact('email', args.email),
    phone: ({ args }) => textFact('phone', args.phone),
  },
  run: (ctx, given) => forgetCustomer(ctx, { ...given, dryRun: false }),
  async result({ config, world }, blanked) {
    const { payments = 0, undelivered = 0, ...rest } = blanked
    const others = Object.values(rest).reduce((sum, count) => sum + count, 0)
    const textValues = {
      found: payments + undelivered + others > 0 ? 'some' : 'none',
      payments: String(payments),
      undelivered: String(undelivered),
      otherRows: String(others),
      otherWorld: config.mode === 'sandbox' ? 'none' : world === 'live' ? 'sandbox' : 'live',
      world,
    }
    return { facts: { blanked }, textValues }
  },
  tells: ['payments', 'undelivered', 'otherRows'],
  helpExamples: ['--email ani@shop.example --dry-run', '--email ani@shop.example --phone "+374 99 123456"'],
  examples: async (scene) => [{ email: await scene.buyer() }],
})

export const endRestore = act('restore end', { why: words({ max: 240 }) })({
  place: 'deployment',
  async current(ctx) {
    const { restoredAt = null, endedAt = null } = (await readRestore(ctx, 1))?.restore ?? {}
    return { restoredAt, endedAt }
  },
  notNow: ({ restoredAt, endedAt }) => (restoredAt === null || endedAt !== null ? 'acts.restore.none' : null),
  shows: {
    why: ({ args }) => [
      { name: 'state', after: { word: 'restore_ended' }, before: { word: 'restore_open' } },
      ...textFact('why', args.why),
    ],
  },
  async run(ctx, { why: reason }, { name: by }) {
    if (await stopWaiting(ctx, { by, reason })) return
    throw new AppError('validation_failed', { message: 'No restore is open here, so nothing waits.' })
  },
  result: async () => ({ facts: { ended: true } }),
  helpExamples: ['--why compared-by-hand'],
  async examples(scene) {
    await scene.restored()
    return [{ why: 'compared by hand' }]
  },
})

export const checkMail = act(
  'mail check',
  {},
)({
  place: 'deployment',
  asksOthers: true,
  reads: true,
  shows: {},
  async run({ config: { smtpServer, mailFrom }, db }) {
    const { waiting, failed } = await measureMails(db)
    const trouble = smtpServer ? await tryServer(smtpServer) : null
    return { smtpServer, mailFrom, waiting, failed, trouble }
  },
  async result(_ctx, { smtpServer, mailFrom, waiting, failed, trouble }) {
    const mails = { waiting, failed }
    if (!smtpServer)
      return { facts: { server: null, ...mails }, textValues: { state: 'none', failures: 'none' } }
    const { host, port, isEncrypted, isLoopback } = smtpServer
    const encryption = isEncrypted ? 'TLS from the start' : isLoopback ? 'none, on this machine' : 'STARTTLS'
    return {
      facts: { server: { host, port, encryption }, sender: mailFrom, ...mails },
      textValues: {
        server: `${host}:${port}`,
        encryption,
        state: trouble ? 'bad' : 'well',
        failures: failed > 0 ? 'some' : 'none',
        reason: trouble?.message ?? '',
      },
      ...(trouble && { problem: { code: 'mail_server', message: trouble.message } }),
    }
  },
  tells: ['server', 'sender', 'reason', 'waiting', 'failed'],
  helpExamples: [''],
  examples: async () => [{}],
})

const HOUR_MS = 3_600_000
const STEPS = { '1h': 1, '1d': 24, '7d': 168, '30d': 720, '90d': 2_160, '365d': 8_760 } as const
type Step = keyof typeof STEPS
/** A browser and the proxies on the way wait only so long. What is left is done by the next act. */
const ADVANCE_WITHIN_MS = 45_000

/** The command takes any time, and says what happens meanwhile. */
export const advance = act('clock advance', {
  by: oneOf(Object.keys(STEPS) as Step[], { preset: '1d', placeholder: 'TIME', words: 'clock' }),
})({
  form: 'clock-advance',
  place: 'deployment',
  asksOthers: true,
  recordedBefore: true,
  // The time itself passes, so only how far it is ahead is seen.
  current: async ({ clock }) => ({ aheadMs: clock.sandbox?.aheadMs() ?? null }),
  notNow: ({ aheadMs }) => (aheadMs === null ? 'acts.clock.live' : null),
  shows: { by: ({ args }) => wordFact('clockBy', `clock_${args.by}`) },
  run: (ctx, { by }) =>
    advanceClock(ctx, STEPS[by] * HOUR_MS, {
      onMoment: () => {},
      onCoarse: () => {},
      signal: AbortSignal.timeout(ADVANCE_WITHIN_MS),
    }),
  async result(_ctx, { to, done, arrived }) {
    const count = Object.values(done).reduce((sum, each) => sum + (each ?? 0), 0)
    return {
      facts: { to, count },
      textValues: { arrived: String(arrived) },
      ...(!arrived && { problem: { code: 'clock_stopped', message: 'The clock stands on the way.' } }),
    }
  },
  tells: ['to', 'count'],
  helpExamples: [],
  examples: async () => [{ by: '1h' }],
})

export const UPKEEP_ACTS: readonly AnyRow[] = [resend, forget, endRestore, checkMail, advance]
