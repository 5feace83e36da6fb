/** The entry of the operator's command line: `npm run -s admin -- NOUN VERB [flags]`. */
import { runAdmin } from './admin/program.ts'
import { readConfig } from './config.ts'
import { openService } from './service.ts'

const { LOG_LEVEL: logLevel, SUDO_USER, USER, LOGNAME } = process.env

const stopping = new AbortController()

// Whoever reads the answer may have had enough of it (`| head`): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  stopping.abort()
})

/** The first signal asks a command to stop, a second one ends it. */
function untilStopped(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort())
  return stopping.signal
}

process.exitCode = await runAdmin(process.argv.slice(2), {
  // A database that runs already is left running, as others use it; one that does not runs for as long as this command.
  open: () =>
    openService(readConfig({ ...process.env, LOG_LEVEL: logLevel || 'error' }), {
      own: false,
      logTo: 'stderr',
      onProgress: (line) => process.stderr.write(`${line}\n`),
    }),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  operator: SUDO_USER || USER || LOGNAME || 'unknown',
  untilStopped,
  verbose: logLevel === 'debug' || logLevel === 'trace',
})
// What was under way when the operator stopped, such as an answer that is waited for, is not waited for.
if (stopping.signal.aborted) process.exit()
