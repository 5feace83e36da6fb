import { expect, test } from 'vitest'
import { surviveKitCrashes } from '../../testing/kits/kit-crash.suite.ts'
import { KIT_RUNNERS } from '../../testing/kits/runners.ts'

test('a kit in two processes, of which one is killed, delivers each order once and forgets none', async () => {
  const runner = KIT_RUNNERS.find(({ label }) => label === 'Node')
  expect(runner).toBeDefined()
  if (runner) await surviveKitCrashes(runner, { events: 15, kills: 1, seed: 7 })
})
