import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession, payAtBank } from '../testing/calls.ts'
import { type Kassa, openShop, startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { dropOldEvents } from './retention.ts'

const DAY_MS = 86_400_000
let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

test('a warning reports deleted events that were never delivered, and their payment shows that there were some', async () => {
  const shop = await openShop(kassa.ctx)
  const { id, providerCheckoutUrl } = (await createSession(kassa.url, shop)).body
  const show = async () =>
    (await operateHere(async () => kassa.ctx, ['payment', 'show', '--payment', id])).stdout
  expect(await show()).toContain('None yet')
  await payAtBank(providerCheckoutUrl, 'paid')
  expect(await show()).not.toMatch(/None yet|removed/)
  kassa.clock.advance(30 * DAY_MS + 1_000)
  const said: unknown[] = []
  const log = Object.assign(Object.create(kassa.ctx.log), { warn: (line: unknown) => void said.push(line) })
  await dropOldEvents({ ...kassa.ctx, log })
  expect(said).toEqual([{ merchantId: shop.merchantId, events: 1, before: expect.any(Date) }])
  expect(await show()).toMatch(/1 event removed, because events are stored for 30d \(EVENT_RETENTION\)/)
  await dropOldEvents({ ...kassa.ctx, log })
  expect(said).toHaveLength(1)
})
