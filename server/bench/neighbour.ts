/**
 * What works beside the measured service, in a process of its own: `load` creates payments, `clock` moves the sandbox's clock
 * again and again. It tells its parent when it has begun, so that its own start is not measured, and ends at a message.
 */
import { requests } from './cells.ts'
import { runLoad } from './load.ts'

const STEP_MS = 15 * 60_000

const over = new AbortController()
process.once('message', () => over.abort())

/** `cpuSeconds`: the processor time of this process alone. */
export type Report = { count: number; cpuSeconds: number }

function begin(): () => number {
  const before = process.cpuUsage()
  process.send?.('begun')
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
}

async function load(port: number, token: string, connections: number): Promise<Report> {
  const next = requests(`beside-${process.pid}`, '/v1/payment-sessions', { Authorization: `Bearer ${token}` })
  const { signal } = new AbortController()
  const { signal: isOver } = over
  let created = (await runLoad({ port, connections, seconds: 1, next, signal })).created
  const cpuSeconds = begin()
  created = 0
  while (!isOver.aborted)
    created += (await runLoad({ port, connections, seconds: 0.5, next, signal })).created
  return { count: created, cpuSeconds: cpuSeconds() }
}

/**
 * Does what the command does, without its start. Returns the number of advances. `port`: where the service listens. The simulated
 * bank is asked there, because no proxy serves BASE_URL in a benchmark. Otherwise each question would fail, and the breaker of the
 * bank would open.
 */
async function advance(port: number): Promise<Report> {
  const { readConfig } = await import('../config.ts')
  const { openService } = await import('../service.ts')
  const { advanceClock } = await import('../operator/clock-advance.ts')
  const { worlds, close } = await openService(readConfig(process.env), {
    own: false,
    localUrl: `http://127.0.0.1:${port}`,
  })
  const cpuSeconds = begin()
  let advances = 0
  const quiet = { onMoment: () => {}, onCoarse: () => {}, signal: over.signal }
  for (; !over.signal.aborted; advances++) await advanceClock(worlds.sandbox, STEP_MS, quiet)
  const report = { count: advances, cpuSeconds: cpuSeconds() }
  await close()
  return report
}

const [task, port, token = '', connections] = process.argv.slice(2)
process.send?.(
  task === 'clock' ? await advance(Number(port)) : await load(Number(port), token, Number(connections)),
  () => process.disconnect?.(),
)
