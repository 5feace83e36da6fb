/** Mails, and the clock of the sandbox. */
import { note } from '../../access/acting.ts'
import { AppError } from '../../errors.ts'
import { tryServer } from '../../mail/smtp.ts'
import { advanceClock } from '../../operator/clock-advance.ts'
import { listMails, type MailRecord, measureMails, sendMailAgain } from '../../storage/mails/mails.ts'
import { momentText } from '../parts.ts'
import { say } from '../words/say.ts'
import { worldOf } from '../world.ts'
import { type Scene, type SettingAct, setting } from './act.ts'

const MAILS_MAX = 100

/** Those that were given up or withheld, the newest first. */
async function stuckMails({ ctx }: Scene): Promise<MailRecord[]> {
  const lists = await Promise.all(
    (['failed', 'withheld'] as const).map((state) => listMails(ctx.db, { state, limit: MAILS_MAX })),
  )
  return lists.flat()
}

const resend = setting<{ mails: { id: string; state: string; failure: string | null }[] }>({
  name: 'mail_resend',
  needs: 'mail resend',
  place: 'deployment',
  group: 'setMails',
  blames: 'mail',
  present: async (scene) => ({
    mails: (await stuckMails(scene)).map(({ id, state, failure }) => ({ id, state, failure })),
  }),
  whyNot: ({ mails }) => (mails.length === 0 ? 'setMailsNone' : null),
  fields: ({ mails }) => [
    {
      name: 'mail',
      label: 'setMail',
      kind: 'choice',
      options: mails.map(({ id, failure }) => [id, failure ? `${id} · ${failure}` : id] as const),
    },
  ],
  changes: ({ mail }, { mails }, { visit: { locale } }) => [
    ['setMail', mails.find(({ id }) => id === mail)?.failure ?? mail ?? null, say(locale, 'setMailAgain')],
  ],
  async run(ctx, { mail = '' }) {
    if (!(await sendMailAgain(ctx.db, mail, ctx.clock.now()))) throw new AppError('not_found')
    return 'done'
  },
})

const check = setting<object>({
  name: 'mail_check',
  needs: 'mail check',
  place: 'deployment',
  group: 'setMails',
  rehearse: 'no',
  present: async () => ({}),
  changes: () => [],
  async run({ config: { smtpServer, mailFrom }, db }) {
    const { waiting, failed } = await measureMails(db)
    if (!smtpServer) return { message: 'setNoMailServer', lines: [], isBad: true }
    const trouble = await tryServer(smtpServer)
    return {
      message: trouble ? 'setMailBad' : 'setMailWell',
      isBad: trouble !== null,
      lines: [
        ['setMailServer', `${smtpServer.host}:${smtpServer.port}`],
        ['setMailFrom', mailFrom ?? null],
        ['saidReason', trouble?.message ?? null],
        ['setMailsWaiting', String(waiting)],
        ['setMailsFailed', String(failed)],
      ],
    }
  },
})

const HOUR_MS = 3_600_000
const STEPS = { '1h': 1, '1d': 24, '7d': 168, '30d': 720, '90d': 2_160, '365d': 8_760 } as const
type Step = keyof typeof STEPS
/** A browser and the proxies on the way wait only so long. What is left is done by the next act. */
const ADVANCE_WITHIN_MS = 45_000

const advance = setting<{ aheadMs: number | null }>({
  name: 'clock_advance',
  needs: 'clock advance',
  place: 'deployment',
  group: 'setClock',
  // The time itself passes, so only how far it is ahead is seen.
  present: async ({ ctx }) => ({ aheadMs: ctx.clock.sandbox?.aheadMs() ?? null }),
  whyNot: ({ aheadMs }) => (aheadMs === null ? 'setClockLive' : null),
  fields: (_present, { visit: { locale } }) => [
    {
      name: 'by',
      label: 'setClockBy',
      kind: 'choice',
      value: '1d',
      options: (Object.keys(STEPS) as Step[]).map((each) => [each, say(locale, `clock_${each}`)] as const),
    },
  ],
  changes: ({ by }, _present, { ctx, visit: { locale }, timeZone }) => {
    const now = ctx.clock.now()
    const after = new Date(now.getTime() + STEPS[by as Step] * HOUR_MS)
    return [['setClock', momentText(now, locale, timeZone), momentText(after, locale, timeZone)]]
  },
  rehearse: 'no',
  async run(_ctx, { by }, { visit, timeZone }) {
    // All that becomes due is the service's own work. The act itself has one row, before it.
    const ctx = worldOf(visit)
    await note(ctx, visit.user, { address: visit.address, what: 'clock advance', about: by ?? '' })
    const { to, done, arrived } = await advanceClock(ctx, STEPS[by as Step] * HOUR_MS, {
      onMoment: () => {},
      onCoarse: () => {},
      signal: AbortSignal.timeout(ADVANCE_WITHIN_MS),
    })
    const count = Object.values(done).reduce((sum, each) => sum + (each ?? 0), 0)
    return {
      message: arrived ? 'setClockMoved' : 'setClockStopped',
      isBad: !arrived,
      lines: [
        ['setClock', momentText(to, visit.locale, timeZone)],
        ['setClockWork', String(count)],
      ],
    }
  },
})

export const UPKEEP_ACTS: readonly SettingAct[] = [resend, check, advance]
