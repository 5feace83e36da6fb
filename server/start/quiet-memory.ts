/**
 * Gives memory back to the machine after a rush. V8 keeps what a rush needed for as long as nothing asks for it: measured, 150 MB of
 * 270 MB, for hours.
 * Rule: only in a quiet moment, because the collection stops the process for up to half a second on a slow machine.
 */
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_EVERY_MS = 15_000
/** The share of the time in which the process did something. */
const QUIET_SHARE = 0.1
/** Growth since the last collection below which it is not worth a pause. */
const GROWTH_BYTES = 32 * 1024 * 1024

type Collect = (how: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** Returns V8's own function. Of its ways to collect, only `last-resort` returns the pages to the machine. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}

/** Looks from time to time, until `stop` is called. `everyMs`: for tests. */
export function returnMemoryWhenQuiet(everyMs = LOOK_EVERY_MS): { stop(): void } {
  const collect = collector()
  let since: EventLoopUtilization = performance.eventLoopUtilization()
  let smallest = process.memoryUsage.rss()
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(since)
    since = performance.eventLoopUtilization()
    const rss = process.memoryUsage.rss()
    if (utilization > QUIET_SHARE || rss < smallest + GROWTH_BYTES) return
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    smallest = process.memoryUsage.rss()
  }, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
