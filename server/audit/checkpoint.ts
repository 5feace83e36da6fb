/**
 * Checkpoints: what the last row of the audit log was at a time, signed. They leave the database, so somebody who can write everything in
 * it, and calculates the whole chain anew, does not agree with them.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { defaultDataDir } from '../postgres/embedded.ts'
import type { Checkpoint, CheckpointGuard } from '../storage/audit/checkpoints.ts'

/** What precedes the 32 bytes of an Ed25519 key in its standard form. */
const PRIVATE_KEY = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY = Buffer.from('302a300506032b6570032100', 'hex')

type Signed = Pick<Checkpoint, 'seq' | 'digest' | 'at'>
type Keyed = Pick<Context, 'vault'>

/** The key follows from the oldest key of SECRETS_KEY. It changes when that key is removed. */
function privateKey({ vault }: Keyed): KeyObject {
  const key = Buffer.concat([PRIVATE_KEY, vault.derive('audit-checkpoint')])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

/** Returns the public key that belongs to the checkpoints of this deployment, as base64. */
export function checkpointKey(ctx: Keyed): string {
  const der = createPublicKey(privateKey(ctx)).export({ format: 'der', type: 'spki' })
  return der.subarray(PUBLIC_KEY.length).toString('base64')
}

/** Signs a text of this deployment. Its first line says what the text is, so that no text counts as another kind. */
export function signText(ctx: Keyed, text: string): string {
  return sign(null, Buffer.from(text), privateKey(ctx)).toString('base64')
}

/** Whether the owner of the public key has signed the text. */
export function isTextSigned(
  text: string,
  { publicKey, signature }: Record<'publicKey' | 'signature', string>,
): boolean {
  const bytes = Buffer.from(publicKey, 'base64')
  if (bytes.length !== 32) return false
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_KEY, bytes]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

const textOf = ({ seq, digest, at }: Signed) => `kassa audit checkpoint\n${seq}\n${digest}\n${at}\n`
const guardTextOf = ({ seq, digest, at }: Signed, guard: Omit<CheckpointGuard, 'signature'>) =>
  `kassa audit guard\n${seq}\n${digest}\n${at}\n${guard.isGuarded}\n${guard.revocations}\n${
    guard.watch ? `${guard.watch.place}\n${guard.watch.digest}\n${guard.watch.migrations}\n` : ''
  }`

/** Signs what the last row of the log is, and what else is true of it now. */
export function signCheckpoint(
  ctx: Keyed,
  signed: Signed,
  guard: Omit<CheckpointGuard, 'signature'>,
): Checkpoint {
  return {
    ...signed,
    publicKey: checkpointKey(ctx),
    signature: signText(ctx, textOf(signed)),
    guard: { ...guard, signature: signText(ctx, guardTextOf(signed, guard)) },
  }
}

/** Whether the owner of the public key has signed it. */
export function isSigned(checkpoint: Checkpoint): boolean {
  const { publicKey, guard } = checkpoint
  if (!isTextSigned(textOf(checkpoint), checkpoint)) return false
  return !guard || isTextSigned(guardTextOf(checkpoint, guard), { publicKey, signature: guard.signature })
}

/**
 * Where checkpoints and revocations are kept outside the database. Null: nowhere. An embedded database has the place beside it
 * unless the settings name another.
 */
export function checkpointFolder({
  auditCheckpointDir,
  databaseUrl,
  dataDir,
}: Context['config']): string | null {
  if (auditCheckpointDir !== undefined) return auditCheckpointDir
  return databaseUrl === undefined ? join(dataDir ?? defaultDataDir(), 'audit') : null
}
