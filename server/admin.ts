/** The entry of the operator's command line: `npm run -s admin -- NOUN VERB [flags]`. */
import { userInfo } from 'node:os'
import { runAdmin } from './admin/program.ts'
import { readConfig } from './config.ts'
import { openService, type Service } from './service.ts'
import { nameOf } from './settings/table.ts'

const LOG_LEVEL = nameOf('logLevel')
const { [LOG_LEVEL]: logLevel, SUDO_USER, USER, LOGNAME } = process.env

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

/** Whoever is logged in. A container sets none of the variables, and of an account without a name even the system knows nothing. */
function findOperator(): string {
  const named = SUDO_USER || USER || LOGNAME
  if (named) return named
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}

const say = (line: string) => process.stderr.write(`${line}\n`)

async function open(): Promise<Service> {
  const config = readConfig({ ...process.env, [LOG_LEVEL]: logLevel || 'error' })
  // A database that runs already is left running, as others use it; one that does not runs for as long as this command.
  const service = await openService(config, { own: false, logTo: 'stderr', onProgress: say })
  if (service.isNew) {
    const [DATA_DIR, DATABASE_URL] = [nameOf('dataDir'), nameOf('databaseUrl')]
    const place = config.databaseUrl ? `in the database of ${DATABASE_URL}` : `in ${service.dataDir}`
    say(
      `There was no Kassa ${place}: this command made a new one. To look at another, set ${DATA_DIR} or ${DATABASE_URL} as its service has them.`,
    )
  }
  return service
}

process.exitCode = await runAdmin(process.argv.slice(2), {
  open,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  operator: findOperator(),
  untilStopped,
  verbose: logLevel === 'debug' || logLevel === 'trace',
})
// What was under way when the operator stopped, such as an answer that is waited for, is not waited for.
if (stopping.signal.aborted) process.exit()
