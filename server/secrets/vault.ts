/**
 * Encrypts secrets for the database, with AES-256-GCM and the newest of the given keys. The key's id is stored with each value, so
 * that a value of an older key can still be decrypted. A value is bound to its row: in another row, decryption fails.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Sealed = { keyId: string; sealed: Buffer }
/** Identifies the row of a value: its world, its owner, and its name or id there. */
export type SealingPlace = readonly [world: string, owner: string, name: string]
export type Vault = ReturnType<typeof createVault>

/**
 * `secretsKeys`: one or more keys, each base64 of 32 bytes, the newest first. `decryptOnly`: a key that is only used to decrypt
 * earlier values. Another machine may not have it, so no other key is derived from it.
 */
export function createVault(secretsKeys: readonly string[], decryptOnly: string | null = null) {
  const bytes = (text: string) => Buffer.from(text, 'base64')
  const keys = new Map(secretsKeys.map((text) => [keyIdOf(text), bytes(text)]))
  const oldest = [...keys.values()].at(-1)
  if (decryptOnly !== null) keys.set(keyIdOf(decryptOnly), bytes(decryptOnly))
  const [newest] = keys
  if (!newest || !oldest) throw new Error('Bug! A vault needs a key.')
  const [keyId, key] = newest
  return {
    /** The id of the key that encrypts new values. */
    keyId,
    /** The ids of all keys, the newest first. */
    keyIds: [...keys.keys()],
    seal(text: string, place: SealingPlace): Sealed {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(bytesOf(place))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return { keyId, sealed: Buffer.concat([nonce, cipher.getAuthTag(), body]) }
    },
    /** @throws Error if the key of the value is not given, or the value was changed or belongs to another row */
    open({ keyId: usedKeyId, sealed }: Sealed, place: SealingPlace): string {
      const used = keys.get(usedKeyId)
      if (!used)
        throw new Error(
          `A stored secret was sealed under key ${usedKeyId}, which is not in SECRETS_KEY. Add the earlier key behind the newer one.`,
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
    /** Derives a key for one purpose from the oldest of `secretsKeys`, so that adding a newer key does not change it. */
    derive(purpose: string): Buffer {
      return createHmac('sha256', oldest).update(`derive.${purpose}`).digest()
    },
  }
}

/** Returns the id of a key in the database: a part of its digest, from which the key cannot be calculated. */
export function keyIdOf(secretsKey: string): string {
  return createHash('sha256')
    .update('key-id.')
    .update(Buffer.from(secretsKey, 'base64'))
    .digest('hex')
    .slice(0, 12)
}

function bytesOf(place: SealingPlace): Buffer {
  return Buffer.from(JSON.stringify(place))
}
