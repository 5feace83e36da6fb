/** Of two people who change the same thing at the same moment, one is told to look again. */
import { expect, test } from 'vitest'
import { openKassa } from '../testing/scene.ts'
import { oneAtATime } from './one-at-a-time.ts'

const kassa = await openKassa()

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
