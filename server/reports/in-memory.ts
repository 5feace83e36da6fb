/** A statement that somebody has uploaded, which is in memory as a whole. */
import { Readable } from 'node:stream'
import type { StatementFile } from './reading/file.ts'

export function inMemory(bytes: Buffer): StatementFile {
  return { open: () => Readable.from([bytes]) }
}
