/**
 * The key that encrypts and signs backups. Everything is derived from it with HKDF-SHA-256: a key for each file of each backup, and
 * the Ed25519 key that signs manifests.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

/** What precedes the 32 bytes of a private Ed25519 key in its standard form. */
const PRIVATE_KEY = Buffer.from('302e020100300506032b657004220420', 'hex')
const NO_SALT = Buffer.alloc(0)

/** `id`: names the key, and does not help to find it. `publicKey`: PEM; it checks signatures without the key. */
export type BackupKey = {
  id: string
  publicKey: string
  /** The key of one file. Each backup has its own `salt`, so two files never share a key. */
  ofFile(salt: Buffer, file: string): Buffer
  sign(bytes: Buffer): Buffer
  isSigned(bytes: Buffer, signature: Buffer): boolean
}

/** `text`: base64 of 32 bytes. */
export function openBackupKey(text: string): BackupKey {
  const secret = Buffer.from(text, 'base64')
  const derive = (salt: Buffer, purpose: string) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `kassa backup ${purpose}`, 32))
  const seed = derive(NO_SALT, 'signature')
  const signing: KeyObject = createPrivateKey({
    key: Buffer.concat([PRIVATE_KEY, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const checking = createPublicKey(signing)
  const publicKey = String(checking.export({ format: 'pem', type: 'spki' }))
  return {
    id: createHash('sha256').update(publicKey).digest('hex').slice(0, 12),
    publicKey,
    ofFile: (salt, file) => derive(salt, `file ${file}`),
    sign: (bytes) => sign(null, bytes, signing),
    isSigned: (bytes, signature) => verify(null, bytes, checking, signature),
  }
}
