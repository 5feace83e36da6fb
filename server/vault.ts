/** Seals secrets for the database: AES-256-GCM under SECRETS_KEY, whose id is stored with each value. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Sealed = { keyId: string; sealed: Buffer }
export type Vault = ReturnType<typeof createVault>

/** `secretsKey`: base64 of 32 bytes. */
export function createVault(secretsKey: string) {
  const key = Buffer.from(secretsKey, 'base64')
  const keyId = createHash('sha256').update('key-id.').update(key).digest('hex').slice(0, 12)
  return {
    seal(text: string): Sealed {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return { keyId, sealed: Buffer.concat([nonce, cipher.getAuthTag(), body]) }
    },
    /** @throws Error when the value was sealed under another key, or was changed. */
    open({ keyId: usedKeyId, sealed }: Sealed): string {
      if (usedKeyId !== keyId)
        throw new Error(
          `A stored secret was sealed under key ${usedKeyId}, but SECRETS_KEY is ${keyId}. Restore the earlier SECRETS_KEY.`,
        )
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return (
        decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      )
    },
    /** A key of its own for one purpose, derived from the secrets key. */
    derive(purpose: string): Buffer {
      return createHmac('sha256', key).update(`derive.${purpose}`).digest()
    },
  }
}
