import { describe, test } from 'vitest'
import { HEADINGS, surviveKitCrashes } from '../../testing/kits/kit-crash.suite.ts'
import { KIT_RUNNERS } from '../../testing/kits/runners.ts'
import { freshSeed } from '../../testing/random.ts'

describe.each(KIT_RUNNERS)('the kit for $label', (runner) => {
  if (runner.missing) {
    test.skip(`is not run, because this machine has no ${runner.missing}`)
    return
  }
  test('in two processes, killed ten times during 300 events, delivers each order once and forgets none', async () => {
    const row = await surviveKitCrashes(runner, { events: 300, kills: 10, seed: freshSeed() })
    process.stdout.write(`${HEADINGS}\n${row}\n`)
  })
})
