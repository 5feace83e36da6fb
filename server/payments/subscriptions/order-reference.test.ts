import { expect, test } from 'vitest'
import { orderOf } from './order-reference.ts'

test('a charge’s order reference is the subscription’s and the period, where that fits', () => {
  expect(orderOf('tea-box', 2)).toBe('tea-box/2')
  expect(orderOf('x'.repeat(118), 9)).toBe(`${'x'.repeat(118)}/9`)
})

test('a longer one is cut and marked, so that no two subscriptions or periods share one', () => {
  const ids = ['a', 'b', 'c'].map((end) => 'x'.repeat(119) + end)
  const all = ids.flatMap((id) => [1, 2, 10, 1_000].map((period) => orderOf(id, period)))
  expect(new Set(all).size).toBe(all.length)
  for (const reference of all) {
    expect([...reference].length).toBe(120)
    expect(reference).toMatch(/^x+~[0-9a-v]{10}\/\d+$/)
  }
})

test('a character beyond the basic plane is not cut in half', () => {
  const reference = orderOf('🫖'.repeat(120), 1)
  expect([...reference].length).toBe(120)
  expect(reference.isWellFormed()).toBe(true)
})
