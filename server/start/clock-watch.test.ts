import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../context.ts'
import { type Kassa, startKassa } from '../testing/harness.ts'
import { HOLD_MS, judgeClocks, watchClock } from './clock-watch.ts'

const HOUR_MS = 3_600_000
const STEADY = { machineAheadMs: 0, databaseAheadMs: 0, suspendedMs: 0, heldMs: 0 }

describe('a clock that differs from the time of the process', () => {
  test.each([
    ['is followed if it is a small correction', { machineAheadMs: 900 }, 'follow'],
    ['is held back if only the machine jumped', { machineAheadMs: 2 * HOUR_MS, heldMs: 2 * HOUR_MS }, 'hold'],
    ['is held back backwards too', { machineAheadMs: -HOUR_MS, heldMs: HOUR_MS }, 'hold'],
    [
      'is held back at first if the database jumped too',
      { machineAheadMs: HOUR_MS, databaseAheadMs: HOUR_MS },
      'hold',
    ],
    [
      'is followed after ten minutes if the database shows the same time',
      { machineAheadMs: HOUR_MS, databaseAheadMs: HOUR_MS, heldMs: HOLD_MS },
      'follow',
    ],
    [
      'is followed at once if the machine was suspended',
      { machineAheadMs: HOUR_MS, suspendedMs: HOUR_MS + 900 },
      'follow',
    ],
  ] as const)('%s', (_, clocks, verdict) => {
    expect(judgeClocks({ ...STEADY, ...clocks })).toBe(verdict)
  })
})

describe('a running service', () => {
  let kassa: Kassa
  beforeAll(async () => {
    kassa = await startKassa()
  })
  afterAll(() => kassa.close())

  test('keeps its time when the machine is set two hours ahead, and says so once', async () => {
    const log = { ...kassa.ctx.log, warn: vi.fn(), debug: vi.fn() }
    let aheadMs = 0
    let looks = 0
    const machine = {
      now() {
        looks++
        return new Date(systemClock.now().getTime() + aheadMs)
      },
    }
    const watch = watchClock({ db: kassa.ctx.db, log, machine, everyMs: 10 } as never)
    const before = performance.now() - systemClock.now().getTime()
    await expect.poll(() => looks).toBeGreaterThan(2)
    expect(log.warn).not.toHaveBeenCalled()
    aheadMs = 2 * HOUR_MS
    const from = looks
    await expect.poll(() => looks).toBeGreaterThan(from + 3)
    watch.stop()
    expect(Math.abs(performance.now() - systemClock.now().getTime() - before)).toBeLessThan(HOUR_MS)
    expect(log.warn.mock.calls).toEqual([[{ jumpSeconds: 7200 }, expect.stringContaining('has jumped')]])
  })

  test('follows a small correction', async () => {
    const started = systemClock.now().getTime() - performance.now()
    let aheadMs = 700
    const machine = {
      now() {
        const at = new Date(systemClock.now().getTime() + aheadMs)
        aheadMs = 0
        return at
      },
    }
    const watch = watchClock({ db: kassa.ctx.db, log: kassa.ctx.log, machine, everyMs: 10 })
    const moved = () => Math.round(systemClock.now().getTime() - performance.now() - started)
    await expect.poll(moved).toBeGreaterThanOrEqual(700)
    watch.stop()
    systemClock.correct(-moved())
  })
})
