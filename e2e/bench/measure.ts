/** One run of one build, in a context of its own: CPU time and heap out of the browser, the rest out of the page. */
import type { Browser } from 'playwright'
import type { Build } from './builds.ts'

/** Milliseconds, a count and bytes. `cpu`: main thread, inside the script's evaluation and the microtasks that end it. */
export type Run = { cpu: number; ready: number; longTasks: number; heap: number }

const READY_WITHIN_MS = 20_000
const SETTLE_MS = 250
const POLL_MS = 20

/**
 * The script comes in as merchants' own pages bring theirs, through the DOM: the empty page then has the element
 * interfaces too (60 KB that any page with a script pays), and the time counts from the tag, not from the page.
 */
export const pageOf = (
  { markup, ready }: Build,
  address: string,
) => `<!doctype html><html lang="en"><meta charset="utf-8">
  <title>Bench</title><body>${markup}<script>
    longTasks = 0
    new PerformanceObserver((list) => (longTasks += list.getEntries().length)).observe({ type: 'longtask', buffered: true })
    const began = performance.now()
    const look = () => ${ready} ? (readyAfter = performance.now() - began) : setTimeout(look)
    const tag = document.createElement('script')
    tag.src = '${address}'
    tag.onload = look
    document.body.append(tag)
  </script>`

export async function measure(browser: Browser, address: string, slowdown: number): Promise<Run> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await browser.startTracing(page, { categories: ['devtools.timeline'] })
  await page.goto(address)
  // By the browser's own protocol: Playwright's helpers would be compiled into the heap that is measured.
  const read = async (name: string): Promise<number> => {
    const { result } = await devtools.send('Runtime.evaluate', { expression: `window.${name} ?? 0` })
    return Number(result.value)
  }
  const giveUpAt = Date.now() + READY_WITHIN_MS
  while ((await read('readyAfter')) === 0) {
    if (Date.now() > giveUpAt) throw new Error(`${address} had no button after ${READY_WITHIN_MS} ms.`)
    await page.waitForTimeout(POLL_MS)
  }
  await page.waitForTimeout(SETTLE_MS)
  const trace = await browser.stopTracing()
  const ready = await read('readyAfter')
  const longTasks = await read('longTasks')
  // More than once: what one collection finds unused, the next ones free.
  for (let times = 0; times < 4; times++) await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize: heap } = await devtools.send('Runtime.getHeapUsage')
  await context.close()
  return { cpu: evaluationCpu(trace), ready, longTasks, heap }
}

type TraceEvent = {
  name: string
  ph: string
  tid: number
  ts: number
  dur: number
  tdur?: number
  args: { data?: { url?: string } }
}

/** The script's EvaluateScript, and what RunMicrotasks follow it on its thread before the next task: in CPU milliseconds. */
function evaluationCpu(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const script = traceEvents.find(
    ({ name, ph, args }) => name === 'EvaluateScript' && ph === 'X' && args.data?.url?.endsWith('.js'),
  )
  if (!script) throw new Error('The trace has no evaluation of the script.')
  const end = script.ts + script.dur
  const microtasks = traceEvents.filter(
    ({ name, tid, ts }) => name === 'RunMicrotasks' && tid === script.tid && ts >= end && ts < end + 1_000,
  )
  return [script, ...microtasks].reduce((sum, { tdur, dur }) => sum + (tdur ?? dur), 0) / 1_000
}
