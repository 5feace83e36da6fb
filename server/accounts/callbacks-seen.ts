/**
 * Whether an account's provider calls back. This is a fact of the account, not of its driver: the webhook has to be set up, and a
 * callback about one of our orders has to have arrived lately. Otherwise the provider is asked more often.
 */
import type { Context } from '../context.ts'
import type { Account } from '../providers/registry.ts'
import { noteCallbackSeen } from '../storage/accounts/accounts.ts'

const HOUR_MS = 3_600_000
/** The time of the last callback is stored at most once an hour, because most callbacks should not cause a write. */
const NOTE_EVERY_MS = HOUR_MS
/** After so long without a callback, callbacks may have been lost. A weekend without sales is shorter. */
const TRUSTED_MS = 72 * HOUR_MS

/** Returns whether the provider of this account calls back. Reads no database. */
export function callsBack(ctx: Context, account: Account): boolean {
  if (!account.driver.callbacksSetUp?.(account.settings)) return false
  const seenAt = recallSeenAt(ctx, account.id)
  return seenAt !== null && ctx.clock.now().getTime() - seenAt.getTime() < TRUSTED_MS
}

/** `calls`: the account's provider calls back. `silent`: it does not, or nobody knows, so it is asked. */
export type CallbackHabit = 'calls' | 'silent'

export function callbackHabitOf(ctx: Context, account: Account | null): CallbackHabit {
  return account && callsBack(ctx, account) ? 'calls' : 'silent'
}

/** How many days after its end an order may still bring money. People at a bank may change an order that has ended there. */
const LATE_MONEY_DAYS: Record<CallbackHabit, number> = { calls: 7, silent: 90 }

/** Returns for how long after its end an order of this account is asked about, because it may still bring money. */
export function lateMoneyMs(ctx: Context, account: Account | null): number {
  return LATE_MONEY_DAYS[callbackHabitOf(ctx, account)] * 24 * HOUR_MS
}

/** Returns whether a callback reports that a buyer has reached the provider. The simulated bank counts before its first callback. */
export function reportsBuyers(ctx: Context, account: Account): boolean {
  return account.driver.callbacksSetUp?.(account.settings) === 'always' || callsBack(ctx, account)
}

/** Notes that a verified callback about one of our orders or saved methods has arrived. */
export async function noteCallback(ctx: Context, { id }: Account): Promise<void> {
  const now = ctx.clock.now()
  const seenAt = recallSeenAt(ctx, id)
  const before = new Date(now.getTime() - NOTE_EVERY_MS)
  if (seenAt !== null && seenAt > before) return
  await noteCallbackSeen(ctx.db, id, { now, before })
  ctx.accounts.forget()
}

function recallSeenAt({ accounts }: Context, id: string): Date | null {
  return accounts.recall()?.byId.get(id)?.record.callbackSeenAt ?? null
}
