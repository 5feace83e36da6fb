import { expect, test } from 'vitest'
import { surviveCrashes } from './deliveries-crash.suite.ts'

test('no event is lost, invented, changed or out of order, though receivers fail and the worker is killed again and again', async () => {
  expect(await surviveCrashes({ changes: 40, kills: 2, seed: 1 })).toContain('40 changes')
})
