/** A bounded queue: who waits, who is refused, and who goes first. */
import { afterEach, expect, test, vi } from 'vitest'
import { createTurns, type TurnQueue } from './turns.ts'

const HERE = new AbortController().signal
const LIMITS = { atOnce: 1, waiting: 4, waitingOfCaller: 3, waitMs: 10_000, remembered: 10 }

afterEach(() => void vi.useRealTimers())

/** Everybody who has a turn keeps it until `next` ends it. */
function follow(turns: TurnQueue) {
  const started: string[] = []
  const refused: string[] = []
  const leaves: (() => void)[] = []
  const enter = (caller: string, gone = HERE) =>
    turns.enter(caller, gone).then((leave) => {
      if (leave) leaves.push(leave)
      ;(leave ? started : refused).push(caller)
    })
  const next = async () => {
    leaves.shift()?.()
    await settle()
  }
  return { started, refused, enter: async (caller: string, gone = HERE) => void enter(caller, gone), next }
}
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

test('callers take turns, and one who sends much is refused above its part', async () => {
  const { started, refused, enter, next } = follow(createTurns(LIMITS))
  for (const caller of ['a', 'a', 'a', 'a', 'a', 'b']) await enter(caller)
  await settle()
  expect([started, refused]).toEqual([['a'], ['a']])
  for (let turn = 0; turn < 4; turn++) await next()
  expect(started).toEqual(['a', 'b', 'a', 'a', 'a'])
})

test('a new caller waits for one turn while many others send without end', async () => {
  const { started, enter, next } = follow(createTurns({ ...LIMITS, waiting: 24 }))
  const attackers = Array.from({ length: 8 }, (_, index) => `attacker ${index}`)
  const attack = async () => {
    for (const attacker of attackers) await enter(attacker)
  }
  await attack()
  await attack()
  for (let turn = 0; turn < 8; turn++) await next()
  await attack()
  await enter('new')
  await next()
  expect(started.at(-1)).toBe('new')
  for (let turn = 0; turn < 8; turn++) await next()
  expect(started.slice(-8).toSorted()).toEqual(attackers)
})

test('where each has one place, a new caller takes that of the caller with the latest turn', async () => {
  const turns = createTurns(LIMITS)
  const { started, refused, enter, next } = follow(turns)
  for (const caller of ['a', 'b', 'c', 'd', 'e']) await enter(caller)
  for (let turn = 0; turn < 4; turn++) await next()
  for (const caller of ['a', 'b', 'c', 'd']) await enter(caller)
  await enter('new')
  await settle()
  expect([refused, turns.countWaiting()]).toEqual([['d'], 4])
  await enter('d')
  await settle()
  expect(refused).toEqual(['d', 'd'])
  await next()
  expect(started.at(-1)).toBe('new')
})

test('of the callers that had a turn only the latest are remembered', async () => {
  const { started, enter, next } = follow(createTurns({ ...LIMITS, remembered: 2 }))
  for (const caller of ['a', 'b', 'c']) await enter(caller)
  await next()
  await next()
  // 'a' is forgotten, and counts as new again.
  for (const caller of ['b', 'a']) await enter(caller)
  await next()
  expect(started).toEqual(['a', 'b', 'c', 'a'])
})

test('a full queue takes a place from whoever has most, and refuses where nobody has more', async () => {
  const turns = createTurns(LIMITS)
  const { started, refused, enter } = follow(turns)
  for (const caller of ['x', 'a', 'a', 'a', 'b', 'c']) await enter(caller)
  await settle()
  expect([started, refused, turns.countWaiting()]).toEqual([['x'], ['a'], 4])
  for (const caller of ['d', 'e', 'f']) await enter(caller)
  await settle()
  expect([refused, turns.countWaiting()]).toEqual([['a', 'a', 'e', 'f'], 4])
})

test('whoever leaves is never begun, and neither is somebody who has left before', async () => {
  const turns = createTurns(LIMITS)
  const { started, refused, enter, next } = follow(turns)
  const gone = new AbortController()
  for (const [caller, signal] of [
    ['a', HERE],
    ['b', gone.signal],
    ['c', HERE],
  ] as const)
    await enter(caller, signal)
  gone.abort()
  await enter('d', gone.signal)
  await settle()
  expect([refused, turns.countWaiting()]).toEqual([['b', 'd'], 1])
  await next()
  expect(started).toEqual(['a', 'c'])
})

test('nobody waits for longer than the limit, and a turn that ends twice ends once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const turns = createTurns(LIMITS)
  const leave = await turns.enter('a', HERE)
  const waits = turns.enter('b', HERE)
  vi.advanceTimersByTime(LIMITS.waitMs)
  expect([await waits, turns.countWaiting()]).toEqual([null, 0])
  leave?.()
  leave?.()
  expect([await turns.enter('c', HERE), turns.countWaiting()]).toEqual([expect.any(Function), 0])
  const queued = turns.enter('d', HERE)
  expect(turns.countWaiting()).toBe(1)
  vi.advanceTimersByTime(LIMITS.waitMs)
  expect(await queued).toBeNull()
})
