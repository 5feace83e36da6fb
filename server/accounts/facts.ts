/**
 * What an account's contract allows, as its provider has shown it. A right that is not known counts as granted, so that the provider
 * decides.
 */
import type { Context } from '../context.ts'
import type { ProviderRight } from '../providers/driver.ts'
import type { Account } from '../providers/registry.ts'
import { type FactRecord, saveAccountFact } from '../storage/accounts/facts.ts'

type FactSource = Pick<Context, 'accounts' | 'clock' | 'db' | 'log'>

export type Facts = ReadonlyMap<string, FactRecord>

const NONE: Facts = new Map()

/** Returns what is known of the account, from memory. */
export function recallFacts({ accounts }: Pick<FactSource, 'accounts'>, accountId: string): Facts {
  return accounts.recall()?.byId.get(accountId)?.facts ?? NONE
}

/** How long a provider's answer is used. Then the provider is asked again, because it does not tell us when its answer changes. */
const BELIEVED_MS = 24 * 3_600_000

/** Whether the provider was found not to allow this. `name`: a right, or a capability without a right. */
export function isDenied(
  ctx: Pick<FactSource, 'accounts' | 'clock'>,
  { id }: Pick<Account, 'id'>,
  name: string,
): boolean {
  const fact = recallFacts(ctx, id).get(name)
  if (fact?.value !== false) return false
  return fact.source === 'test' || ctx.clock.now().getTime() - fact.learnedAt.getTime() < BELIEVED_MS
}

/** Stores whether the provider allows this. What was never denied is not stored, unless a test of the account has shown it. */
export async function noteRight(
  ctx: FactSource,
  { id }: Pick<Account, 'id'>,
  {
    right,
    granted,
    reason,
    source,
  }: Pick<FactRecord, 'reason' | 'source'> & { right: ProviderRight; granted: boolean },
): Promise<void> {
  const isKnownDenied = recallFacts(ctx, id).get(right)?.value === false
  if (source === 'answer' && granted && !isKnownDenied) return
  const learnedAt = ctx.clock.now()
  await saveAccountFact(ctx.db, { accountId: id, name: right, value: granted, reason, source, learnedAt })
  ctx.accounts.forget()
  if (granted && isKnownDenied) ctx.log.info({ accountId: id, right }, 'the provider allows this again')
  if (!granted)
    ctx.log.warn({ accountId: id, right, reason }, 'the provider does not allow this account to do this')
}
