/**
 * Seals secrets for the database: AES-256-GCM under the newest of the given keys. The key's id is stored with each value, so
 * that a value sealed under an older key still opens. A value is bound to its place: moved to another row, it does not open.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Sealed = { keyId: string; sealed: Buffer }
/** The place of a value: its world, whose it is, and its name there. */
export type Place = readonly [world: string, owner: string, name: string]
export type Vault = ReturnType<typeof createVault>

/**
 * `secretsKeys`: each base64 of 32 bytes, the newest first; at least one. `kept`: a key that only opens what was sealed under it
 * earlier. Another machine may not have it, so nothing is derived from it.
 */
export function createVault(secretsKeys: readonly string[], kept: string | null = null) {
  const bytes = (text: string) => Buffer.from(text, 'base64')
  const keys = new Map(secretsKeys.map((text) => [keyIdOf(text), bytes(text)]))
  const oldest = [...keys.values()].at(-1)
  if (kept !== null) keys.set(keyIdOf(kept), bytes(kept))
  const [newest] = keys
  if (!newest || !oldest) throw new Error('Bug! A vault needs a key.')
  const [keyId, key] = newest
  return {
    /** The id of the key that new values are sealed under. */
    keyId,
    /** The ids of all keys, the newest first. */
    keyIds: [...keys.keys()],
    seal(text: string, place: Place): Sealed {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(bytesOf(place))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return { keyId, sealed: Buffer.concat([nonce, cipher.getAuthTag(), body]) }
    },
    /** @throws Error when the value was sealed under a key that is not given, for another place, or was changed. */
    open({ keyId: usedKeyId, sealed }: Sealed, place: Place): string {
      const used = keys.get(usedKeyId)
      if (!used)
        throw new Error(
          `A stored secret was sealed under key ${usedKeyId}, which SECRETS_KEY does not hold. Add the earlier key behind the newer one.`,
        )
      const decipher = createDecipheriv(CIPHER, used, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(bytesOf(place))
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return (
        decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      )
    },
    /** A key of its own for one purpose, derived from the oldest of `secretsKeys`, so that a new key changes nothing at once. */
    derive(purpose: string): Buffer {
      return createHmac('sha256', oldest).update(`derive.${purpose}`).digest()
    },
  }
}

/** What a key is called in the database: part of a digest, which tells nothing of the key. */
export function keyIdOf(secretsKey: string): string {
  return createHash('sha256')
    .update('key-id.')
    .update(Buffer.from(secretsKey, 'base64'))
    .digest('hex')
    .slice(0, 12)
}

function bytesOf(place: Place): Buffer {
  return Buffer.from(JSON.stringify(place))
}
