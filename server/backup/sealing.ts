/**
 * Encrypts a file in parts of 64 KiB with AES-256-GCM, so that any file passes through little memory. This is the STREAM construction:
 * the nonce of a part is its number and whether it is the last one. A part that was changed, moved, left out or added after the end
 * does not decrypt, and neither does a file that was cut off.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { Transform } from 'node:stream'
import { unfit } from './manifest.ts'

const CIPHER = 'aes-256-gcm'
const PART_BYTES = 65_536
const TAG_BYTES = 16
/** 11 bytes of the part's number and 1 byte that is 1 for the last part. */
const NONCE_BYTES = 12

/** `key`: must be new for each file, because every file has the same nonces. */
export function sealFile(key: Buffer): Transform {
  return inParts(PART_BYTES, (part, nonce) => {
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    return Buffer.concat([cipher.update(part), cipher.final(), cipher.getAuthTag()])
  })
}

/** `file`: its path, for the message. The stream fails with AppError validation_failed at the first part that does not decrypt. */
export function openFile(key: Buffer, file: string): Transform {
  return inParts(PART_BYTES + TAG_BYTES, (part, nonce, number) => {
    try {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(part.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(part.subarray(0, -TAG_BYTES)), decipher.final()])
    } catch {
      throw unfit(
        `${file} was changed, cut off or exchanged: its part ${number + 1} does not decrypt. Use another copy of this backup, or another backup.`,
      )
    }
  })
}

/** Only the end of the stream tells which part is the last one, so a whole part waits until more comes. */
function inParts(size: number, convert: (part: Buffer, nonce: Buffer, number: number) => Buffer): Transform {
  let waiting: Buffer = Buffer.alloc(0)
  let number = 0
  const next = (part: Buffer, isLast: boolean) => {
    const nonce = Buffer.alloc(NONCE_BYTES)
    nonce.writeUIntBE(number, NONCE_BYTES - 7, 6)
    nonce[NONCE_BYTES - 1] = Number(isLast)
    return convert(part, nonce, number++)
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        waiting = Buffer.concat([waiting, chunk])
        while (waiting.length > size) {
          this.push(next(waiting.subarray(0, size), false))
          waiting = waiting.subarray(size)
        }
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    flush(done) {
      try {
        done(null, next(waiting, true))
      } catch (error) {
        done(error as Error)
      }
    },
  })
}
