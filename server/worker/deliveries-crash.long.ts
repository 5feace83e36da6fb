import { expect, test } from 'vitest'
import { freshSeed } from '../testing/random.ts'
import { surviveCrashes } from './deliveries-crash.suite.ts'

test('10,000 changes of status while the worker is killed 20 times: no event is lost, invented, changed or out of order', async () => {
  const figures = await surviveCrashes({ changes: 10_000, kills: 20, seed: freshSeed() })
  process.stdout.write(`${figures}\n`)
  expect(figures).toContain('10000 changes')
})
