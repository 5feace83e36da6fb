/** One run of one build, in a context of its own: CPU time and heap out of the browser, the rest out of the page. */
import type { Browser } from 'playwright'
import type { Build } from './builds.ts'

/** Milliseconds, a count and bytes. `cpu`: main thread, inside the script's evaluation and the microtasks that end it. */
export type Run = { cpu: number; ready: number; longTasks: number; heap: number }

const READY_WITHIN_MS = 20_000
const SETTLE_MS = 250

export const pageOf = (
  { markup, ready }: Build,
  address: string,
) => `<!doctype html><html lang="en"><meta charset="utf-8">
  <title>Bench</title><script>
    longTasks = 0
    new PerformanceObserver((list) => (longTasks += list.getEntries().length)).observe({ type: 'longtask', buffered: true })
    const began = performance.now()
    const look = () => ${ready} ? (readyAfter = performance.now() - began) : setTimeout(look)
    look()
  </script><body>${markup}<script async src="${address}"></script></body></html>`

export async function measure(browser: Browser, address: string, slowdown: number): Promise<Run> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await browser.startTracing(page, { categories: ['devtools.timeline'] })
  await page.goto(address)
  const ready = Number(
    await (
      await page.waitForFunction('window.readyAfter', undefined, { timeout: READY_WITHIN_MS })
    ).jsonValue(),
  )
  await page.waitForTimeout(SETTLE_MS)
  const trace = await browser.stopTracing()
  const longTasks = Number(await page.evaluate('longTasks'))
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
