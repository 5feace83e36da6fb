import { expect, test } from 'vitest'
import { spawnCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { freshSeed } from '../../testing/random.ts'
import { surviveKills } from './crash-sweep.suite.ts'

test('over a hundred kills, at every step of a creation and at random times, create no second order and leave no key unfinished', async () => {
  const counts = await surviveKills({
    killsEach: 6,
    randomKills: 30,
    triesMax: 40,
    seed: freshSeed(),
    start: spawnCrashingKassa,
  })
  process.stdout.write(`${counts}\n`)
  expect(counts).toContain('after look-up')
})
