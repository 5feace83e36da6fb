/**
 * Returns memory to the machine after a busy time. V8 collects old garbage only while something new is allocated, so a process that
 * has become quiet would keep what its busiest minute needed.
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_EVERY_MS = 10_000
/**
 * A collection stops the process for one or two tenths of a second. The less a process works, the fewer requests notice it, and the
 * less it has to return. `under`: the part of the time in which the process worked. It has room at first for what was only needed to
 * start.
 */
const WORTH = [
  { under: 0.05, bytes: 6 * 2 ** 20 },
  { under: 0.5, bytes: 24 * 2 ** 20 },
]

/** Looks regularly until `stop` is called. `collect`: collects all garbage. `measure`: returns the memory of the process, in bytes. */
export function watchMemory({
  collect = findCollector(),
  measure = () => process.memoryUsage.rss(),
  everyMs = LOOK_EVERY_MS,
} = {}): { stop(): void } {
  let leastBytes = 0
  let before = performance.eventLoopUtilization()
  const look = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const bytes = measure()
    leastBytes = Math.min(leastBytes, bytes)
    const worth = WORTH.find(({ under }) => utilization < under)
    if (!worth || bytes - leastBytes < worth.bytes) return
    collect()
    // What is there now is in use.
    leastBytes = measure()
  }
  const timer = setInterval(look, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * Returns a function that collects all garbage and returns its memory to the machine. A usual collection would keep the pages that
 * it has emptied. Node gives the collector to contexts that are made after the flag was set.
 */
export function findCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: object) => void
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
