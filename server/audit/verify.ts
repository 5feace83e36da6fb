/** Checks that nothing in the audit log was changed, removed or added, by its chain and by checkpoints that were outside. */
import { createHash } from 'node:crypto'
import { type Context, systemClock } from '../context.ts'
import { AppError } from '../errors.ts'
import { type Checkpoint, listCheckpoints } from '../storage/audit/checkpoints.ts'
import { type AuditRecord, isFilling, RESTORE, readAuditChain } from '../storage/audit/log.ts'
import { listStoppedTriggers, readWatch } from '../storage/audit/watched.ts'
import { checkpointKey, isSigned } from './checkpoint.ts'
import { judgeLog, readAnchors } from './state.ts'
import { listDisturbances } from './watch.ts'

const BATCH = 1_000

/** A fault, in words for the person who examines the log. `seq`: the first wrong row. */
export type Fault = {
  kind: 'changed' | 'removed' | 'added' | 'checkpoint' | 'gone' | 'refused' | 'stopped'
  seq: number
  message: string
}
/** The rows that a restore of an older backup has lost. `from`: the number of the first one. */
export type Gap = { from: number; backupAt: string; restoredAt: string; message: string }
export type Verified = {
  rows: number
  head: { seq: number; digest: string } | null
  checkpoints: number
  publicKey: string
  faults: Fault[]
  gaps: Gap[]
  /** Whether another role owns the log. */
  isGuarded: boolean
  warnings: string[]
}

/** What the start, the doctor and `audit verify` say about a log that the service's role could make anew. */
export const UNGUARDED =
  'The role of the service owns the audit log, so whoever takes over the service could make it anew. The guide Deploying, under Another owner for the audit log, has the statements that end this.'

export const explainStopped = (triggers: readonly string[]) =>
  `These triggers of the audit log are missing or stopped, so changes of their tables leave no row: ${triggers.join(', ')}. Whoever owns the tables has stopped them.`

type Restore = { seq: number; backupAt: string; restoredAt: string }
type WalkedLog = {
  rows: number
  last: AuditRecord | null
  faults: Fault[]
  restores: Restore[]
  /** When the database was filled by a restore or a move. */
  fillings: string[]
  digests: Map<number, string>
}

/** The canonical text of a row, as the function of the database has it. */
function digestOf(row: AuditRecord): string {
  const values = [
    ...[String(row.seq), row.at, row.act, row.who, row.operatorId, row.origin, row.what, row.world],
    ...[row.merchantId, row.about, row.before, row.after, row.previous],
  ]
  const content = values
    .map((value) => (value === null ? '-' : `${Buffer.byteLength(value)}:${value}`))
    .join(' ')
  return createHash('sha256').update(content).digest('hex')
}

/**
 * Walks over the whole log. `given`: checkpoints from outside, with the lines that they come from. `keys`: public keys that counted
 * before SECRETS_KEY was replaced.
 */
export async function verifyLog(
  ctx: Context,
  { given, keys }: { given: Checkpoint[]; keys: string[] },
): Promise<Verified> {
  const publicKey = checkpointKey(ctx)
  const { refusal, warnings, guard } = await judgeLog(ctx, systemClock.now())
  const state = {
    isGuarded: guard.isGuarded,
    warnings: [...(guard.isGuarded || refusal ? [] : [UNGUARDED]), ...warnings],
  }
  if (!guard.hasLog) {
    const faults: Fault[] = [{ kind: 'gone', seq: 1, message: refusal ?? 'This database has no audit log.' }]
    return { rows: 0, head: null, checkpoints: given.length, publicKey, faults, gaps: [], ...state }
  }
  // The same one may be in the database, in a file and in a mail. A changed copy is another one.
  const known = [...(await listCheckpoints(ctx.db)), ...(await readAnchors(ctx)), ...given]
  const checkpoints = [...new Map(known.map((each) => [identityOf(each), each])).values()]
  const walked = await walk(ctx, new Set(checkpoints.map(({ seq }) => seq)))
  const gaps = new Map<number, Gap>()
  const faults = [...walked.faults]
  if (refusal) faults.push({ kind: 'refused', seq: 1, message: refusal })
  const stopped = await listStoppedTriggers(ctx.db)
  if (stopped.length > 0)
    faults.push({ kind: 'stopped', seq: (walked.last?.seq ?? 0) + 1, message: explainStopped(stopped) })
  const ours = checkpoints.filter((each) => isSigned(each) && [publicKey, ...keys].includes(each.publicKey))
  const now = { isGuarded: guard.isGuarded, watch: await readWatch(ctx.db) }
  for (const message of listDisturbances(ours, now, walked.fillings))
    faults.push({ kind: 'stopped', seq: (walked.last?.seq ?? 0) + 1, message })
  for (const checkpoint of checkpoints) {
    const found = judge(checkpoint, walked, [publicKey, ...keys])
    if (found && 'kind' in found) faults.push(found)
    else if (found) gaps.set(found.from, found)
  }
  for (const restore of walked.restores) if (!gaps.has(restore.seq)) gaps.set(restore.seq, gapOf(restore))
  const { rows, last } = walked
  const head = last && { seq: last.seq, digest: last.digest }
  return {
    rows,
    head,
    checkpoints: checkpoints.length,
    publicKey,
    faults,
    gaps: [...gaps.values()],
    ...state,
  }
}

const identityOf = ({ seq, digest, at, publicKey, signature, guard }: Checkpoint) => {
  const { isGuarded, revocations, watch, signature: ofGuard } = guard ?? {}
  const watched = [watch?.place, watch?.digest, watch?.migrations]
  return [seq, digest, at, publicKey, signature, isGuarded, revocations, ofGuard, ...watched].join(' ')
}

async function walk({ db }: Context, wanted: ReadonlySet<number>): Promise<WalkedLog> {
  const walked: WalkedLog = {
    rows: 0,
    last: null,
    faults: [],
    restores: [],
    fillings: [],
    digests: new Map(),
  }
  for (;;) {
    const rows = await readAuditChain(db, walked.last?.seq ?? 0, BATCH)
    for (const row of rows) {
      walked.faults.push(...faultsOf(row, walked.last))
      if (wanted.has(row.seq)) walked.digests.set(row.seq, row.digest)
      if (row.about === RESTORE) walked.restores.push(restoreOf(row))
      if (isFilling(row)) walked.fillings.push(row.at)
      walked.last = row
      walked.rows++
    }
    if (rows.length < BATCH) return walked
  }
}

function faultsOf(row: AuditRecord, last: AuditRecord | null): Fault[] {
  const { seq } = row
  const before = last?.seq ?? 0
  const faults: Fault[] = []
  if (seq !== before + 1) {
    const which = seq - 1 === before + 1 ? `Row ${before + 1} was` : `Rows ${before + 1} to ${seq - 1} were`
    faults.push({ kind: 'removed', seq: before + 1, message: `${which} removed.` })
  } else if (row.previous !== (last?.digest ?? '')) {
    const message = `Row ${seq} does not follow ${last ? `row ${before}` : 'the beginning'}: row ${seq} was added past the log's function, or the row before it was changed or replaced.`
    faults.push({ kind: 'added', seq, message })
  }
  if (digestOf(row) !== row.digest)
    faults.push({
      kind: 'changed',
      seq,
      message: `Row ${seq} was changed: its digest is not that of its values.`,
    })
  return faults
}

function restoreOf({ seq, at, after }: AuditRecord): Restore {
  return { seq, restoredAt: at, backupAt: JSON.parse(after ?? '{}').backupAt ?? '' }
}

function gapOf({ seq: from, backupAt, restoredAt }: Restore): Gap {
  const message = `A backup of ${backupAt} was restored at ${restoredAt}. What was done between is not in the log: its rows had numbers from ${from} on.`
  return { from, backupAt, restoredAt, message }
}

/** Returns what a checkpoint shows: a fault, the gap of a restore, or null if it agrees with the log. */
function judge(
  checkpoint: Checkpoint,
  { last, digests, restores }: WalkedLog,
  keys: string[],
): Fault | Gap | null {
  const { seq, at } = checkpoint
  const fault = (message: string): Fault => ({
    kind: 'checkpoint',
    seq,
    message: `The checkpoint of ${at} ${message}`,
  })
  if (!isSigned(checkpoint)) return fault('has a wrong signature: it was changed, or somebody else made it.')
  if (!keys.includes(checkpoint.publicKey))
    return fault(
      `was signed by the key ${checkpoint.publicKey}, which is not this deployment's. If it was before SECRETS_KEY was replaced, add --key ${checkpoint.publicKey}`,
    )
  if (digests.get(seq) === checkpoint.digest) return null
  const restore = restores.find((each) => each.seq <= seq && each.backupAt < at && at <= each.restoredAt)
  if (restore) return gapOf(restore)
  if (seq > (last?.seq ?? 0))
    return fault(`names row ${seq}, and the log ends with row ${last?.seq ?? 0}: rows were removed.`)
  return fault(
    `has another digest of row ${seq}: up to it a row was changed, removed or added, and the digests after it calculated anew.`,
  )
}

/** Reads checkpoints from the text of files, of mails or of the service's log. @throws AppError validation_failed */
export function parseCheckpoints(text: string, name: string): Checkpoint[] {
  const found = text.split('\n').flatMap((line) => {
    try {
      const { checkpoint = null, ...own } = JSON.parse(/\{.*\}/.exec(line)?.[0] ?? '')
      return [checkpoint ?? own]
    } catch {
      return []
    }
  })
  const checkpoints = found.filter(isCheckpoint)
  if (checkpoints.length > 0) return checkpoints
  throw new AppError('validation_failed', { message: `There is no checkpoint in ${name}.` })
}

function isCheckpoint(value: Record<string, unknown>): value is Checkpoint & Record<string, unknown> {
  const texts = [value.digest, value.at, value.publicKey, value.signature]
  return Number.isSafeInteger(value.seq) && texts.every((each) => typeof each === 'string')
}
