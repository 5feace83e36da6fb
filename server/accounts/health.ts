/**
 * Whether an account can be used now. It is noticed at the answers of its provider, and so is its end.
 * Rule: health never decides a payment. An account that is not well delays a payment; only the provider's answer about the order
 * ends one.
 */
import type { Context } from '../context.ts'
import { type HealthRecord, type HealthState, saveAccountHealth } from '../storage/accounts/health.ts'
import type { Accounts, Entry } from './book.ts'

export { HEALTH_STATES, type HealthState } from '../storage/accounts/health.ts'

/** `since`: null for an account that was never anything but well. `reason`: in the operator's words. */
export type Health = Pick<HealthRecord, 'state' | 'reason' | 'refusal'> & { since: Date | null }

type Source = Pick<Context, 'accounts' | 'clock' | 'db' | 'log' | 'metrics'>

/** After a state began, the provider is first asked again so long after it. */
export const ASKED_AGAIN_AFTER_MS = 60_000
/**
 * A refusing account gets no new payments. After so long without a new refusal a payment is tried all the same, because not every
 * provider has a harmless question that shows whether it takes payments again.
 */
export const TRIED_AGAIN_AFTER_MS = 5 * 60_000

export const WELL: Health = { state: 'ok', since: null, reason: null, refusal: null }

/** Returns the health of an account from memory. */
export function healthOf({ record, problem, health }: Pick<Entry, 'record' | 'problem' | 'health'>): Health {
  if (problem === null) return health ?? WELL
  const since = health?.state === 'unopenable' ? health.since : record.activeFrom
  return { state: 'unopenable', since, reason: problem, refusal: null }
}

export function recallHealth({ accounts }: Pick<Source, 'accounts'>, accountId: string): Health {
  const entry = accounts.recall()?.byId.get(accountId)
  return entry ? healthOf(entry) : WELL
}

/** Whether new payments may go to this account, as far as its health is concerned. */
export function takesPayments(
  { clock }: Pick<Source, 'clock'>,
  entry: Pick<Entry, 'record' | 'problem' | 'health'> | undefined,
): boolean {
  const health = entry && healthOf(entry)
  if (health?.state !== 'refusing') return true
  const refusedAt = Math.max(health.since?.getTime() ?? 0, entry?.record.refusedAt?.getTime() ?? 0)
  return clock.now().getTime() - refusedAt >= TRIED_AGAIN_AFTER_MS
}

/** Returns the accounts of which the memory says another state than is stored, because they can or cannot be opened any more. */
export function listMistaken({ byId }: Accounts): Entry[] {
  return [...byId.values()].filter(
    ({ problem, health }) => (problem !== null) !== (health?.state === 'unopenable'),
  )
}

/** Stores the health of an account if it has changed, and tells the operator in the log. */
export async function noteHealth(
  ctx: Source,
  accountId: string,
  given: Pick<Health, 'state' | 'reason'> & { refusal?: Health['refusal'] },
): Promise<void> {
  const { state, reason, refusal = null } = given
  const known = recallHealth(ctx, accountId)
  if (known.state === state && known.reason === reason && known.refusal === refusal) return
  const now = ctx.clock.now()
  const isAsked = state === 'refusing' || state === 'away'
  const dueAt = isAsked ? new Date(now.getTime() + ASKED_AGAIN_AFTER_MS) : null
  const before = await saveAccountHealth(ctx.db, { accountId, state, since: now, reason, refusal, dueAt })
  if (before === null) return
  ctx.accounts.forget()
  if (before !== state) report(ctx, { accountId, before, state, reason })
}

/** The provider is reached again, or not any more. */
export async function noteReach(
  ctx: Source,
  accountId: string,
  { unanswered }: { unanswered: number },
): Promise<void> {
  if (unanswered > 0) {
    const reason = `The provider did not answer ${unanswered} requests in a row.`
    await noteHealth(ctx, accountId, { state: 'away', reason })
  } else if (recallHealth(ctx, accountId).state === 'away')
    await noteHealth(ctx, accountId, { state: 'ok', reason: null })
}

function report(
  { log }: Source,
  {
    before,
    ...change
  }: { accountId: string; before: HealthState; state: HealthState; reason: string | null },
): void {
  if (change.state === 'ok') log.info({ ...change, before }, 'a provider account can be used again')
  else log.warn({ ...change, before }, 'a provider account cannot be used')
}

/** What an operator does about it, without naming a command. */
export function adviceOn({ state, refusal }: Pick<Health, 'state' | 'refusal'>): string | null {
  if (state === 'ok') return null
  if (state === 'away')
    return 'Look at the provider’s status page. Nothing else has to be done: the provider is asked again every few minutes.'
  if (state === 'unopenable')
    return 'Restore the key that its credentials were stored under, or give the account its credentials again.'
  return ADVICE[refusal ?? 'account']
}

const ADVICE: Record<NonNullable<Health['refusal']>, string> = {
  credentials: 'Give the account valid credentials.',
  rights: 'Give the credentials the rights that the provider’s guide lists, then test the account.',
  account: 'Look at the provider’s dashboard for what it wants of this account before it takes payments.',
}
