/** The only slow fault of the simulated bank. It has a file of its own, so that no other test waits for it. */
import { expect, test } from 'vitest'
import { setBankScene } from '../../testing/providers/bank-scene.ts'
import { openKassa } from '../../testing/scene.ts'

const kassa = await openKassa()
const { pay, later, refund, status, expectReconciled } = await setBankScene(kassa)

test('slow: the buyer’s return does not wait for the bank, and a refund is done once', {
  tags: ['long'],
}, async () => {
  const id = await pay('slow')
  expect(await status(id)).toBe('pending_redirect')
  await later(12_000)
  expect(await status(id)).toBe('paid')
  await refund(id, 500)
  await later(2_000)
  await expectReconciled(id)
  expect(await status(id)).toBe('partially_refunded')
})
