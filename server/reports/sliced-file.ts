/**
 * A statement that somebody has uploaded, which is in memory as a whole. The reader gets it in slices, and between two slices this
 * process serves everybody else. A line with too many columns is refused before the parser makes a value of each of them.
 */
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import type { StatementFile } from './statement-lines.ts'

/** Parsing a slice takes about a millisecond. */
const SLICE_BYTES = 16_384
/** A bank's statement has up to a hundred columns, and a text in it may have commas. */
const SEPARATORS_MAX = 2_000

const SEPARATORS = new Set([...',;\t'].map((char) => char.charCodeAt(0)))
const LINE_BREAKS = new Set([...'\r\n'].map((char) => char.charCodeAt(0)))

/** The stream of the returned file fails with validation_failed at a line with too many columns. */
export function inSlices(bytes: Buffer): StatementFile {
  return { open: () => Readable.from(slicesOf(bytes), { objectMode: false, highWaterMark: SLICE_BYTES }) }
}

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  let [separators, line] = [0, 1]
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    const slice = bytes.subarray(start, start + SLICE_BYTES)
    for (const byte of slice) {
      if (SEPARATORS.has(byte)) separators++
      else if (LINE_BREAKS.has(byte)) {
        separators = 0
        if (byte === 10) line++
      }
      if (separators > SEPARATORS_MAX)
        throw new AppError('validation_failed', {
          message: `Line ${line} has more than ${SEPARATORS_MAX} columns, so the file is no statement.`,
          reason: 'statement_line',
          about: { line: String(line) },
        })
    }
    yield slice
    await nextTurn()
  }
}
