/** What a person writes about an act is kept and shown, so no act takes a card number in it. */
import { expect, test } from 'vitest'
import { formOf } from './act.ts'
import { fieldOf } from './field.ts'
import { fitting } from './fitting.ts'
import { ACT_ROWS } from './table.ts'

const wordsOf = ({ input }: (typeof ACT_ROWS)[number]) =>
  Object.keys(input).filter(
    (name) => name === 'why' || (input[name] && fieldOf(input[name]).kind === 'words'),
  )
const ROWS = ACT_ROWS.flatMap((row) => wordsOf(row).map((name) => [formOf(row), name, row] as const))

test.each(ROWS)('%s refuses a card in "%s"', (_form, name, row) => {
  expect(() => fitting(row, { [name]: 'to 4111 1111 1111 1111' })).toThrow(
    expect.objectContaining({ code: 'raw_card_data_rejected' }),
  )
})
