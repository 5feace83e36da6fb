/**
 * The conformance suite of the port: every driver passes it against its simulator, over real HTTP. A proxy between the two
 * causes faults on the way. Each cell of the printed table is green, or not in the protocol.
 */
import { isIP } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cell, type DriverBench, type Lacking, table } from '../testing/providers/driver-bench.ts'
import { cellsOf } from '../testing/providers/driver-cells.ts'
import { lacksMember, rowCases } from '../testing/providers/driver-rows.ts'
import { type Scenes, startScenes } from '../testing/providers/driver-scenes.ts'
import { CALL_TIMEOUTS, type CallKind } from './driver/timeouts.ts'

export function describeDriver<Settings>(name: string, bench: DriverBench<Settings>): void {
  describe(`the driver ${name}`, () => {
    const cells: Cell[] = []
    let scenes: Scenes<Settings>
    beforeAll(async () => {
      scenes = await startScenes(bench)
    })
    afterAll(async () => {
      await scenes.close()
      console.info(`${name}\n${table(cells)}`)
    })

    const cell = (row: string, column: string, isThere: boolean, run: () => Promise<void>) => {
      const note: Cell = { row, column, result: isThere ? 'red' : 'not in the protocol' }
      cells.push(note)
      if (!isThere) return
      test(`${row}: ${column}`, async () => {
        await run()
        note.result = 'green'
      })
    }

    for (const { row, column, isThere, run } of cellsOf(bench)) cell(row, column, isThere, () => run(scenes))

    test('says why it has not every row', () => {
      const all = new Set<Lacking>([...rowCases<Settings>().flatMap(({ needs = [] }) => needs), 'callbacks'])
      const missing = [...all].filter((needs) => lacksMember(bench, needs))
      for (const needs of missing) expect(Object.keys(bench.without ?? {})).toContain(needs)
      for (const [lack, reason] of Object.entries(bench.without ?? {}))
        expect([lack, reason]).toEqual([lack, expect.stringMatching(/^[A-Z].{15,}\.$/)])
    })

    if (bench.driver.finalize)
      test('keys its finalize, which may be sent again', () => {
        expect(scenes.isKeyed('finalize')).toBe(true)
      })

    test('states only time limits that the claims of the service leave time for', () => {
      for (const [kind, ms] of Object.entries(bench.driver.timeouts ?? {}))
        expect([kind, ms >= 1_000 && ms <= CALL_TIMEOUTS[kind as CallKind].mostMs]).toEqual([kind, true])
    })

    test('names addresses or networks from which its provider calls', () => {
      const { simulator } = scenes
      const settings = simulator.settings(simulator.origin, { credentials: 'right', steps: 'one' })
      for (const each of bench.driver.inbound?.callers?.(settings) ?? []) {
        const [address = '', prefix = '0'] = each.split('/')
        expect([each, isIP(address) > 0 && /^\d{1,3}$/.test(prefix)]).toEqual([each, true])
      }
    })

    test('names its settings and addresses', () => {
      const { driver } = bench
      for (const [setting, { description }] of Object.entries(driver.settings.shape))
        expect([setting, description]).toEqual([
          expect.stringMatching(/^[A-Z][A-Z0-9_]*$/),
          expect.stringMatching(/\.$/),
        ])
      const settings = Object.keys(driver.settings.shape)
      for (const named of [...(driver.identity ?? []), ...(driver.secrets ?? [])])
        expect(settings).toContain(named)
    })
  })
}
