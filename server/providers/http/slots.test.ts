/** Slots under random arrivals: no class ever waits for another one while a slot of its own is free. */
import { describe, expect, test } from 'vitest'
import { freshSeed, seededRandom } from '../../testing/random.ts'
import { createSlots, GATE_CLASSES, GATE_LANES, type GateLane } from './slots.ts'

const LIMITS = { concurrency: 20, classes: GATE_CLASSES }
const STEPS = 3_000

/** Lets everything run that can run now. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

type Entry = { lane: GateLane; number: number; call: AbortController; runs: boolean }

function openSlots() {
  const slots = createSlots(LIMITS)
  const entries: Entry[] = []
  const order: Entry[] = []
  let number = 0
  const arrive = (lane: GateLane) => {
    const entry: Entry = { lane, number: number++, call: new AbortController(), runs: false }
    entries.push(entry)
    slots.take(lane, entry.call.signal).then(
      () => {
        entry.runs = true
        order.push(entry)
      },
      () => entries.splice(entries.indexOf(entry), 1),
    )
    return entry
  }
  const leave = (entry: Entry) => {
    entries.splice(entries.indexOf(entry), 1)
    slots.free(entry.lane)
  }
  const of = (lane: GateLane, runs: boolean) =>
    entries.filter((each) => each.lane === lane && each.runs === runs)
  return { arrive, leave, of, entries, order }
}

test('every class keeps its own slots, and each other slot goes to the highest class that waits', async () => {
  const seed = freshSeed()
  const pick = seededRandom(seed)
  const { arrive, leave, of, entries, order } = openSlots()
  let waited = 0
  for (let step = 0; step < STEPS; step++) {
    const chance = pick(0, 10)
    const running = entries.filter(({ runs }) => runs)
    const waiting = entries.filter(({ runs }) => !runs)
    // A class has a flood for a while, and then another one.
    const flood = GATE_LANES[Math.floor(step / 100) % GATE_LANES.length] as GateLane
    const earlier = new Set(waiting)
    const before = order.length
    if (chance < 4) arrive(flood)
    else if (chance < 6) arrive(GATE_LANES[pick(0, GATE_LANES.length)] as GateLane)
    else if (chance < 9 && running.length > 0) leave(running[pick(0, running.length)] as Entry)
    else if (waiting.length > 0) waiting[pick(0, waiting.length)]?.call.abort()
    await settle()

    const why = `seed ${seed}, step ${step}`
    const now = entries.filter(({ runs }) => runs)
    expect(now.length, why).toBeLessThanOrEqual(LIMITS.concurrency)
    const kept = GATE_LANES.map((lane) => Math.max(of(lane, true).length, GATE_CLASSES[lane].free))
    expect(
      kept.reduce((sum, each) => sum + each, 0),
      why,
    ).toBeLessThanOrEqual(LIMITS.concurrency)
    for (const lane of GATE_LANES) {
      if (of(lane, false).length === 0) continue
      waited++
      // Whoever waits has no slot of its own left, and no other slot is free.
      expect(of(lane, true).length, why).toBeGreaterThanOrEqual(GATE_CLASSES[lane].free)
      expect(
        kept.reduce((sum, each) => sum + each, 0),
        why,
      ).toBe(LIMITS.concurrency)
    }
    for (const started of order.slice(before).filter((each) => earlier.has(each))) {
      const { lane, number } = started
      for (const other of of(lane, false)) expect(other.number, why).toBeGreaterThan(number)
      // It started in a slot of its own, or nobody of a higher class waited for this one.
      const isOwn = of(lane, true).length <= GATE_CLASSES[lane].free
      const higher = GATE_LANES.slice(0, GATE_LANES.indexOf(lane))
      if (!isOwn)
        expect(
          higher.flatMap((each) => of(each, false)),
          why,
        ).toEqual([])
    }
  }
  expect(waited).toBeGreaterThan(STEPS / 10)
})

describe('a class whose own slots are in use', () => {
  test('takes a free slot that is kept for nobody', async () => {
    const { arrive, of } = openSlots()
    for (let times = 0; times < 100; times++) arrive('stranger')
    await settle()
    const kept = GATE_LANES.reduce((sum, lane) => sum + GATE_CLASSES[lane].free, 0)
    expect(of('stranger', true)).toHaveLength(LIMITS.concurrency - kept + GATE_CLASSES.stranger.free)
  })

  test('waits for its own slots only, however many higher ones come', async () => {
    const { arrive, leave, of } = openSlots()
    for (let times = 0; times < 100; times++) arrive('money')
    await settle()
    const stranger = arrive('stranger')
    await settle()
    expect(stranger.runs).toBe(true)
    const next = arrive('stranger')
    await settle()
    leave(of('money', true)[0] as Entry)
    await settle()
    expect(next.runs).toBe(false)
    leave(stranger)
    await settle()
    expect(next.runs).toBe(true)
  })
})
