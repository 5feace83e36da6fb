import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { DECLARED, writeCosts } from '../attacks/costs.ts'

const GUIDE = fileURLToPath(new URL('../../guides/costs.md', import.meta.url))

test('the guide to costs has what every endpoint and page declares (if this fails: npm run generate -- tables)', async () => {
  expect(DECLARED.length).toBeGreaterThan(45)
  await expect(writeCosts()).toMatchFileSnapshot(GUIDE)
})
