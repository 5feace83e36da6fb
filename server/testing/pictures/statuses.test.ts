import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { drawStatuses } from './statuses.ts'

test('the picture of the payment statuses is up to date with the status table (if this fails: npm run generate -- states)', async () => {
  const stored = await readFile(new URL('../../../public/payment-statuses.svg', import.meta.url), 'utf8')
  expect(stored).toBe(drawStatuses())
})
