/** How much is tried to understand a file: a small file is not much work, whatever it holds. */
import { afterEach, expect, test, vi } from 'vitest'
import { understandText } from '../../testing/books/reading.ts'

afterEach(() => vi.restoreAllMocks())

/** Many rows that may be the head, and columns of money that no name explains. */
function fileOf(columns: number): string {
  const cells = (text: (at: number) => string) =>
    Array.from({ length: columns }, (_, at) => text(at)).join(';')
  const heads = Array.from({ length: 20 }, (_, row) => `Date;${cells((at) => `x${row}y${at}z`)}`)
  const lines = Array.from(
    { length: 5 },
    (_, row) => `2026-11-2${row};${cells((at) => (at % 2 === 0 ? `${row + at}.50` : '0.00'))}`,
  )
  return [...heads, ...lines, ''].join('\n')
}

// A pair of columns that may be debit and credit takes the absolute value of each debit beside a credit of zero.
test.each([[8], [20], [200]])(
  '%i columns of money under twenty rows that may be the head',
  async (columns) => {
    const tried = vi.spyOn(Math, 'abs')
    const { questions } = await understandText(fileOf(columns))
    expect(questions).toMatchObject([{ about: 'columns' }])
    expect(tried.mock.calls.length).toBeLessThan(10_000)
  },
)
