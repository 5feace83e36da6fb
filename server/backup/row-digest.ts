/** Counts the rows of a table in a stream, and computes their digest. */
import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'

const NEWLINE = 10
const BITS = 256n

export type Digest = { rows: number; digest: string }

/**
 * The digest is the sum of the rows' SHA-256, so it does not depend on the order of the rows. Two databases return the same rows in
 * different orders. In the text format of COPY a row is one line, and no value contains a line break.
 */
export class RowDigest extends Transform {
  #rows = 0
  #sum = 0n
  #rest: Buffer[] = []

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(Buffer.concat([...this.#rest, chunk.subarray(start, end)]))
      this.#rest = []
      start = end + 1
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start))
    done(null, chunk)
  }

  #add(row: Buffer): void {
    this.#rows += 1
    const hash = createHash('sha256').update(row).digest('hex')
    this.#sum = BigInt.asUintN(Number(BITS), this.#sum + BigInt(`0x${hash}`))
  }

  result(): Digest {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(64, '0') }
  }
}
