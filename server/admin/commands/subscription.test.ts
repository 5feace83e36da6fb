import { expect, test } from 'vitest'
import { openShop } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { openKassa } from '../../testing/scene.ts'

const kassa = await openKassa()

test('a subscription can be listed by its status, and is shown with its attempts', async () => {
  const shop = await openShop(kassa.ctx)
  const tokenId = await openToken(kassa.url, shop, 'saved_then_declines')
  const { body } = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
  await sweep(kassa)
  const { id } = body.subscription
  const listed = await operateHere(
    async () => kassa.ctx,
    ['subscription', 'list', '--status', 'past_due', '--json'],
  )
  expect(JSON.parse(listed.stdout).subscriptions.map((each: { id: string }) => each.id)).toEqual([id])
  const shown = await operateHere(async () => kassa.ctx, ['subscription', 'show', '--subscription', id])
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/past_due[\s\S]*19\.00[\s\S]*failed/)])
  const unknown = await operateHere(
    async () => kassa.ctx,
    ['subscription', 'show', '--subscription', 'sub_0'],
  )
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining('There is no subscription sub_0.'),
  ])
})
