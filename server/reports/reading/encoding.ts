/**
 * The encoding of a statement, found from the whole file, and its text in slices. Between two slices this process serves everybody
 * else, so a long file blocks nobody.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beginningOf, type StatementFile } from './file.ts'

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1251', 'windows-1252', 'ibm866'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Parsing a slice takes about a millisecond. */
const SLICE_BYTES = 16_384
const BEGINNING_BYTES = 4_096
/** So much of a file that is not UTF-8 says whether its letters are Cyrillic. */
const LETTERS_BYTES = 4_194_304

/** Returns the encodings that the file may have, the likeliest first. Nearly always it is one. */
export async function findEncodings(file: StatementFile): Promise<[Encoding, ...Encoding[]]> {
  const utf16 = utf16Of(await beginningOf(file, BEGINNING_BYTES))
  if (utf16) return [utf16]
  if (await isUtf8(file)) return ['utf-8']
  return oneByteEncodings(await countLetters(file))
}

/** By the mark at the beginning, or by the zeros beside plain letters. */
export function utf16Of(begin: Buffer): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = begin
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const [even = 0, odd = 0] = [0, 1].map(
    (from) => begin.filter((byte, at) => at % 2 === from && byte === 0).length,
  )
  const many = begin.length / 8
  if (odd > many && even < many) return 'utf-16le'
  return even > many && odd < many ? 'utf-16be' : null
}

export async function findEncoding(file: StatementFile): Promise<Encoding> {
  return (await findEncodings(file))[0]
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

type LetterCounts = { western: number; cyrillic: number; dos: number }
/** One kind of letters decides if it occurs this many times as often as the other kind. */
const MANY_TIMES = 4

function oneByteEncodings({ western, cyrillic, dos }: LetterCounts): [Encoding, ...Encoding[]] {
  if (dos > MANY_TIMES * (western + 1)) return ['ibm866']
  if (cyrillic > MANY_TIMES * western) return ['windows-1251']
  if (western > MANY_TIMES * cyrillic) return ['windows-1252']
  return western > cyrillic ? ['windows-1252', 'windows-1251'] : ['windows-1251', 'windows-1252']
}

/**
 * In western languages a letter outside of ASCII stands beside plain ones. A Cyrillic word has none of these. Programs of DOS put
 * the Cyrillic capitals where Windows has signs.
 */
async function countLetters(file: StatementFile): Promise<LetterCounts> {
  const letters = { western: 0, cyrillic: 0, dos: 0 }
  let [before, at, read] = [0, 0, 0]
  for await (const slice of slicesOf(file)) {
    for (const byte of slice) {
      if (at >= 0xc0) {
        if (isPlain(before) || isPlain(byte)) letters.western++
        else if (before >= 0xc0 || byte >= 0xc0) letters.cyrillic++
      } else if (at >= 0x80 && at < 0xb0 && (before >= 0x80 || byte >= 0x80)) letters.dos++
      ;[before, at] = [at, byte]
    }
    read += slice.length
    if (read > LETTERS_BYTES) break
  }
  return letters
}

const isPlain = (byte: number) => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)

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
