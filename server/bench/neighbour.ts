/**
 * Runs beside the measured service, in its own process: `load` creates payments, `clock` keeps moving the sandbox's clock. It tells
 * its parent when it has begun, so that its own start is not measured. It ends at a message.
 */
import { runLoad } from './load.ts'
import { requests } from './requests.ts'

const STEP_MS = 15 * 60_000

/**
 * `count`: the requests that were sent, or the advances. `cpuSeconds`: the processor time of this process alone. Both count
 * since the last message `mark`.
 */
export type Report = { count: number; cpuSeconds: number }

const over = new AbortController()
let count = 0
let cpuAtMark = process.cpuUsage()
process.on('message', (message) => {
  if (message === 'end') {
    process.send?.(report())
    over.abort()
  }
  count = 0
  cpuAtMark = process.cpuUsage()
})

function report(): Report {
  const { user, system } = process.cpuUsage(cpuAtMark)
  return { count, cpuSeconds: (user + system) / 1e6 }
}

async function load(port: number, token: string, connections: number): Promise<void> {
  const next = requests(`beside-${process.pid}`, '/v1/payment-sessions', { Authorization: `Bearer ${token}` })
  const counted = () => {
    count++
    return next()
  }
  const { signal } = new AbortController()
  const run = (seconds: number) =>
    runLoad({ ports: [port], connections, amount: { seconds }, next: counted, signal })
  await run(1)
  process.send?.('begun')
  while (!over.signal.aborted) await run(0.5)
}

/**
 * Does what the command `clock advance` does, without its start. Counts the advances. `port`: where the service listens. The
 * simulated bank is called there, because in a benchmark there is no proxy at BASE_URL. Otherwise each call would fail, and the
 * circuit breaker of the bank would open.
 */
async function advance(port: number): Promise<void> {
  const { readConfig } = await import('../config.ts')
  const { openService } = await import('../service.ts')
  const { advanceClock } = await import('../operator/clock-advance.ts')
  const { worlds, close } = await openService(readConfig(process.env), {
    own: false,
    localUrl: `http://127.0.0.1:${port}`,
  })
  process.send?.('begun')
  const quiet = { onMoment: () => {}, onCoarse: () => {}, signal: over.signal }
  for (; !over.signal.aborted; count++) await advanceClock(worlds.sandbox, STEP_MS, quiet)
  await close()
}

const [task, port, token = '', connections] = process.argv.slice(2)
await (task === 'clock' ? advance(Number(port)) : load(Number(port), token, Number(connections)))
process.disconnect?.()
