/** The facts that tell an operator whether the whole service is well. */
import { consoleOrigin } from '../access/address.ts'
import { hostOf } from '../access/passkeys.ts'
import { type AccountView, listAccounts } from '../accounts/manage.ts'
import { type Context, systemClock, type Worlds } from '../context.ts'
import type { World } from '../contract/health.ts'
import { MONEY_SCOPE } from '../merchants/token-limits.ts'
import { listRestingReceivers, type ReceiverRecord } from '../receivers/receiver.ts'
import { type MachineFacts, readMachine } from '../start/machine.ts'
import { type OtherHosts, readOtherHosts } from '../storage/access/other-hosts.ts'
import { countUnknownSignIns, type UnknownSignIns } from '../storage/access/unknown-sign-ins.ts'
import { listSilentAccounts, type SilentAccount } from '../storage/exchanges.ts'
import { measureQueue, type QueueDepth } from '../storage/jobs.ts'
import { type MailDepth, measureMails } from '../storage/mails/mails.ts'
import { countUnlimitedTokens } from '../storage/merchants/api-keys.ts'
import { measureOpenWork, type OpenWork } from '../storage/open-work.ts'
import { listWorlds, mainWorld } from '../worlds.ts'
import { type LimitSuggestion, suggestLimits } from './approvals/suggested.ts'

/** From these values on somebody has to act. The alert rules in `deploy/alerts.yml` have the same limits. */
export const LIMITS = {
  clockSeconds: 5,
  freeBytes: 1e9,
  backupSeconds: 26 * 3_600,
  deliverySeconds: 3_600,
  jobSeconds: 120,
  settledSeconds: 6 * 3_600,
  unknownSignIns: 100,
}

export type { MachineFacts }
export type Examination = MachineFacts & {
  passkeys: PasskeyFacts | null
  /** Passwords that were tried for unknown e-mail addresses in the last day. */
  unknownSignIns: UnknownSignIns
  worlds: WorldExamination[]
}
/** Passkeys that do not work at the console's present host name. `origin`: where people reach the console. */
export type PasskeyFacts = OtherHosts & { origin: string }

export type WorldExamination = {
  world: World
  work: OpenWork
  queue: QueueDepth
  mails: MailDepth
  /** The accounts that cannot be used, that are not well, or whose provider has refused requests because of the account. */
  accounts: (AccountView & { isRefusedLately: boolean })[]
  /** The accounts whose provider answers nothing at present. Paid orders stay open because of it. */
  silent: SilentAccount[]
  /** The merchants' callback URLs that get no or few events now. */
  receivers: ReceiverRecord[]
  /** How many tokens of an earlier version may return money without a limit. */
  unlimitedTokens: number
  /** The limits that nobody has set yet. Null in the sandbox, where no real money moves. */
  limits: LimitSuggestion | null
}

export const isClockOff = ({ clockOffsetSeconds }: MachineFacts) =>
  Math.abs(clockOffsetSeconds) > LIMITS.clockSeconds
export const isBackupOld = ({ backupAgeSeconds }: MachineFacts) =>
  backupAgeSeconds === null || backupAgeSeconds > LIMITS.backupSeconds
export const isDiskFull = ({ freeBytes }: MachineFacts) => freeBytes !== null && freeBytes < LIMITS.freeBytes

export const isGuessing = ({ tries }: UnknownSignIns) => tries >= LIMITS.unknownSignIns

type Work = Pick<WorldExamination, 'work' | 'queue'>

/** What a worker should have done by now. If it is anything, no worker runs, or it hangs. */
export function countLate({ work, queue }: Work) {
  return {
    questions: work.overdueQuestions,
    operations: work.overdueOperations,
    subscriptions: work.overdueRenewals,
    jobs: queue.oldestDueSeconds > LIMITS.jobSeconds ? queue.due : 0,
  }
}
export const areQuestionsLate = ({ work }: Work) => work.oldestSettledQuestionSeconds > LIMITS.settledSeconds
export const areEventsLate = ({ work }: Work) => work.oldestUndeliveredSeconds > LIMITS.deliverySeconds
/** An `unclear` account takes payments: its warnings wait for a person, and not for somebody at night. */
export const isAccountBad = ({ problem, isRefusedLately, health }: WorldExamination['accounts'][number]) =>
  problem !== null || isRefusedLately || !['ok', 'unclear'].includes(health.state)

/** Reads everything once. Changes nothing. @throws AppError storage_unavailable */
export async function examine(worlds: Worlds): Promise<Examination> {
  const origin = consoleOrigin(mainWorld(worlds).config)
  return {
    ...(await examineMachine(worlds)),
    passkeys: origin === null ? null : await examinePasskeys(worlds, origin),
    unknownSignIns: await examineSignIns(worlds),
    worlds: await Promise.all(listWorlds(worlds).map(examineWorld)),
  }
}

/** @throws AppError storage_unavailable */
export function examineMachine(worlds: Worlds): Promise<MachineFacts> {
  return readMachine(mainWorld(worlds))
}

/** @throws AppError storage_unavailable */
export function examineSignIns(worlds: Worlds): Promise<UnknownSignIns> {
  return countUnknownSignIns(mainWorld(worlds).db, new Date(systemClock.now().getTime() - DAY_MS))
}

/** @throws AppError storage_unavailable */
export async function examinePasskeys(worlds: Worlds, origin: string): Promise<PasskeyFacts> {
  return { origin, ...(await readOtherHosts(mainWorld(worlds).db, hostOf(origin))) }
}

/** Reads only what is open, however much there is. @throws AppError storage_unavailable */
export async function examineWorld(ctx: Context): Promise<WorldExamination> {
  const accounts = await listAccounts(ctx)
  return {
    world: ctx.world,
    work: await measureOpenWork(ctx.db, ctx.clock.now()),
    queue: await measureQueue(ctx.db),
    mails: await measureMails(ctx.db),
    accounts: accounts
      .filter(
        ({ problem, blocks, lastRefusal, health }) =>
          problem || lastRefusal || blocks.length > 0 || health.state !== 'ok',
      )
      .map((account) => ({ ...account, isRefusedLately: isRefusedLately(ctx, account) })),
    silent: await listSilentAccounts(
      ctx.db,
      new Date(ctx.clock.now().getTime() - SILENT_FOR_MS),
      SILENT_REQUESTS,
    ),
    receivers: await listRestingReceivers(ctx),
    unlimitedTokens: await countUnlimitedTokens(ctx.db, MONEY_SCOPE, ctx.clock.now()),
    limits: ctx.world === 'live' ? await suggestLimits(ctx) : null,
  }
}

/** A provider that answered none of several requests within this time is not reached at present. */
const SILENT_FOR_MS = 15 * 60_000
const SILENT_REQUESTS = 3

/** A refusal within this time probably still applies. */
const DAY_MS = 24 * 3_600_000
const LATELY_MS = DAY_MS

function isRefusedLately({ clock }: Context, { lastRefusal }: AccountView): boolean {
  return lastRefusal !== null && clock.now().getTime() - new Date(lastRefusal.at).getTime() < LATELY_MS
}
