/**
 * Whether our database is older than what the providers know, because an older backup was restored.
 * Rule: while a restore is open, no refund, capture, void or renewal is sent. A new order is opened only after the provider was asked
 * for it, because the merchant may be repeating a request that our database has lost.
 */
import type { Context } from '../context.ts'
import type { OpenedBetween } from '../providers/driver.ts'
import type { Account } from '../providers/registry.ts'
import type { Queryable } from '../storage/db.ts'
import type { Payment } from '../storage/payments/payment.ts'
import { findLatestRestore, type RestoreRecord } from '../storage/restores/restores.ts'

/** How soon a process learns that the restore was ended. */
const READ_EVERY_MS = 1_000
/** A backup is a little older than its time, and clocks differ. */
export const MARGIN_MS = 3_600_000

/** The statusReason of an operation that waits. Merchants read it. */
export const WAITS_FOR_RESTORE =
  'waiting: the payment service had to restore its records, and is comparing them with the payment provider. The operation is carried out after that, by itself.'

type Read = { restore: RestoreRecord | null; at: number }
/** For each world: the latest restore. It can only begin before a process starts, so only an open one is read again. */
const reads = new WeakMap<Context['db'], Read>()

/** Returns the latest restore of this world; null if there never was one. `via`: the caller's transaction. */
export async function latestRestore(
  { db }: Pick<Context, 'db'>,
  via: Queryable = db,
): Promise<RestoreRecord | null> {
  const known = reads.get(db)
  const isFinal = known && (known.restore === null || known.restore.endedAt !== null)
  if (known && (isFinal || performance.now() - known.at < READ_EVERY_MS)) return known.restore
  const restore = await findLatestRestore(via)
  reads.set(db, { restore, at: performance.now() })
  return restore
}

/** Returns the open restore: refunds, captures, voids and renewals wait. Null if nothing waits. */
export async function openRestore(ctx: Pick<Context, 'db'>): Promise<RestoreRecord | null> {
  const restore = await latestRestore(ctx)
  return restore?.endedAt === null ? restore : null
}

/**
 * Whether the provider may already have an order that was planned at this time. Merchants repeat a request for as long as its key is
 * replayed, so this is so for that time after the restore, and while the restore is open.
 */
export async function mayBeKnownAlready(ctx: Context, plannedAt: Date): Promise<boolean> {
  const restore = await latestRestore(ctx)
  if (!restore || plannedAt < restore.restoredAt) return false
  if (restore.endedAt === null) return true
  return plannedAt.getTime() < restore.restoredAt.getTime() + ctx.config.idempotencyTtlSeconds * 1000
}

/** Whether our database may have forgotten that we handed out the address of an order that was planned at this time. */
export async function mayBeHandedOut(ctx: Context, plannedAt: Date): Promise<boolean> {
  const restore = await latestRestore(ctx)
  if (restore === null) return false
  return plannedAt < restore.restoredAt || mayBeKnownAlready(ctx, plannedAt)
}

/** An order is opened soon after it was planned, and at most so much later. */
const OPENED_WITHIN_MS = 26 * MARGIN_MS

/** Returns when an order may have been opened that was planned at this time. */
export async function openedBetween(ctx: Context, plannedAt: Date): Promise<OpenedBetween> {
  const latest = plannedAt.getTime() + OPENED_WITHIN_MS
  const before = new Date(Math.min(ctx.clock.now().getTime(), latest))
  if (!(await mayBeKnownAlready(ctx, plannedAt))) return { after: plannedAt, before }
  const { backupAt } = (await latestRestore(ctx)) as RestoreRecord
  return { after: new Date(backupAt.getTime() - MARGIN_MS), before }
}

/** Numbers of a sequence were lost with the database, and so were the ids that the provider gave. */
export const hasNoOwnName = ({ driver }: Pick<Account, 'driver'>): boolean =>
  driver.orderNumbers !== undefined || driver.foundByStateOnly === true

const DAY_MS = 24 * MARGIN_MS
/** The lost days may have been busier than any before, and there may have been nothing before the backup. */
const BUSIER_TIMES = 2
const SKIPPED_MIN = 50
const SKIPPED_MAX = 1_000_000

/** Returns how many numbers may have been used since the backup. `busiestDay`: how many were used on the busiest day before it. */
export function countLostNumbers({ backupAt, restoredAt }: RestoreRecord, busiestDay: number): number {
  const days = Math.ceil((restoredAt.getTime() - backupAt.getTime()) / DAY_MS) + 1
  return Math.min(Math.max(busiestDay * days * BUSIER_TIMES, SKIPPED_MIN), SKIPPED_MAX)
}

/**
 * Whether an order of this payment could be paid after the backup that was restored. If the provider cannot be asked, its messages from
 * that time are lost.
 */
export async function mayBePaidUnseen(
  ctx: Pick<Context, 'db'>,
  payment: Pick<Payment, 'createdAt' | 'expiresAt'>,
): Promise<boolean> {
  const restore = await latestRestore(ctx)
  return restore !== null && isOlderThan(restore, payment) && payment.expiresAt > restore.backupAt
}

/** Whether the backup had this payment already. */
export function isOlderThan({ backupAt }: RestoreRecord, { createdAt }: Pick<Payment, 'createdAt'>): boolean {
  return createdAt <= backupAt
}
