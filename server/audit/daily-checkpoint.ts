/** The checkpoint of each day, and the ways by which it leaves the database. */
import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Context, systemClock } from '../context.ts'
import { NO_MERCHANT, newId } from '../id.ts'
import { afterCommit } from '../storage/after-commit.ts'
import {
  type Checkpoint,
  findLatestCheckpoint,
  insertCheckpoint,
  lockCheckpoints,
} from '../storage/audit/checkpoints.ts'
import { findAuditHead } from '../storage/audit/log.ts'
import { findAuditGuard } from '../storage/audit/place.ts'
import { countWrittenRevocations } from '../storage/audit/revocations.ts'
import { readWatch } from '../storage/audit/watched.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { insertNotice } from '../storage/mails/mails.ts'
import { checkpointFolder, signCheckpoint } from './checkpoint.ts'
import { judgeLog } from './state.ts'

const EVERY_MS = 24 * 3_600_000

/**
 * Makes the checkpoint of the day, unless another worker has: a line of the log, a mail if there is a mail server, and a file. A file
 * that is missing is written later. Times are real, in the sandbox too.
 */
export async function makeCheckpoint(ctx: Context, now: Date = systemClock.now()): Promise<void> {
  // A log that is not what it was gets no new signature.
  if ((await judgeLog(ctx, now)).refusal) return
  const latest = await findLatestCheckpoint(ctx.db)
  const isDue = (known: Checkpoint | null) => !known || now.getTime() - Date.parse(known.at) >= EVERY_MS
  const made = isDue(latest)
    ? await inTransaction(ctx.db, async (tx) => {
        await lockCheckpoints(tx)
        const known = await findLatestCheckpoint(tx)
        return isDue(known) ? storeCheckpoint(ctx, tx, now) : known
      })
    : latest
  const folder = checkpointFolder(ctx.config)
  if (made && folder !== null) await writeOnce(folder, made)
}

async function storeCheckpoint(ctx: Context, tx: Tx, now: Date): Promise<Checkpoint | null> {
  const head = await findAuditHead(tx)
  if (!head) return null
  const checkpoint = signCheckpoint(
    ctx,
    { seq: head.seq, digest: head.digest, at: now.toISOString() },
    {
      isGuarded: (await findAuditGuard(tx)).isGuarded,
      revocations: await countWrittenRevocations(tx),
      watch: await readWatch(tx),
    },
  )
  await insertCheckpoint(tx, checkpoint)
  const { smtpServer, operatorEmail } = ctx.config
  if (smtpServer && operatorEmail) {
    const createdAt = ctx.clock.now()
    const id = newId(ctx.world, 'mal', NO_MERCHANT, createdAt)
    const notice = { accounts: [], checkpoint }
    await insertNotice(tx, { merchantId: NO_MERCHANT, id, kind: 'audit_checkpoint', notice, createdAt })
  }
  // With test money alone the file is enough. The line would stand below the greeting of the first start.
  afterCommit(tx, () => ctx.log[ctx.world === 'live' ? 'info' : 'debug']({ checkpoint }, 'audit checkpoint'))
  return checkpoint
}

async function writeOnce(folder: string, checkpoint: Checkpoint): Promise<void> {
  const { at, seq } = checkpoint
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `kassa-audit-${at.replaceAll(/[-:.]/g, '')}-${seq}.json`)
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (!isThere) await writeFile(file, `${JSON.stringify(checkpoint)}\n`, { mode: 0o644 })
}
