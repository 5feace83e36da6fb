/** Each row of the table of refusals names the test that shows it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SERVER = join(import.meta.dirname, '..')
const [, section = ''] = readFileSync(join(SERVER, 'guides/accounts.md'), 'utf8').split(
  '## When a provider refuses\n',
)
const rows = (section.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Cause') && !line.startsWith('| ---'))

test('the table has rows', () => {
  expect(rows.length).toBeGreaterThan(8)
})

test.each(rows)('%s', (row) => {
  const shown = row.split(' | ').at(-1) ?? ''
  const [, file = '', name = ''] = /^`([^`]+)`: (.+) \|$/.exec(shown) ?? []
  expect(readFileSync(join(SERVER, file), 'utf8')).toContain(`'${name.replaceAll('’', "'")}`)
})
