import { expect, test } from 'vitest'
import { freshSeed } from '../../testing/random.ts'
import { surviveKills } from './crash-sweep.suite.ts'

test('over a hundred kills, at every step of a creation and at random, make no second order and leave no key unanswered', async () => {
  const figures = await surviveKills({ killsEach: 6, randomKills: 30, triesMax: 40, seed: freshSeed() })
  process.stdout.write(`${figures}\n`)
  expect(figures).toContain('after look-up')
}, 600_000)
