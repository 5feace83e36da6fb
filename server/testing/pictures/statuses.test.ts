import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { README, withStatuses } from './statuses.ts'

test('the diagram of the payment statuses is up to date with the status table (if this fails: npm run generate -- states)', async () => {
  const stored = await readFile(README, 'utf8')
  expect(stored).toContain('  expired --> paid: provider')
  expect(stored).toBe(await withStatuses())
})
