/** Of two people who change the same thing at the same moment, one is told to look again. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Kassa, startKassa } from '../testing/harness.ts'
import { oneAtATime } from './one-at-a-time.ts'

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

test('a second one is refused until the first has ended, also by a failure', async () => {
  const { ctx } = kassa
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = oneAtATime(ctx, 'mer_1', async () => {
    begun.resolve()
    await held.promise
    throw new Error('It has failed.')
  })
  await begun.promise
  await expect(oneAtATime(ctx, 'mer_1', async () => 'done')).rejects.toMatchObject({
    details: { reason: 'changed_meanwhile' },
  })
  expect(await oneAtATime(ctx, 'mer_2', async () => 'done')).toBe('done')
  held.resolve()
  await expect(first).rejects.toThrow('It has failed.')
  expect(await oneAtATime(ctx, 'mer_1', async () => 'done')).toBe('done')
})
