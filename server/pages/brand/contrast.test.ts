import { expect, test } from 'vitest'
import { contrastOf } from './contrast.ts'

// Reference values of WCAG 2.2: black on white, equal colours, and the lightest grey that passes 4.5 on white.
test.each([
  ['#000000', '#ffffff', 21],
  ['#336699', '#336699', 1],
  ['#767676', '#ffffff', 4.54],
  ['#777777', '#ffffff', 4.48],
])('%s on %s has a contrast of %d', (one, other, expected) => {
  expect(contrastOf(one, other)).toBeCloseTo(expected, 2)
  expect(contrastOf(other, one)).toBe(contrastOf(one, other))
})
