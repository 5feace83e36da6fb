import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { batched } from './batch.ts'
import type { Db } from './db.ts'

/** A write whose statements end when the test says so. It returns each item as its own result. */
function openWrite() {
  const begun: { items: string[]; end(): void }[] = []
  const write = batched(async (_db: Db, items: string[]) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    begun.push({ items, end: resolve })
    await promise
    return items
  })
  const db = {} as Db
  return { begun, write: (item: string) => write(db, item) }
}

test('callers of one turn share a statement, and those that come later wait until there are as many', async () => {
  // A statement that takes long would let the others go on.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { begun, write } = openWrite()
  const first = ['a', 'b', 'c'].map(write)
  await nextTurn()
  await nextTurn()
  const second = ['d', 'e'].map(write)
  await nextTurn()
  await nextTurn()
  expect(begun.map(({ items }) => items)).toEqual([['a', 'b', 'c']])
  begun[0]?.end()
  expect(await Promise.all(first)).toEqual(['a', 'b', 'c'])
  expect(begun.map(({ items }) => items)).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e'],
  ])
  begun[1]?.end()
  expect(await Promise.all(second)).toEqual(['d', 'e'])
})

test('a caller beside a single other one does not wait', async () => {
  const { begun, write } = openWrite()
  const callers = [write('a')]
  await nextTurn()
  await nextTurn()
  callers.push(write('b'))
  await nextTurn()
  await nextTurn()
  expect(begun).toHaveLength(2)
  for (const { end } of begun) end()
  expect(await Promise.all(callers)).toEqual(['a', 'b'])
})

test('a statement that waits for something holds up nobody else', async () => {
  const { begun, write } = openWrite()
  const slow = ['a', 'b', 'c'].map(write)
  await nextTurn()
  await nextTurn()
  const other = write('d')
  await expect.poll(() => begun.length).toBe(2)
  begun[1]?.end()
  expect(await other).toBe('d')
  begun[0]?.end()
  expect(await Promise.all(slow)).toEqual(['a', 'b', 'c'])
})
