/** `service`: whether the whole service is well. */
import type { Finding } from '../../../diagnosis/finding.ts'
import { BACKUPS, changeSetting, RESTART } from '../../../invocation.ts'
import {
  areEventsLate,
  areQuestionsLate,
  countLate,
  type Examination,
  isAccountBad,
  isBackupOld,
  isClockOff,
  isGuessing,
  type WorldExamination,
} from '../../../operator/examination.ts'
import { decimalAmount } from '../../../payments/money.ts'
import { nameOf, SETTINGS } from '../../../settings/table.ts'
import { ADMIN, diagnosisVerb, type Noun, shellWord } from '../../command.ts'
import { counted, duration, moment, paragraphs, plain } from '../../layout.ts'

const SETTLED = SETTINGS.settledQuestionsPerHour

const MARKS: Record<Finding['state'], string> = { good: 'ok   ', open: 'open ', bad: 'BAD  ' }

const doctor = diagnosisVerb({
  name: 'doctor',
  summary: 'Say whether the whole service is well, and what to do if not',
  examples: [''],
  run({ findings: found, examination }) {
    const work = examination ? [...judgeMachine(examination), ...examination.worlds.flatMap(judgeWorld)] : []
    const findings = [...found, ...work]
    const bad = findings.filter(({ state }) => state === 'bad').length
    const open = findings.filter(({ state }) => state === 'open').length
    const verdict =
      bad > 0
        ? `${counted(bad, 'problem')} to mend now.`
        : open > 0
          ? 'The service is well. Some things wait for a person.'
          : 'The service is well.'
    const lines = findings.map(lineOf).join('\n')
    const json = { ...examination, findings }
    // The verdict about a problem is printed on its own.
    if (bad > 0) return { json, text: lines, problem: { code: 'service_unwell', message: verdict } }
    return { json, text: paragraphs(lines, verdict) }
  },
})

function lineOf({ state, about, message, next }: Finding): string {
  const line = plain(`${MARKS[state]} ${about}: ${message}`)
  return next === undefined ? line : `${line}\n        ${plain(next)}`
}

function judgeMachine(examination: Examination): Finding[] {
  const { clockOffsetSeconds, backupAgeSeconds, backupSeries } = examination
  const off = Math.round(clockOffsetSeconds)
  const clock = `${counted(Math.abs(off), 'second')} ${off < 0 ? 'behind' : 'ahead of'} the clock of PostgreSQL`
  const backup =
    backupAgeSeconds === null
      ? 'there is none in the records of this database'
      : `the last one is ${duration(backupAgeSeconds * 1000)} old`
  // The service's user may not write into the directory where this command is called.
  const create = `${ADMIN} backup create --in ${shellWord(backupSeries ?? BACKUPS)}`
  return [
    judge(isClockOff(examination) && 'bad', 'Clock', clock, 'timedatectl'),
    judge(isBackupOld(examination) && 'open', 'Backup', backup, create),
    ...judgePasskeys(examination),
    ...judgeSignIns(examination),
  ]
}

/** Somebody guesses, if there are many. */
function judgeSignIns({ unknownSignIns }: Examination): Finding[] {
  const { tries, networks } = unknownSignIns
  if (tries === 0) return []
  const message = `${counted(tries, 'password')} tried for unknown e-mail addresses within a day, from ${counted(networks, 'network')}`
  return [judge(isGuessing(unknownSignIns) && 'open', 'Sign-ins', message, `${ADMIN} audit list`)]
}

/** The console's address was changed. Somebody who cannot get in any more has to be helped now. */
function judgePasskeys({ passkeys }: Examination): Finding[] {
  if (passkeys === null || passkeys.hosts.length === 0) return []
  const { origin, hosts, shutOut, shutOutCount } = passkeys
  const about = 'Passkeys'
  const made = hosts.map((each) => `${counted(each.passkeys, 'passkey')} made at ${each.host}`).join(', ')
  const message = `${made}: they do not work at ${origin}`
  if (shutOutCount === 0) return [{ state: 'open', about, message, next: `${ADMIN} user list` }]
  const more = shutOutCount > shutOut.length ? ` and ${shutOutCount - shutOut.length} more` : ''
  const [first = ''] = shutOut
  return [
    {
      state: 'bad',
      about,
      message: `${message}. So ${shutOut.join(', ')}${more} cannot sign in. Give each a new link, or change ${nameOf('consoleBaseUrl')} back`,
      next: `${ADMIN} user reset --user ${shellWord(first)}`,
    },
  ]
}

function judge(state: 'open' | 'bad' | false, about: string, message: string, next: string): Finding {
  return state ? { state, about, message, next } : { state: 'good', about, message }
}

function judgeWorld(examined: WorldExamination): Finding[] {
  return [
    ...judgeWork(examined),
    ...judgeRestore(examined),
    ...examined.accounts.map(judgeAccount),
    ...examined.silent.map(judgeSilence),
    ...examined.receivers.map(judgeReceiver),
    ...judgeTokens(examined),
    ...judgeLimits(examined),
    ...listDecisions(examined),
  ].map((finding) => ({
    ...finding,
    about: `${finding.about} (${examined.world})`,
    ...(finding.next?.startsWith(ADMIN) && { next: `${finding.next} --${examined.world}` }),
  }))
}

/** An earlier version gave tokens no limit. A shop may need such a token as it is, so it is only named. */
function judgeTokens({ unlimitedTokens }: WorldExamination): Finding[] {
  if (unlimitedTokens === 0) return []
  const message = `${counted(unlimitedTokens, 'token')} of an earlier version may return money without a limit. Give each a limit with token set, or replace it`
  return [{ about: 'Tokens', state: 'open', message, next: `${ADMIN} token list` }]
}

/** Nobody has to set a limit, so it is only suggested. */
function judgeLimits({ limits }: WorldExamination): Finding[] {
  const [first] = limits?.open ?? []
  if (!limits || !first) return []
  const { currency, limitMinor } = first
  const currencies = limits.open.map((each) => each.currency).join(', ')
  const message = `no limit is set in ${currencies}, so one person alone may return any sum`
  const of = `${ADMIN} approval limit --currency ${currency}`
  return [
    limits.canSet
      ? {
          about: 'Limits',
          state: 'open',
          message: `${message}. With a limit a second person must approve. To go without one: ${of} --off`,
          next: `${of} --amount ${decimalAmount(limitMinor, currency)}`,
        }
      : {
          about: 'Limits',
          state: 'open',
          message: `${message}. A limit can be set once two people can approve. To go without one: ${of} --off`,
          next: `${ADMIN} user add --name N --role operator --email E`,
        },
  ]
}

function judgeRestore({ work }: WorldExamination): Finding[] {
  if (work.openRestores === 0) return []
  const message = `a backup was restored; payments and subscriptions still to be compared with the providers: ${work.waitingRestoreChecks}. Refunds, captures, voids and renewals wait`
  return [{ about: 'Restore', state: 'open', message, next: `${ADMIN} restore show` }]
}

function judgeWork(examined: WorldExamination): Finding[] {
  const { work } = examined
  const late = Object.entries(countLate(examined)).flatMap(([names, count]) =>
    count > 0 ? [counted(count, names.slice(0, -1))] : [],
  )
  const settled = `payments with money are asked about ${duration(work.oldestSettledQuestionSeconds * 1000)} late`
  return [
    judge(
      late.length > 0 && 'bad',
      'Worker',
      late.length > 0 ? `overdue: ${late.join(', ')}. So no worker runs, or it hangs` : 'nothing is overdue',
      RESTART,
    ),
    ...(areQuestionsLate(examined)
      ? [judge('open', 'Questions', settled, changeSetting(SETTLED.name, `${2 * Number(SETTLED.default)}`))]
      : []),
    judge(
      areEventsLate(examined) && 'bad',
      'Events',
      `${work.undeliveredEvents} not delivered yet`,
      `${ADMIN} event list --state pending`,
    ),
  ]
}

/** An old refusal may have been mended at the provider since. Only a request or `account test` shows it. */
function judgeAccount(account: WorldExamination['accounts'][number]): Finding {
  const { accountId, problem, lastRefusal, blocks, health } = account
  const refusal = lastRefusal && `its provider refused at ${lastRefusal.at}: ${lastRefusal.message}`
  const unwell = health.state !== 'ok' && `it is ${health.state} since ${health.since}: ${health.reason}`
  const retired = `it is retired, and payments in ${blocks.join(', ')} are refused because of it`
  const next = health.state === 'unclear' ? 'desk list' : `account test --account ${accountId}`
  return judge(
    isAccountBad(account) ? 'bad' : 'open',
    `Account ${accountId}`,
    problem ?? (refusal || unwell || retired),
    `${ADMIN} ${next}`,
  )
}

/** Buyers may have paid meanwhile, and only the provider knows. */
function judgeSilence({ accountId, requests, since, reason }: WorldExamination['silent'][number]): Finding {
  const silence = `has answered none of ${counted(requests, 'request')} since ${moment(since)}: ${reason}`
  // Requests to a cash register are stored under the name of the register, which is no account.
  const [, register] = /^register (.*)/.exec(accountId) ?? []
  if (register !== undefined) {
    const message = `it ${silence}. Fiscal receipts wait meanwhile`
    return { state: 'bad', about: `Cash register ${register}`, message, next: `${ADMIN} receipt list` }
  }
  const message = `its provider ${silence}. Paid orders stay open meanwhile`
  const next = `${ADMIN} account test --account ${accountId}`
  return { state: 'bad', about: `Account ${accountId}`, message, next }
}

function judgeReceiver({ merchantId, failures, pausedAt }: WorldExamination['receivers'][number]): Finding {
  return judge(
    'open',
    `Callback URL of ${merchantId}`,
    `${pausedAt ? 'paused' : 'resting'} after ${counted(failures, 'failure')} in a row`,
    `${ADMIN} callback show --merchant ${merchantId}`,
  )
}

/** What waits for a person: how many, the text for one and for several, and the command that lists them. */
function listDecisions({ work, mails }: WorldExamination): Finding[] {
  const waiting: [count: number, one: string, several: string, next: string][] = [
    [
      work.undecidedPayments,
      'payment has an unknown outcome',
      'payments have an unknown outcome',
      'payment list --status status_unknown',
    ],
    [
      work.operationsInReview,
      'operation waits for a decision',
      'operations wait for a decision',
      'operation list --status requires_operator_review',
    ],
    [
      work.failedReceipts,
      'fiscal receipt failed or is unclear',
      'fiscal receipts failed or are unclear',
      'receipt list',
    ],
    [mails.failed, 'mail was given up', 'mails were given up', 'mail list --state failed'],
  ]
  return waiting
    .filter(([count]) => count > 0)
    .map(([count, one, several, next]) =>
      judge('open', 'Decisions', `${count} ${count === 1 ? one : several}`, `${ADMIN} ${next}`),
    )
}

export const service: Noun = {
  name: 'service',
  summary: 'Examine the whole service',
  verbs: [doctor],
}
