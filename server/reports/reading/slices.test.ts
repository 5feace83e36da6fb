/** An uploaded statement is read in slices, and everybody else is served between them. */
import { expect, test } from 'vitest'
import { AppError } from '../../errors.ts'
import { linesOf } from '../../testing/books/reading.ts'

const OWN = { columns: { at: 'date', amount: 'amount' }, currency: 'EUR' }
const MEGABYTES = 2_000_000

/** Reads the file to its end. Returns its lines, and how often something else came to its turn meanwhile. */
async function read(bytes: Buffer) {
  let [lines, turns, isOver] = [0, 0, false]
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    lines = (await linesOf(bytes, { own: OWN })).length
  } finally {
    isOver = true
  }
  return { lines, turns }
}

test('a file of 2 MB gives everybody else a hundred turns', { tags: ['long'] }, async () => {
  const row = '2026-01-02,10.00\n'
  const count = Math.floor(MEGABYTES / row.length)
  const { lines, turns } = await read(Buffer.from(`date,amount\n${row.repeat(count)}`))
  expect(lines).toBe(count)
  expect(turns).toBeGreaterThan(100)
})

test.each([
  ['commas', ','],
  ['semicolons', ';'],
  ['tabs', '\t'],
  ['quoted commas', '"",'],
])('a line of 2 MB of %s is refused by its number, before its columns are parsed', async (_, part) => {
  const bytes = Buffer.from(`date,amount\n2026-01-02,10.00\n${part.repeat(MEGABYTES / part.length)}`)
  const error = await read(bytes).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(AppError)
  expect([(error as AppError).code, (error as AppError).message]).toEqual([
    'validation_failed',
    'Line 3 has more than 2000 columns, so the file is no statement.',
  ])
})

test('a first line of commas alone is refused when the columns are looked for', async () => {
  await expect(linesOf(Buffer.from(','.repeat(MEGABYTES)))).rejects.toThrow(/^Line 1 has more/)
})
