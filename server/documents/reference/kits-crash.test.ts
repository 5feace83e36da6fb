import { expect, test } from 'vitest'
import { surviveKitCrashes } from '../../testing/kits/kit-crash.suite.ts'
import { KIT_RUNNERS } from '../../testing/kits/runners.ts'

test('a kit in two processes, killed twice, delivers each order once and forgets none', async () => {
  const runner = KIT_RUNNERS.find(({ label }) => label === 'Node')
  expect(runner).toBeDefined()
  if (runner) await surviveKitCrashes(runner, { events: 30, kills: 2, seed: 7 })
})
