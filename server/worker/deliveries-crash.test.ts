import { expect, test } from 'vitest'
import { surviveCrashes } from './deliveries-crash.suite.ts'

test('no event is lost, invented, changed or out of order, though receivers fail and the worker is killed again and again', {
  timeout: 60_000,
}, async () => {
  expect(await surviveCrashes({ changes: 1_500, kills: 6 })).toContain('1500 changes')
})
