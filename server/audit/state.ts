/**
 * Whether the audit log is unchanged. A signed checkpoint outside the database is the anchor: somebody who can write everything in the
 * database cannot sign another one.
 * Rule: once a checkpoint says that the log was guarded, people can change nothing while it is not, or does not continue that checkpoint.
 * Payments, callbacks and events never wait for the log.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { ADMIN } from '../invocation.ts'
import { nameOf } from '../settings/table.ts'
import { type Checkpoint, listCheckpoints } from '../storage/audit/checkpoints.ts'
import { type AuditRecord, findAuditHead, listAuditRestores, readAuditChain } from '../storage/audit/log.ts'
import { type AuditGuard, findAuditGuard } from '../storage/audit/place.ts'
import type { Db } from '../storage/db.ts'
import { checkpointFolder, checkpointKey, isSigned } from './checkpoint.ts'

const DAY_MS = 24 * 3_600_000
/** The worker writes one each day. */
const STALE_MS = 3 * DAY_MS
/** Older files than these are for `audit verify`. */
const FILES_MAX = 20
const FILE = /^kassa-audit-.*\.json$/

type LogContext = Pick<Context, 'db' | 'vault' | 'config'>

/** `refusal`: why people can change nothing; null if they can. `warnings`: what an operator should know and do, as sentences. */
export type LogState = {
  guard: AuditGuard
  anchor: Checkpoint | null
  refusal: string | null
  warnings: string[]
}

/** The checkpoints outside, the newest first, as far as this deployment's key has signed them. */
export async function readAnchors(
  ctx: Pick<Context, 'vault' | 'config'>,
  folder: string | null = checkpointFolder(ctx.config),
): Promise<Checkpoint[]> {
  const names = folder === null ? [] : await readdir(folder).catch(() => [])
  const newest = names
    .filter((name) => FILE.test(name))
    .toSorted()
    .toReversed()
    .slice(0, FILES_MAX)
  const found = await Promise.all(newest.map((name) => readCheckpoint(join(folder ?? '', name))))
  return found.filter((each) => each !== null && isOurs(ctx, each)).filter((each) => each !== null)
}

async function readCheckpoint(file: string): Promise<Checkpoint | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return null
  }
}

function isOurs(ctx: Pick<Context, 'vault'>, checkpoint: Checkpoint): boolean {
  try {
    return checkpoint.publicKey === checkpointKey(ctx) && isSigned(checkpoint)
  } catch {
    return false
  }
}

/** @throws AppError storage_unavailable if the database cannot be reached */
export async function judgeLog(ctx: LogContext, now: Date): Promise<LogState> {
  const guard = await findAuditGuard(ctx.db)
  const outside = await readAnchors(ctx)
  const inside = guard.wasMade ? await readInside(ctx) : []
  const all = [...outside, ...inside].toSorted((one, other) => (one.at < other.at ? 1 : -1))
  const guarded = all.find((each) => each.guard?.isGuarded)
  const broken = await findBreak(ctx.db, guard, { newest: all[0], guarded })
  const wasGuarded = guarded !== undefined
  return {
    guard,
    anchor: outside[0] ?? null,
    refusal: broken && (wasGuarded || !guard.hasLog) ? explain(broken) : null,
    warnings: [
      ...(broken && !wasGuarded && guard.hasLog ? [`${broken} ${EXAMINE}`] : []),
      ...warnOfAnchor(ctx, { outside, inside, now }),
    ],
  }
}

/** A database of a version before has no such columns, and no log to judge either. */
async function readInside(ctx: LogContext): Promise<Checkpoint[]> {
  const found = await listCheckpoints(ctx.db).catch((error: { code?: string }) => {
    if (error.code === UNDEFINED_COLUMN || error.code === UNDEFINED_TABLE) return []
    throw error
  })
  const own = checkpointKey(ctx)
  const newest = found.filter(({ publicKey }) => publicKey === own).toReversed()
  const [latest, guarded] = [newest, newest.filter(({ guard }) => guard?.isGuarded)].map((each) =>
    each.find((checkpoint) => isOurs(ctx, checkpoint)),
  )
  return [latest, guarded].filter((each) => each !== undefined)
}
const UNDEFINED_COLUMN = '42703'
const UNDEFINED_TABLE = '42P01'

const EXAMINE = `Examine it: ${ADMIN} audit verify. The guide Operators, under A log that is not what it was, says what to do.`
const explain = (broken: string) =>
  `${broken} Until this is cleared up nobody can change anything here, in the console or by a command. Payments, callbacks and events go on. ${EXAMINE}`

type Anchors = { newest: Checkpoint | undefined; guarded: Checkpoint | undefined }

/** Returns in what the log differs from what was signed; null if it does not. */
async function findBreak(db: Db, guard: AuditGuard, { newest, guarded }: Anchors): Promise<string | null> {
  if (!guard.wasMade) return null
  if (!guard.hasLog) return 'The audit log of this database is gone.'
  if (guarded && !guard.isGuarded)
    return `The checkpoint of ${guarded.at} says that another role owned the audit log. Now ${guard.isGuardedPlace ? 'the role of the service could change it' : 'it is a table of the service, which could make it anew'}.`
  for (const checkpoint of [newest, guarded]) {
    const broken = checkpoint && (await findGap(db, checkpoint))
    if (broken) return broken
  }
  return null
}

async function findGap(db: Db, { at, seq, digest }: Checkpoint): Promise<string | null> {
  const [row] = await readAuditChain(db, seq - 1, 1)
  if (row?.seq === seq && row.digest === digest) return null
  if ((await listAuditRestores(db)).some((restore) => explains(restore, { at, seq }))) return null
  if (row?.seq === seq)
    return `The checkpoint of ${at} has another digest of row ${seq} of the audit log: the log was changed or replaced.`
  const head = await findAuditHead(db)
  return `The checkpoint of ${at} names row ${seq} of the audit log, and the log ends with row ${head?.seq ?? 0}: rows were removed.`
}

/** A restore has lost the rows between the backup and itself. */
export function explains(
  restore: Pick<AuditRecord, 'seq' | 'at' | 'after'>,
  { at, seq }: Pick<Checkpoint, 'at' | 'seq'>,
): boolean {
  const backupAt: string = JSON.parse(restore.after ?? '{}').backupAt ?? ''
  return restore.seq <= seq && backupAt < at && at <= restore.at
}

type KnownAnchors = { outside: Checkpoint[]; inside: Checkpoint[]; now: Date }

/** Says where nothing outside the database could show that the log was replaced. */
function warnOfAnchor({ config }: LogContext, { outside, inside, now }: KnownAnchors): string[] {
  const folder = checkpointFolder(config)
  const [newest] = outside
  if (folder === null)
    return config.mode === 'live'
      ? [
          `No checkpoint of the audit log is kept outside the database, so nobody would notice a log that was replaced, and a restore has no list of what was revoked since the backup. Set ${nameOf('auditCheckpointDir')} to a directory that the account of PostgreSQL cannot write.`,
        ]
      : []
  const known = inside.filter(({ at }) => now.getTime() - Date.parse(at) > DAY_MS / 24)
  if (!newest)
    return known.length > 0
      ? [
          `There is no checkpoint of the audit log in ${folder} that this deployment has signed, although the database knows of some. Put the files back, and check that the worker may write there. If ${nameOf('secretsKeys')} was replaced, the next checkpoint ends this.`,
        ]
      : []
  if (now.getTime() - Date.parse(newest.at) <= STALE_MS) return []
  return [
    `The newest checkpoint of the audit log in ${folder} is of ${newest.at}. The worker writes one each day: check that it runs and may write there.`,
  ]
}

/** @throws AppError validation_failed while people can change nothing */
export async function expectSoundLog(ctx: LogContext, now: Date): Promise<void> {
  const { refusal } = await judgeLog(ctx, now)
  if (refusal) throw new AppError('validation_failed', { message: refusal })
}
