/**
 * Asks providers again about accounts that are not well, with a harmless request, so that the end of a trouble is noticed by itself.
 */
import { findAccount } from '../accounts/choice.ts'
import { ASKED_AGAIN_AFTER_MS, listMistaken, noteHealth, recallHealth } from '../accounts/health.ts'
import type { Context } from '../context.ts'
import { claimAccountHealth } from '../storage/accounts/health.ts'
import { checkAccount } from './account-test.ts'

/** The longest pause between two questions. */
const ASKED_EVERY_MS = 5 * 60_000

/** Asks about one account if it is due. Returns how many were asked: 0 or 1. */
export async function askAgain(ctx: Context, accountId: string): Promise<number> {
  const now = ctx.clock.now()
  const { checks = 0 } = ctx.accounts.recall()?.byId.get(accountId)?.health ?? {}
  const pauseMs = Math.min(ASKED_AGAIN_AFTER_MS * 2 ** Math.min(checks, 10), ASKED_EVERY_MS)
  const claimed = await claimAccountHealth(ctx.db, accountId, {
    now,
    again: new Date(now.getTime() + pauseMs),
  })
  const account = claimed && (await findAccount(ctx, accountId))
  if (!account) return 0
  await checkAccount(ctx, account)
  return 1
}

/** Stores which accounts cannot be opened any more, and which can again. */
export async function noteUnopenable(ctx: Context): Promise<void> {
  for (const { record, problem } of listMistaken(await ctx.accounts.read())) {
    const isOver = problem === null && recallHealth(ctx, record.id).state === 'unopenable'
    if (problem !== null) await noteHealth(ctx, record.id, { state: 'unopenable', reason: problem })
    else if (isOver) await noteHealth(ctx, record.id, { state: 'ok', reason: null })
  }
}
