import { expect, test } from 'vitest'
import { surviveCrashes } from './deliveries-crash.suite.ts'

/** `npm run test:long` kills more of them. */
test('no event is lost, invented, changed or out of order, though receivers fail and the worker is killed', async () => {
  const size = { changes: 24, kills: 1, merchants: 4 }
  expect(await surviveCrashes({ ...size, seed: 1 })).toContain('24 changes')
})
