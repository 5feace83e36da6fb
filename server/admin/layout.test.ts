import { expect, test } from 'vitest'
import { decimalAmount } from '../payments/money.ts'
import { amount, momentFrom, pairs, table } from './layout.ts'

test('amounts are exact, grouped, and whole drams have no decimals', () => {
  expect(amount(190_000, 'AMD')).toBe('1 900 AMD')
  expect(amount(190_050, 'AMD')).toBe('1 900.50 AMD')
  expect(amount(5, 'USD')).toBe('0.05 USD')
  expect(amount(1_000_000_000_000, 'EUR')).toBe('10 000 000 000.00 EUR')
  expect(amount(9_007_199_254_740_993n, 'EUR')).toBe('90 071 992 547 409.93 EUR')
  expect(amount(9_007_199_254_741_000n, 'AMD')).toBe('90 071 992 547 410 AMD')
  expect(decimalAmount(150_000, 'USD')).toBe('1500.00')
})

test('a moment is shown with its zone and its distance from now', () => {
  const now = new Date('2026-08-02T12:00:00.400Z')
  const at = (iso: string) => momentFrom(new Date(iso), now)
  expect(at('2026-08-02T11:59:00Z')).toBe('2026-08-02 11:59:00 UTC (1 minute ago)')
  expect(at('2026-08-02T14:00:01Z')).toBe('2026-08-02 14:00:01 UTC (in 2 hours)')
  expect(at('2026-08-05T13:00:00Z')).toContain('(in 3 days)')
  expect(at('2026-08-02T12:00:00Z')).toContain('(now)')
})

test('columns are as wide as their widest cell, in any script', () => {
  expect(
    table(
      ['A', 'Name'],
      [
        ['tea', 'Ուրց'],
        ['cup', '-'],
      ],
    ),
  ).toBe(['  A    Name', '  tea  Ուրց', '  cup  -'].join('\n'))
  expect(
    pairs([
      ['Long label', 'x'],
      ['Few', ['y', 'z']],
      ['None', null],
    ]),
  ).toBe(['  Long label  x', '  Few         y', '              z'].join('\n'))
})

test('text from strangers cannot control the terminal', () => {
  const shown = pairs([['Buyer', 'A\u001b[31mred\nPaid yes\u202e\u009b2J']])
  expect(shown).toBe('  Buyer  A·[31mred·Paid yes··2J')
  expect(table(['N'], [['\u0007']])).toBe('  N\n  ·')
})
