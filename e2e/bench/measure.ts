/** One run of one build, in its own browser context. CPU time and heap come from the browser, the rest from the page. */
import type { Browser } from 'playwright'
import type { Build } from './builds.ts'

/**
 * `cpu` and `ready` in milliseconds, `heap` in bytes. `cpu` is main-thread time in the script's evaluation and in the
 * microtasks right after it.
 */
export type Run = { cpu: number; ready: number; longTasks: number; heap: number }

const READY_WITHIN_MS = 20_000
const SETTLE_MS = 250
const POLL_MS = 20

/**
 * The page adds the script tag through the DOM, as many merchants' pages do. So the empty page also creates the element
 * interfaces (60 KB on any page with a script), and the time counts from the tag, not from the start of the page.
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
  // Read through the DevTools protocol: Playwright's own helpers would add to the heap that is measured.
  const read = async (name: string): Promise<number> => {
    const { result } = await devtools.send('Runtime.evaluate', { expression: `window.${name} ?? 0` })
    return Number(result.value)
  }
  const giveUpAt = Date.now() + READY_WITHIN_MS
  while ((await read('readyAfter')) === 0) {
    if (Date.now() > giveUpAt) throw new Error(`${address} showed no button within ${READY_WITHIN_MS} ms.`)
    await page.waitForTimeout(POLL_MS)
  }
  await page.waitForTimeout(SETTLE_MS)
  const trace = await browser.stopTracing()
  const ready = await read('readyAfter')
  const longTasks = await read('longTasks')
  // Collect several times: one collection can make more objects collectable.
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

/** Returns the CPU milliseconds of the script's evaluation and of the microtasks that ran right after it. */
function evaluationCpu(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const script = traceEvents.find(
    ({ name, ph, args }) => name === 'EvaluateScript' && ph === 'X' && args.data?.url?.endsWith('.js'),
  )
  if (!script) throw new Error('The trace does not contain the evaluation of the script.')
  const end = script.ts + script.dur
  const microtasks = traceEvents.filter(
    ({ name, tid, ts }) => name === 'RunMicrotasks' && tid === script.tid && ts >= end && ts < end + 1_000,
  )
  return [script, ...microtasks].reduce((sum, { tdur, dur }) => sum + (tdur ?? dur), 0) / 1_000
}
