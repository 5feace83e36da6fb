/**
 * The entry of the service: its environment, output, signals and exit code. The service is imported after the next call, because
 * Node reads the compile cache only for later imports. The cache holds the compiled code of earlier starts and halves the CPU time
 * of a start. Without the right to write there, Node compiles at each start, and the part of Node that reads TypeScript keeps 14 MB
 * of memory for as long as the process runs.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { loadJobLibrary } from './start/job-library.ts'

enableCompileCache(fileURLToPath(new URL('../.dist/compile-cache', import.meta.url)))
await loadJobLibrary()
const { explain, serve } = await import('./serve.ts')
// The launcher of an archive asks only for the cache. Node writes it when a process ends.
if (process.argv[2] === '--compile') process.exit()

const SAME_SIGNAL_MS = 1_000

/**
 * Listens from the very start, so that a signal at any time closes the database. A second signal exits at once. One Ctrl-C in a
 * terminal, or one stop of a service manager, arrives twice: directly, and through npm. Both together count as one signal.
 */
function listenForSignals(): AbortSignal {
  const stopping = new AbortController()
  let signalAt = 0
  const ask = () => {
    if (stopping.signal.aborted && performance.now() - signalAt < SAME_SIGNAL_MS) return
    if (stopping.signal.aborted) process.exit(1)
    signalAt = performance.now()
    console.error(
      'Stopping. Running requests and jobs are finished first. Repeat the signal to stop at once.',
    )
    stopping.abort()
  }
  process.on('SIGTERM', ask)
  process.on('SIGINT', ask)
  return stopping.signal
}

try {
  await serve({
    environment: process.env,
    stopping: listenForSignals(),
    out: (text) => console.log(text),
    err: (text) => console.error(text),
    exit: (code) => process.exit(code),
  })
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
