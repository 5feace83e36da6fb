import { expect, test } from 'vitest'
import { writeDateTime } from './date-time.ts'

test('a time is written as toISOString writes it, also before 1970 and beside others of its second', () => {
  const second = Date.UTC(2026, 10, 29, 8, 52, 56)
  const around = [-86_400_000 * 400, 0, second, second + 86_399_000].flatMap((from) =>
    [-1_001, -1_000, -999, -1, 0, 1, 9, 10, 99, 100, 999, 1_000].map((ms) => new Date(from + ms)),
  )
  for (const at of [...around, ...around]) expect(writeDateTime(at)).toBe(at.toISOString())
})
