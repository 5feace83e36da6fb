/** The cells of the conformance suite: each row with its columns, and whether a driver has it. A guide shows them for all drivers. */
import { type DriverBench, FAULTS } from './driver-bench.ts'
import { listenCases } from './driver-callbacks.ts'
import { type CallCase, callCases } from './driver-calls.ts'
import { lacksMember, rowCases } from './driver-rows.ts'
import { sayCases } from './driver-sayings.ts'
import type { Scenes } from './driver-scenes.ts'

type SuiteCell<Settings> = {
  row: string
  column: string
  isThere: boolean
  run(scenes: Scenes<Settings>): Promise<void>
}

export function cellsOf<Settings>(bench: DriverBench<Settings>): SuiteCell<Settings>[] {
  const { driver, without } = bench
  const ofCalls = callCases<Settings>().flatMap((each) =>
    FAULTS.map((fault) => ({
      row: each.name,
      column: fault,
      isThere: driver[each.member] !== undefined && hasCell(bench, each, fault),
      run: (scenes: Scenes<Settings>) => each.run(scenes, fault),
    })),
  )
  const ofSayings = sayCases<Settings>().map(({ name: column, isThere, run }) => ({
    row: 'what it says',
    column,
    run,
    isThere: isThere(bench),
  }))
  const ofRows = rowCases<Settings>().map(({ group: row, name: column, needs, member, run }) => {
    const hasMember = member === undefined || driver[member] !== undefined
    const hasAll = needs === undefined || !(lacksMember(bench, needs) || without?.[needs])
    return { row, column, run, isThere: hasMember && hasAll }
  })
  const ofCallbacks = listenCases<Settings>().map(({ name: column, isThere, run }) => ({
    row: 'callbacks',
    column,
    run,
    isThere: isThere(bench),
  }))
  return [...ofCalls, ...ofSayings, ...ofRows, ...ofCallbacks]
}

/** A composed checkout sends no request, and a driver without addresses never does, so these cannot fail on the way. */
function hasCell<Settings>(
  { driver }: DriverBench<Settings>,
  { member }: CallCase<Settings>,
  fault: (typeof FAULTS)[number],
): boolean {
  return fault === 'none' || (member !== 'composeCheckout' && driver.addresses !== undefined)
}
