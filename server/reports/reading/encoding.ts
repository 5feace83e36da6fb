/**
 * The encoding of a statement, found from the whole file, and its text in slices. Between two slices this process serves everybody
 * else, so a long file blocks nobody.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beginningOf, type StatementFile } from './file.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1251' | 'windows-1252'

/** Parsing a slice takes about a millisecond. */
const SLICE_BYTES = 16_384
const BEGINNING_BYTES = 4_096
/** So much of a file that is not UTF-8 says whether its letters are Cyrillic. */
const LETTERS_BYTES = 4_194_304

export async function findEncoding(file: StatementFile): Promise<Encoding> {
  const begin = await beginningOf(file, BEGINNING_BYTES)
  const [first, second] = begin
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const zeros = [0, 1].map((from) => begin.filter((byte, at) => at % 2 === from && byte === 0).length)
  const many = begin.length / 8
  if ((zeros[1] ?? 0) > many && (zeros[0] ?? 0) < many) return 'utf-16le'
  if ((zeros[0] ?? 0) > many && (zeros[1] ?? 0) < many) return 'utf-16be'
  if (await isUtf8(file)) return 'utf-8'
  return (await isCyrillic(file)) ? 'windows-1251' : 'windows-1252'
}

async function isUtf8(file: StatementFile): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const slice of slicesOf(file)) decoder.decode(slice, { stream: true })
    decoder.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** A Cyrillic word is made of bytes above 192. In other languages such a byte stands among plain letters. */
async function isCyrillic(file: StatementFile): Promise<boolean> {
  let [high, together, before, read] = [0, 0, 0, 0]
  for await (const slice of slicesOf(file)) {
    for (const byte of slice) {
      if (byte >= 0xc0) {
        high++
        if (before >= 0xc0) together++
      }
      before = byte
    }
    read += slice.length
    if (read > LETTERS_BYTES) break
  }
  return together * 2 > high
}

export async function* textOf(file: StatementFile, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const slice of slicesOf(file)) yield decoder.decode(slice, { stream: true })
  yield decoder.decode()
}

/** Returns the bytes of the file in slices, with a turn for everybody else between two. */
export async function* slicesOf(file: StatementFile): AsyncGenerator<Buffer> {
  const stream = file.open()
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>)
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        yield Buffer.from(chunk.buffer, chunk.byteOffset + at, Math.min(SLICE_BYTES, chunk.length - at))
        await nextTurn()
      }
  } finally {
    stream.destroy()
  }
}
