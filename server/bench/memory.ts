/**
 * Measures the memory of the service over time: at rest, while 16 connections create payments, and afterwards. The service runs as
 * `npm start` runs it, with its worker and its simulators in the same process. PostgreSQL has processes of its own, which are not
 * counted. Prints one line of JSON for each build.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { atLeast } from './at-least.ts'
import { processCpuMs } from './cpu.ts'
import { runLoad } from './load.ts'
import { readMegabytes } from './processes.ts'
import { requests } from './requests.ts'
import { type Checkout, openScene } from './scene.ts'

/** `samples`: seconds since the start of the measurement, megabytes, and the processors that were used since the sample before. */
export type MemoryRun = {
  build: string
  startMs: number
  loadFrom: number
  loadUntil: number
  created: number
  samples: [seconds: number, megabytes: number, processors: number][]
}

type Options = { against: string[]; rest: number; seconds: number; after: number }

const SAMPLE_EVERY_MS = 5_000
const CONNECTIONS = 16

const options = new Command('bench memory')
  .description('Measure the memory of the service before, during and after a minute of load.')
  .option('--against <dir...>', 'earlier builds, each a checkout with its node_modules', [])
  .option('--rest <n>', 'seconds before the load', atLeast(5), 20)
  .option('--seconds <n>', 'seconds of load', atLeast(5), 60)
  .option('--after <n>', 'seconds after the load', atLeast(5), 60)
  .parse()
  .opts<Options>()

async function measure({ name, token, start }: Checkout): Promise<MemoryRun> {
  const { rest, seconds, after } = options
  const spawned = performance.now()
  const { pid, port, stop } = await start()
  const ports = [await port]
  const started = performance.now()
  const now = () => Math.round((performance.now() - started) / 1000)
  const samples: MemoryRun['samples'] = []
  let cpu = { ms: await processCpuMs(pid), at: started }
  const timer = setInterval(async () => {
    const next = { ms: await processCpuMs(pid), at: performance.now() }
    const used = (next.ms - cpu.ms) / (next.at - cpu.at)
    cpu = next
    samples.push([now(), await readMegabytes(pid), Number(used.toFixed(2))])
  }, SAMPLE_EVERY_MS)
  try {
    await sleep(rest * 1000)
    const loadFrom = now()
    const next = requests('memory', '/v1/payment-sessions', { Authorization: `Bearer ${token}` })
    const { signal } = new AbortController()
    const load = await runLoad({ ports, connections: CONNECTIONS, amount: { seconds }, next, signal })
    const loadUntil = now()
    await sleep(after * 1000)
    const startMs = Math.round(started - spawned)
    return { build: name, startMs, loadFrom, loadUntil, created: load.done, samples }
  } finally {
    clearInterval(timer)
    await stop()
  }
}

await using stack = new AsyncDisposableStack()
const { checkouts } = await openScene(stack, options.against)
for (const checkout of checkouts) console.log(JSON.stringify(await measure(checkout)))
