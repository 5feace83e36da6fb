/** A statement as a file: opened as often as it is read, and refused in words that name its line. */
import type { Readable } from 'node:stream'
import { AppError, type Reason } from '../../errors.ts'

/** `open`: opens the file again each time. */
export type StatementFile = { open(): Readable }

/** A row of the file. `line`: where it begins, counted from 1. */
export type Row = { cells: string[]; line: number }

/** A text of the file, and its line. */
export type SeenText = { text: string; line: number }

/** `line`: counted from 1. */
export const unreadable = (message: string, reason: Reason, line?: number) =>
  new AppError('validation_failed', { message, reason, ...(line && { about: { line: String(line) } }) })

/** The advice for a file that cannot be read. */
export const INSTEAD = 'Export the statement from your bank as CSV, XLSX, camt.053, MT940 or OFX.'

/** Returns the first bytes of the file, without reading more. */
export async function beginningOf(file: StatementFile, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  const stream = file.open()
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    length += (chunk as Buffer).length
    if (length >= bytes) break
  }
  stream.destroy()
  return Buffer.concat(chunks).subarray(0, bytes)
}
