/**
 * Whether an account can be used now. It is noticed at the answers of its provider, and so is its end.
 * Rule: health never decides a payment. An account that is not well delays a payment; only the provider's answer about the order
 * ends one.
 */
import type { Context } from '../context.ts'
import { type HealthRecord, type HealthState, saveUnwell, saveWell } from '../storage/accounts/health.ts'
import type { Accounts, DirectoryEntry } from './directory.ts'

export type { HealthState } from '../storage/accounts/health.ts'

/** `since`: null for an account that was never anything but well. `reason`: in the operator's words. */
export type Health = Pick<HealthRecord, 'state' | 'reason' | 'refusal' | 'refusedTaking'> & {
  since: Date | null
}

type HealthSource = Pick<Context, 'accounts' | 'clock' | 'db' | 'log' | 'metrics'>

/** After a state began, the provider is first asked again so long after it. */
export const QUESTION_PAUSE_MIN_MS = 60_000
/** A process that can open an account believes one that cannot for so long. */
const UNOPENABLE_STAYS_MS = 60_000
/**
 * A refusing account gets no new payments. After so long without a new refusal one payment is tried again, because not every
 * provider has a harmless question that shows whether it takes payments again.
 */
export const TRIED_AGAIN_AFTER_MS = 5 * 60_000

const WELL: Health = { state: 'ok', since: null, reason: null, refusal: null, refusedTaking: false }

/** Returns the health of an account from memory. */
export function healthOf({
  record,
  problem,
  health,
}: Pick<DirectoryEntry, 'record' | 'problem' | 'health'>): Health {
  if (problem === null) return health ?? WELL
  const since = health?.state === 'unopenable' ? health.since : record.activeFrom
  return { state: 'unopenable', since, reason: problem, refusal: null, refusedTaking: false }
}

export function recallHealth({ accounts }: Pick<HealthSource, 'accounts'>, accountId: string): Health {
  const entry = accounts.recall()?.byId.get(accountId)
  return entry ? healthOf(entry) : WELL
}

/** Whether new payments may go to this account, as far as its health is concerned. */
export function takesPayments(
  { clock }: Pick<HealthSource, 'clock'>,
  entry: Pick<DirectoryEntry, 'record' | 'problem' | 'health'> | undefined,
): boolean {
  const health = entry && healthOf(entry)
  if (health?.state !== 'refusing') return true
  const refusedAt = Math.max(health.since?.getTime() ?? 0, entry?.record.refusedAt?.getTime() ?? 0)
  return clock.now().getTime() - refusedAt >= TRIED_AGAIN_AFTER_MS
}

/** Returns the accounts that cannot be opened, or can again, and of which the database does not know it yet. */
export function listMistaken({ byId }: Accounts, now: Date): DirectoryEntry[] {
  return [...byId.values()].filter(({ problem, health }) => {
    if (health?.state !== 'unopenable') return problem !== null
    // Another process may lack a key that this one has. It reports again, so its report stays for a while.
    return problem === null && now.getTime() - health.since.getTime() >= UNOPENABLE_STAYS_MS
  })
}

const findStored = ({ accounts }: Pick<HealthSource, 'accounts'>, accountId: string) =>
  accounts.recall()?.byId.get(accountId)?.health

type UnwellAccount = Pick<Health, 'reason'> & {
  state: Exclude<HealthState, 'ok'>
  refusal?: Health['refusal']
  refusedTaking?: boolean
}

/** Stores that an account is not well, if it is not known yet, and tells the operator in the log. */
export async function noteUnwell(ctx: HealthSource, accountId: string, given: UnwellAccount): Promise<void> {
  const { state, reason, refusal = null, refusedTaking = false } = given
  const known = findStored(ctx, accountId)
  const isKnown = known?.state === state && known.reason === reason && known.refusal === refusal
  // A provider that is away is noticed rarely, and the memory may be older than its last answer to another process.
  if (state !== 'away' && isKnown && (known.refusedTaking || !refusedTaking)) return
  const now = ctx.clock.now()
  const dueAt = state === 'unopenable' ? null : new Date(now.getTime() + QUESTION_PAUSE_MIN_MS)
  const before = await saveUnwell(ctx.db, {
    accountId,
    state,
    since: now,
    reason,
    refusal,
    refusedTaking,
    dueAt,
  })
  if (before === null) return
  ctx.accounts.forget()
  if (before !== state)
    ctx.log.warn({ accountId, state, reason, before }, 'a provider account cannot be used')
}

/** Stores that the state that this process knows of is over. If the account is in another state by now, nothing changes. */
export async function noteWell(ctx: HealthSource, accountId: string): Promise<void> {
  const { state: ends = 'ok' } = findStored(ctx, accountId) ?? {}
  if (ends === 'ok') return
  const isEnded = await saveWell(ctx.db, { accountId, ends, since: ctx.clock.now() })
  ctx.accounts.forget()
  if (isEnded) ctx.log.info({ accountId, before: ends }, 'a provider account can be used again')
}

/** The provider is reached again, or not any more. `unanswered`: the requests in a row without an answer. */
export async function noteReach(
  ctx: HealthSource,
  accountId: string,
  { unanswered }: { unanswered: number },
): Promise<void> {
  if (unanswered > 0) await noteUnwell(ctx, accountId, { state: 'away', reason: UNANSWERED })
  else if (recallHealth(ctx, accountId).state === 'away') await noteWell(ctx, accountId)
}

const UNANSWERED = 'The provider does not answer.'

/** What an operator does about it, without naming a command. */
export function adviceOn({ state, refusal }: Pick<Health, 'state' | 'refusal'>): string | null {
  if (state === 'ok') return null
  if (state === 'away')
    return 'Look at the provider’s status page. Nothing else has to be done: the provider is asked again every few minutes.'
  if (state === 'unopenable')
    return 'Restore the key that its credentials were stored under, or give the account its credentials again.'
  if (state === 'unclear')
    return 'Look at the payments of this account that wait for a person: each has a warning with what the provider answered. A newer version may know a word that this one does not. New payments are taken meanwhile.'
  return ADVICE[refusal ?? 'account']
}

const ADVICE: Record<NonNullable<Health['refusal']>, string> = {
  credentials: 'Give the account valid credentials.',
  rights: 'Give the credentials the rights that the provider’s guide lists, then test the account.',
  account: 'Look at the provider’s dashboard for what it wants of this account before it takes payments.',
}
