/**
 * An operator pauses, closes or resumes a merchant, in both worlds at once. Nothing new begins then, and what has begun goes on.
 * Rule: what is still open stands in the way of closing, unless the operator says why.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Worlds } from '../../context.ts'
import type { World } from '../../contract/health.ts'
import { AppError } from '../../errors.ts'
import { getMerchant, type MerchantRecord } from '../../merchants/merchant.ts'
import { type MerchantState, setMerchantState } from '../../merchants/state.ts'
import { findMerchantWork, type MerchantWork } from '../../storage/merchants/merchant-work.ts'
import { listWorlds } from '../../worlds.ts'
import { doOrRehearse } from './rehearse.ts'

/** No process knows the old state for longer. */
const NOTICED_MS = 1_000

/** `count`: at most 1,000. */
export type OpenItem = { world: World; what: keyof MerchantWork; count: number }
export type StateChange = { before: MerchantRecord; after: MerchantRecord; open: OpenItem[] }

/**
 * `ctx`: the world of the command; the state belongs to both. Returns what is open in any world and goes on. A payment may begin
 * between the look at what is open and the moment at which each process knows the state, so a stopped merchant is looked at again.
 * @throws AppError not_found; validation_failed for closing without `why` while something is open
 */
export async function changeMerchantState(
  ctx: Context,
  worlds: Worlds,
  given: { merchantId: string; state: MerchantState; why?: string | undefined; dryRun: boolean },
): Promise<StateChange> {
  const { merchantId, state, why, dryRun } = given
  await getMerchant(ctx, merchantId)
  const open = await listOpenItems(worlds, merchantId)
  if (state === 'closed' && open.length > 0 && why === undefined) throw stillOpen(open)
  const changed = await doOrRehearse(ctx, { dryRun }, (own) =>
    setMerchantState(own, merchantId, { state, why: why ?? null }),
  )
  if (state === 'open' || dryRun) return { ...changed, open }
  await sleep(NOTICED_MS)
  return { ...changed, open: await listOpenItems(worlds, merchantId) }
}

async function listOpenItems(worlds: Worlds, merchantId: string): Promise<OpenItem[]> {
  const perWorld = listWorlds(worlds).map(async ({ db, world }) => {
    const work = Object.entries(await findMerchantWork(db, merchantId)) as [keyof MerchantWork, number][]
    return work.filter(([, count]) => count > 0).map(([what, count]) => ({ world, what, count }))
  })
  return (await Promise.all(perWorld)).flat()
}

/** What is open, in words. */
export const OPEN_WORDS: Record<keyof MerchantWork, string> = {
  openPayments: 'payments that can still be paid',
  heldPayments: 'payments whose money is held: capture or void them',
  undecidedPayments: 'undecided payments',
  disputedPayments: 'disputed payments',
  openOperations: 'operations that are not finished',
  runningSubscriptions: 'running subscriptions: cancel them, or they wait',
}

function stillOpen(open: readonly OpenItem[]): AppError {
  const listed = open.map(({ world, what, count }) => `- ${count} ${OPEN_WORDS[what]} (${world})`)
  return new AppError('validation_failed', {
    reason: 'merchant_busy',
    message: ['The merchant cannot be closed yet. It still has:', ...listed].join('\n'),
    hint: 'End these first, or pause the merchant. To close it all the same, say why: these then go on, and only renewals wait.',
  })
}
