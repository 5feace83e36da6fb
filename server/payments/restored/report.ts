/** What an operator sees after a restore: how far the providers were asked, and what the backup did not know. */
import type { Context, Worlds } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import type { World } from '../../contract/health.ts'
import {
  type CheckRecord,
  listRestoreReport,
  type SumRecord,
  sumChecks,
} from '../../storage/restores/checks.ts'
import {
  endRestoreEarly,
  findLatestRestore,
  measureRestore,
  type RestoreProgress,
  type RestoreRecord,
} from '../../storage/restores/restores.ts'
import { listUnknownOrders, type UnknownOrderRecord } from '../../storage/restores/unknown-orders.ts'
import { openRestore } from '../restored.ts'

export type RestoreView = {
  restore: RestoreRecord
  progress: RestoreProgress
  /** The sums of all payments that were asked about, before and after. */
  sums: SumRecord[]
  /** Payments whose status or sums were other than the backup said. */
  changed: CheckRecord[]
  /** Payments and subscriptions about which no provider has said anything. */
  unasked: CheckRecord[]
  unknownOrders: (Omit<UnknownOrderRecord, 'providerAnswer' | 'state'> & {
    providerAnswer: ReportedSums | null
  })[]
}

type ReportedSums = { status: string; capturedMinor: number; refundedMinor: number; currency: CurrencyCode }

/** Returns null if there never was a restore. */
export async function readRestore(ctx: Context, limit: number): Promise<RestoreView | null> {
  const restore = await findLatestRestore(ctx.db)
  if (!restore) return null
  const lines = await listRestoreReport(ctx.db, limit)
  const isChanged = ({ problem, before, after }: CheckRecord) =>
    problem === null && after !== null && JSON.stringify(before) !== JSON.stringify(after)
  return {
    restore,
    progress: await measureRestore(ctx.db),
    sums: await sumChecks(ctx.db),
    changed: lines.filter(isChanged),
    unasked: lines.filter(({ problem }) => problem !== null),
    unknownOrders: (await listUnknownOrders(ctx.db, limit)).map(({ state: _, providerAnswer, ...order }) => ({
      ...order,
      providerAnswer: providerAnswer as ReportedSums | null,
    })),
  }
}

/** Ends the open restore early. Returns false if none is open. */
export async function stopWaiting(
  ctx: Context,
  { by, reason }: { by: string; reason: string },
): Promise<boolean> {
  const ended = await endRestoreEarly(ctx.db, { now: ctx.clock.now(), by, reason })
  if (ended) ctx.log.warn({ by, reason }, 'the comparison after a restore was ended by an operator')
  return ended
}

/** Returns the worlds in which refunds and renewals wait after a restore. */
export async function listOpenRestores({
  sandbox,
  live,
}: Worlds): Promise<{ world: World; backupAt: Date }[]> {
  const found = await Promise.all(
    [live, sandbox].map(async (ctx) => ctx && { world: ctx.world, restore: await openRestore(ctx) }),
  )
  return found.flatMap((each) =>
    each?.restore ? [{ world: each.world, backupAt: each.restore.backupAt }] : [],
  )
}
