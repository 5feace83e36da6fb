/** `service`: whether the whole service is well. */
import { type Examination, examine, LIMITS, type WorldExamination } from '../../../operator/examination.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { counted, duration, moment, paragraphs, plain } from '../../layout.ts'

/** `state`: `bad` needs somebody now, `open` can wait. `next`: the command that shows the problem or solves it. */
type Finding = { state: 'good' | 'open' | 'bad'; about: string; message: string; next?: string }

const MARKS: Record<Finding['state'], string> = { good: 'ok   ', open: 'open ', bad: 'BAD  ' }

const doctor = verb({
  name: 'doctor',
  summary: 'Say whether the whole service is well, and what to do if not',
  flags: {},
  examples: [''],
  async run(_ctx, _values, { worlds }) {
    const examined = await examine(worlds)
    const findings = [...judgeMachine(examined), ...examined.worlds.flatMap(judgeWorld)]
    const bad = findings.filter(({ state }) => state === 'bad').length
    const open = findings.filter(({ state }) => state === 'open').length
    const verdict =
      bad > 0
        ? `${counted(bad, 'problem')} to mend now.`
        : open > 0
          ? 'The service is well. Some things wait for a person.'
          : 'The service is well.'
    const text = paragraphs(findings.map(lineOf).join('\n'), verdict)
    const problem = { code: 'service_unwell', message: verdict }
    return { json: { ...examined, findings }, text, ...(bad > 0 && { problem }) }
  },
})

function lineOf({ state, about, message, next }: Finding): string {
  const line = plain(`${MARKS[state]} ${about}: ${message}`)
  return next === undefined ? line : `${line}\n        ${ADMIN} ${next}`
}

function judgeMove(move: Examination['move']): Pick<Finding, 'state' | 'message' | 'next'> {
  if (!move) return { state: 'good', message: 'it responds, and the keys decrypt its secrets' }
  if (move.fencedAt)
    return {
      state: 'bad',
      message: `everything is moved to ${move.target}, and nothing can be stored here`,
      next: 'database reopen',
    }
  return {
    state: 'bad',
    message: `it is being moved to ${move.target} since ${move.startedAt.toISOString()}, and the service works. If the command of the move was interrupted, run it again, or end the move`,
    next: 'database reopen',
  }
}

function judgeMachine({ clockOffsetSeconds, freeBytes, backupAgeSeconds, move }: Examination): Finding[] {
  const off = Math.round(clockOffsetSeconds)
  const age = backupAgeSeconds === null ? null : duration(backupAgeSeconds * 1000)
  const isBackupOld = backupAgeSeconds === null || backupAgeSeconds > LIMITS.backupSeconds
  return [
    {
      about: 'Database',
      ...judgeMove(move),
    },
    {
      about: 'Clock',
      state: Math.abs(clockOffsetSeconds) > LIMITS.clockSeconds ? 'bad' : 'good',
      message: `${Math.abs(off)} seconds ${off < 0 ? 'behind' : 'ahead of'} the clock of PostgreSQL`,
    },
    {
      about: 'Disk',
      state: freeBytes !== null && freeBytes < LIMITS.freeBytes ? 'bad' : 'good',
      message:
        freeBytes === null ? 'its free space cannot be read' : `${(freeBytes / 1e9).toFixed(1)} GB free`,
    },
    {
      about: 'Backup',
      state: isBackupOld ? 'open' : 'good',
      message: age === null ? 'there is none in the records of this database' : `the last one is ${age} old`,
      ...(isBackupOld && { next: 'backup create' }),
    },
  ]
}

function judgeWorld(examined: WorldExamination): Finding[] {
  return [
    ...judgeWork(examined),
    ...examined.accounts.map(judgeAccount),
    ...examined.silent.map(judgeSilence),
    ...examined.receivers.map(judgeReceiver),
    ...listDecisions(examined),
  ].map(({ about, next, ...finding }) => ({
    ...finding,
    about: `${about} (${examined.world})`,
    ...(next !== undefined && { next: `${next} --${examined.world}` }),
  }))
}

function judgeWork({ work, queue }: WorldExamination): Finding[] {
  const isStuck = work.overdueQuestions > 0 || queue.oldestDueSeconds > LIMITS.jobSeconds
  const overdue = `${counted(work.overdueQuestions, 'question')} and ${counted(queue.due, 'job')} are overdue`
  return [
    {
      about: 'Worker',
      state: isStuck ? 'bad' : 'good',
      message: isStuck
        ? `${overdue}, so no worker runs, or it hangs. Restart the service`
        : 'nothing is overdue',
    },
    {
      about: 'Events',
      state: work.oldestUndeliveredSeconds > LIMITS.deliverySeconds ? 'bad' : 'good',
      message: `${work.undeliveredEvents} not delivered yet`,
      ...(work.undeliveredEvents > 0 && { next: 'event list --state pending' }),
    },
  ]
}

/** An old refusal may have been mended at the provider since. Only a request or `account test` shows it. */
function judgeAccount({
  accountId,
  problem,
  lastRefusal,
  blocks,
  isRefusedLately,
}: WorldExamination['accounts'][number]): Finding {
  const refusal = lastRefusal && `its provider refused at ${lastRefusal.at}: ${lastRefusal.message}`
  return {
    about: `Account ${accountId}`,
    state: problem !== null || isRefusedLately ? 'bad' : 'open',
    message:
      problem ?? refusal ?? `it is retired, and payments in ${blocks.join(', ')} are refused because of it`,
    next: `account test --account ${accountId}`,
  }
}

/** Buyers may have paid meanwhile, and only the provider knows. */
function judgeSilence({ accountId, requests, since, reason }: WorldExamination['silent'][number]): Finding {
  return {
    about: `Account ${accountId}`,
    state: 'bad',
    message: `its provider has answered none of ${counted(requests, 'request')} since ${moment(since)}: ${reason}. Paid orders stay open meanwhile`,
    next: `account test --account ${accountId}`,
  }
}

function judgeReceiver({ merchantId, failures, pausedAt }: WorldExamination['receivers'][number]): Finding {
  return {
    about: `Callback URL of ${merchantId}`,
    state: 'open',
    message: `${pausedAt ? 'paused' : 'resting'} after ${counted(failures, 'failure')} in a row`,
    next: `callback show --merchant ${merchantId}`,
  }
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
    .map(([count, one, several, next]) => ({
      about: 'Decisions',
      state: 'open',
      message: `${count} ${count === 1 ? one : several}`,
      next,
    }))
}

export const service: Noun = {
  name: 'service',
  summary: 'Examine the whole service',
  verbs: [doctor],
}
