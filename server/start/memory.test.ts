import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findCollector, watchMemory } from './memory.ts'

const LOOK_EVERY_MS = 100
const GROWN_BYTES = 64 * 2 ** 20
let bytes: number
let collected: number
let watch: { stop(): void }

beforeEach(() => {
  bytes = 0
  collected = 0
  watch = watchMemory({ collect: () => void collected++, measure: () => bytes, everyMs: LOOK_EVERY_MS })
})
afterEach(() => watch.stop())

test('a quiet process that has grown collects, and again only after it has grown again', async () => {
  await sleep(3 * LOOK_EVERY_MS)
  expect(collected).toBe(0)
  bytes += GROWN_BYTES
  await expect.poll(() => collected).toBe(1)
  await sleep(5 * LOOK_EVERY_MS)
  expect(collected).toBe(1)
  bytes += GROWN_BYTES
  await expect.poll(() => collected).toBe(2)
})

test('a busy process collects when it has become quiet', async () => {
  bytes += GROWN_BYTES
  const until = performance.now() + 8 * LOOK_EVERY_MS
  while (performance.now() < until) {
    const turn = performance.now() + LOOK_EVERY_MS / 4
    while (performance.now() < turn);
    await new Promise(setImmediate)
  }
  expect(collected).toBe(0)
  await expect.poll(() => collected).toBe(1)
})

test('the collector returns most of what was taken, at once', () => {
  const collect = findCollector()
  const measure = () => process.memoryUsage.rss()
  // What other tests have left is returned first.
  collect()
  const least = measure()
  const objects = Array.from({ length: 300_000 }, (_, at) => ({ at, content: [at] }))
  const most = measure()
  objects.length = 0
  collect()
  expect(most - measure()).toBeGreaterThan((most - least) / 2)
})

test('the collector of the service frees what is not referenced', async () => {
  watch.stop()
  watch = watchMemory({ measure: () => (bytes += GROWN_BYTES), everyMs: LOOK_EVERY_MS })
  const freed: string[] = []
  const registry = new FinalizationRegistry<string>((name) => freed.push(name))
  registry.register({ content: 'that nobody needs' }, 'freed')
  await expect.poll(() => freed).toEqual(['freed'])
  expect(registry).toBeDefined()
})
