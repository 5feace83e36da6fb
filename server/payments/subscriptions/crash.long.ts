import { expect, test } from 'vitest'
import { freshSeed } from '../../testing/random.ts'
import { surviveCharging } from './crash.suite.ts'

test('ten kills at every step of charging charge no period twice, and lose none', async () => {
  const figures = await surviveCharging({ rounds: 10, seed: freshSeed() })
  process.stdout.write(`${figures}\n`)
  expect(figures).toContain('110 kills')
})
