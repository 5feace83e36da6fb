import { expect, test } from 'vitest'
import { openKassa } from '../../testing/scene.ts'
import { runSharedQuestion, waitForResult } from './in-flight.ts'

const kassa = await openKassa()

/** Somebody asks about `name` until `answer` is called. */
function ask(name: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const result = runSharedQuestion(kassa.ctx, name, () => promise)
  return { result, answer: resolve }
}

let reads = 0
const waiting = (name: string, isDecided = () => false) => ({
  name,
  isDecided,
  reread: async () => `read ${++reads}`,
})
const wait = (name: string, isDecided?: () => boolean) =>
  waitForResult(kassa.ctx, 'seen', waiting(name, isDecided))

test('nobody waits while nobody asks', async () => {
  expect(await wait('nobody')).toBe('seen')
})

test('the wait ends with the question, also with one that fails', async () => {
  const { result, answer } = ask('one')
  const waited = wait('one')
  answer()
  await result
  expect(await waited).toMatch(/^read/)
  const failing = runSharedQuestion(kassa.ctx, 'one', () => Promise.reject(new Error('gone')))
  expect(await wait('one')).toMatch(/^read/)
  await expect(failing).rejects.toThrow('gone')
  expect(await wait('one')).toBe('seen')
})

test('the wait ends although the question goes on: at the result, and after some steps without one', async () => {
  const { result, answer } = ask('endless')
  expect(await wait('endless', () => true)).toBe('seen')
  reads = 0
  expect(await wait('endless')).toBe('read 5')
  answer()
  await result
})

test('at most eight wait for one payment and 200 in all, and the others are answered at once', async () => {
  const asking = Array.from({ length: 30 }, (_, name) => ask(`crowd ${name}`))
  const waited = asking.flatMap((_, name) => Array.from({ length: 20 }, () => wait(`crowd ${name}`)))
  const atOnce = await Promise.all(waited.map((each) => Promise.race([each, Promise.resolve('waits')])))
  expect(atOnce.filter((each) => each === 'waits')).toHaveLength(200)
  for (const { answer } of asking) answer()
  await Promise.all([...asking.map(({ result }) => result), ...waited])
})
