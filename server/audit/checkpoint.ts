/**
 * Checkpoints: what the last row of the audit log was at a time, signed. They leave the database, so whoever can write everything in
 * it, and calculates the whole chain anew, does not agree with them.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { access, writeFile } from 'node:fs/promises'
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
import { inTransaction, type Tx } from '../storage/db.ts'
import { insertNotice } from '../storage/mails/mails.ts'

const EVERY_MS = 24 * 3_600_000
/** What precedes the 32 bytes of an Ed25519 key in its standard form. */
const PRIVATE_KEY = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY = Buffer.from('302a300506032b6570032100', 'hex')

type Signed = Omit<Checkpoint, 'signature' | 'publicKey'>

/** The key follows from the oldest key of SECRETS_KEY. It changes when that key is removed. */
function privateKey({ vault }: Pick<Context, 'vault'>): KeyObject {
  const key = Buffer.concat([PRIVATE_KEY, vault.derive('audit-checkpoint')])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

/** Returns the public key that belongs to the checkpoints of this deployment, as base64. */
export function checkpointKey(ctx: Pick<Context, 'vault'>): string {
  const der = createPublicKey(privateKey(ctx)).export({ format: 'der', type: 'spki' })
  return der.subarray(PUBLIC_KEY.length).toString('base64')
}

const textOf = ({ seq, digest, at }: Signed) =>
  Buffer.from(`kassa audit checkpoint\n${seq}\n${digest}\n${at}\n`)

function signCheckpoint(ctx: Pick<Context, 'vault'>, signed: Signed): Checkpoint {
  const signature = sign(null, textOf(signed), privateKey(ctx)).toString('base64')
  return { ...signed, publicKey: checkpointKey(ctx), signature }
}

/** Whether the owner of the public key has signed it. */
export function isSigned(checkpoint: Checkpoint): boolean {
  const bytes = Buffer.from(checkpoint.publicKey, 'base64')
  if (bytes.length !== 32) return false
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_KEY, bytes]), format: 'der', type: 'spki' })
  return verify(null, textOf(checkpoint), key, Buffer.from(checkpoint.signature, 'base64'))
}

/**
 * Makes the checkpoint of the day, unless another worker has: a line of the log, a mail if there is a mail server, and a file. A file
 * that is missing is written later. Times are real, in the sandbox too.
 */
export async function makeCheckpoint(ctx: Context, now: Date = systemClock.now()): Promise<void> {
  const latest = await findLatestCheckpoint(ctx.db)
  const isDue = (known: Checkpoint | null) => !known || now.getTime() - Date.parse(known.at) >= EVERY_MS
  const made = isDue(latest)
    ? await inTransaction(ctx.db, async (tx) => {
        await lockCheckpoints(tx)
        const known = await findLatestCheckpoint(tx)
        return isDue(known) ? storeCheckpoint(ctx, tx, now) : known
      })
    : latest
  const { auditCheckpointDir: folder } = ctx.config
  if (made && folder !== undefined) await writeOnce(folder, made)
}

async function storeCheckpoint(ctx: Context, tx: Tx, now: Date): Promise<Checkpoint | null> {
  const head = await findAuditHead(tx)
  if (!head) return null
  const checkpoint = signCheckpoint(ctx, { seq: head.seq, digest: head.digest, at: now.toISOString() })
  await insertCheckpoint(tx, checkpoint)
  const { smtpServer, operatorEmail } = ctx.config
  if (smtpServer && operatorEmail) {
    const createdAt = ctx.clock.now()
    const id = newId(ctx.world, 'mal', NO_MERCHANT, createdAt)
    const notice = { accounts: [], checkpoint }
    await insertNotice(tx, { merchantId: NO_MERCHANT, id, kind: 'audit_checkpoint', notice, createdAt })
  }
  afterCommit(tx, () => ctx.log.info({ checkpoint }, 'audit checkpoint'))
  return checkpoint
}

async function writeOnce(folder: string, checkpoint: Checkpoint): Promise<void> {
  const { at, seq } = checkpoint
  const file = join(folder, `kassa-audit-${at.replaceAll(/[-:.]/g, '')}-${seq}.json`)
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (!isThere) await writeFile(file, `${JSON.stringify(checkpoint)}\n`, { mode: 0o644 })
}
