import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorldShares, type Share, type WorldShares } from './world-share.ts'

const HERE = () => false
let shares: WorldShares
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  shares = createWorldShares()
})
afterEach(() => void vi.useRealTimers())

/** A request that has asked to enter. `leave`: undefined while it waits, null if it was rejected. */
type Entry = { leave?: (() => void) | null }

async function ask(share: Share, caller = 'mer_1', isGone = HERE): Promise<Entry> {
  const entry: Entry = {}
  void share.enter(caller, isGone).then((leave) => {
    entry.leave = leave
  })
  await turn()
  return entry
}
const stateOf = ({ leave }: Entry) => (leave === undefined ? 'waits' : leave ? 'runs' : 'rejected')
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
/** Live work that begins again every 100 ms. */
async function keepLiveBusy(): Promise<() => void> {
  const work = async () => (await shares.live.enter('mer_9', HERE))?.()
  await work()
  const timer = setInterval(work, 100)
  return () => clearInterval(timer)
}

test('live requests never wait, whatever the sandbox does', async () => {
  await keepLiveBusy()
  for (let count = 0; count < 200; count++) void shares.sandbox.enter(`mer_${count}`, HERE)
  for (let count = 0; count < 200; count++) expect(stateOf(await ask(shares.live))).toBe('runs')
})

test('while no live work is done, the sandbox has no limit', async () => {
  for (let count = 0; count < 500; count++) expect(stateOf(await ask(shares.sandbox))).toBe('runs')
  expect(shares.sandbox.isScarce()).toBe(false)
})

test('beside live work the sandbox does one request at a time and pauses for nine times as long', async () => {
  await keepLiveBusy()
  const first = await ask(shares.sandbox)
  const second = await ask(shares.sandbox)
  expect([stateOf(first), stateOf(second)]).toEqual(['runs', 'waits'])
  await pass(10)
  first.leave?.()
  await pass(89)
  expect(stateOf(second)).toBe('waits')
  await pass(2)
  expect(stateOf(second)).toBe('runs')
})

test('the sandbox uses a tenth of the time, with any number of callers and workers', async () => {
  await keepLiveBusy()
  let usedMs = 0
  const work = async () => {
    await new Promise((resolve) => setTimeout(resolve, 7))
    usedMs += 7
  }
  const isOver = false
  const keepAsking = async (caller: string) => {
    while (!isOver) {
      const leave = await shares.sandbox.enter(caller, HERE)
      if (!leave) await new Promise((resolve) => setTimeout(resolve, 100))
      else await work().finally(leave)
    }
  }
  for (let count = 0; count < 20; count++) void keepAsking(`mer_${count % 3}`)
  const keepWorking = async () => {
    while (!isOver) await shares.sandbox.run(work)
  }
  for (let count = 0; count < 5; count++) void keepWorking()
  await pass(20_000)
  expect(usedMs / 20_000).toBeLessThanOrEqual(0.11)
  expect(usedMs / 20_000).toBeGreaterThan(0.08)
})

test('all that waits starts within half a second after the live world has become idle', async () => {
  const stop = await keepLiveBusy()
  const entry: Entry[] = []
  for (let count = 0; count < 30; count++) entry.push(await ask(shares.sandbox))
  entry[0]?.leave?.()
  stop()
  await pass(1_500)
  expect(entry.map(stateOf)).toEqual(entry.map(() => 'runs'))
})

test('a request that waits for somebody else gives its place up, and ending it later changes nothing', async () => {
  await keepLiveBusy()
  const [slow, second, third] = [
    await ask(shares.sandbox),
    await ask(shares.sandbox),
    await ask(shares.sandbox),
  ]
  await pass(510)
  expect([slow, second, third].map(stateOf)).toEqual(['runs', 'runs', 'waits'])
  slow.leave?.()
  slow.leave?.()
  await pass(40)
  expect(stateOf(third)).toBe('waits')
})

test('one caller cannot fill the queue, and callers take turns', async () => {
  await keepLiveBusy()
  const place = await ask(shares.sandbox, 'mer_0')
  const many: Entry[] = []
  for (let count = 0; count < 100; count++) many.push(await ask(shares.sandbox, 'mer_1'))
  expect(many.filter((each) => stateOf(each) === 'waits')).toHaveLength(32)
  expect(many.filter((each) => stateOf(each) === 'rejected')).toHaveLength(68)
  const other = await ask(shares.sandbox, 'mer_2')
  place.leave?.()
  await pass(1_100)
  expect(stateOf(other)).toBe('runs')
})

test('many callers together cannot fill more than the queue', async () => {
  await keepLiveBusy()
  const all: Entry[] = []
  for (let count = 0; count < 300; count++) all.push(await ask(shares.sandbox, `mer_${count}`))
  expect(all.filter((each) => stateOf(each) === 'waits')).toHaveLength(128)
  expect(shares.sandbox.countWaiting()).toBe(128)
})

test('a request that has waited for five seconds is rejected', async () => {
  await keepLiveBusy()
  const all: Entry[] = []
  for (let count = 0; count < 32; count++) all.push(await ask(shares.sandbox))
  await pass(6_000)
  // Nobody ends a request here, so one starts every half second.
  const states = all.map(stateOf)
  expect(states.filter((state) => state === 'runs').length).toBeGreaterThanOrEqual(10)
  expect(states.filter((state) => state === 'waits')).toEqual([])
  expect(shares.sandbox.countWaiting()).toBe(0)
})

test('a request whose client has gone leaves the queue and never starts', async () => {
  await keepLiveBusy()
  await ask(shares.sandbox)
  let isGone = false
  const gone: Entry[] = []
  for (let count = 0; count < 32; count++) gone.push(await ask(shares.sandbox, 'mer_1', () => isGone))
  isGone = true
  const next = await ask(shares.sandbox, 'mer_1')
  expect(gone.map(stateOf)).toEqual(gone.map(() => 'rejected'))
  await pass(600)
  expect(stateOf(next)).toBe('runs')
})

test('a worker waits for as long as the live world is busy, is never starved, and starts at once when it stops', async () => {
  await keepLiveBusy()
  setInterval(() => void shares.sandbox.enter('mer_1', HERE), 20)
  await pass(50)
  const done: string[] = []
  let isStopping = false
  void shares.sandbox.run(async () => void done.push('first'))
  void shares.sandbox.run(
    async () => void done.push('second'),
    () => isStopping,
  )
  await pass(1_100)
  expect(done).toEqual(['first'])
  isStopping = true
  await pass(50)
  expect(done).toEqual(['first', 'second'])
})

test('a piece of work that fails frees its place', async () => {
  await keepLiveBusy()
  await expect(shares.sandbox.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  const next = await ask(shares.sandbox)
  await pass(20)
  expect(stateOf(next)).toBe('runs')
})

test("another process's live work counts, until its note ends", async () => {
  shares.noteLiveElsewhere(2_000)
  const [first, second] = [await ask(shares.sandbox), await ask(shares.sandbox)]
  expect([stateOf(first), stateOf(second), shares.isLiveBusy()]).toEqual(['runs', 'waits', false])
  await pass(2_100)
  expect([stateOf(second), shares.sandbox.isScarce()]).toEqual(['runs', false])
})
