/**
 * An operator pauses, closes or resumes a merchant, in both worlds at once. Nothing new begins then, and what has begun goes on.
 * Rule: what is still open stands in the way of closing, unless the operator says why.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { World } from '../../contract/health.ts'
import { AppError } from '../../errors.ts'
import {
  getMerchant,
  type MerchantRecord,
  type MerchantState,
  setMerchantState,
} from '../../merchants/merchant.ts'
import { findMerchantWork, type MerchantWork } from '../../storage/merchants/merchants.ts'
import { hasLiveWorld } from '../../storage/migrate.ts'

/** No process knows the old state for longer. */
const NOTICED_MS = 1_000

/** `count`: at most 1,000. */
export type OpenItem = { world: World; what: keyof MerchantWork; count: number }
export type StateChange = { before: MerchantRecord; after: MerchantRecord; open: OpenItem[] }

/**
 * The state belongs to both worlds. Returns what is open in any world and goes on.
 * @throws AppError not_found; validation_failed for closing without `why` while something is open
 */
export async function changeMerchantState(
  ctx: Context,
  { merchantId, state, why }: { merchantId: string; state: MerchantState; why?: string | undefined },
): Promise<StateChange> {
  await getMerchant(ctx, merchantId)
  const open = await listOpenItems(ctx, merchantId)
  if (state === 'closed' && open.length > 0 && why === undefined) throw stillOpen(open)
  return { ...(await setMerchantState(ctx, merchantId, { state, why: why ?? null })), open }
}

/** A payment may begin before each process knows that the merchant has stopped, so what is open is looked at again. */
export async function lookAgain(ctx: Context, change: StateChange): Promise<StateChange> {
  await sleep(NOTICED_MS)
  return { ...change, open: await listOpenItems(ctx, change.after.id) }
}

export async function listOpenItems({ db }: Context, merchantId: string): Promise<OpenItem[]> {
  const worlds: World[] = (await hasLiveWorld(db)) ? ['sandbox', 'live'] : ['sandbox']
  const perWorld = worlds.map(async (world) => {
    const work = await findMerchantWork(db, world, merchantId)
    const counts = Object.entries(work) as [keyof MerchantWork, number][]
    return counts.filter(([, count]) => count > 0).map(([what, count]) => ({ world, what, count }))
  })
  return (await Promise.all(perWorld)).flat()
}

/** What is open, in words. */
const OPEN_WORDS: Record<keyof MerchantWork, string> = {
  openPayments: 'payments that can still be paid',
  heldPayments: 'payments whose money is held: capture or void them',
  undecidedPayments: 'undecided payments',
  disputedPayments: 'disputed payments',
  openOperations: 'operations that are not finished',
  runningSubscriptions: 'running subscriptions: cancel them, or they wait',
}

/** What goes on, for the command line. */
export const openLines = (open: readonly OpenItem[]): string[] =>
  open.map(({ world, what, count }) => `${count} ${OPEN_WORDS[what]} (${world})`)

function stillOpen(open: readonly OpenItem[]): AppError {
  const listed = openLines(open).map((line) => `- ${line}`)
  return new AppError('validation_failed', {
    reason: 'merchant_busy',
    message: ['The merchant cannot be closed yet. It still has:', ...listed].join('\n'),
    hint: 'End these first, or pause the merchant. To close it all the same, say why: these then go on, and only renewals wait.',
  })
}
