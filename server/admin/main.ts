/** Runs one command of the operator. */
import { connect } from 'node:net'
import { hostname, userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { type Config, readConfig } from '../config.ts'
import { diagnose } from '../diagnosis/diagnose.ts'
import { openService, openUnmigrated, type Service } from '../service.ts'
import { nameOf } from '../settings/table.ts'
import { placeOf } from '../start/database.ts'
import { mayCreate, type OnEmpty } from './command.ts'
import { readOperatorKey } from './operator-key.ts'
import { runAdmin } from './program.ts'

const LOG_LEVEL = nameOf('logLevel')
const { [LOG_LEVEL]: logLevel, SUDO_USER, USER, LOGNAME } = process.env
const { KASSA_OPERATOR_KEY, KASSA_OPERATOR_KEY_FILE } = process.env

const CONNECT_MS = 500
const stopping = new AbortController()

// The reader of the output may stop early (`| head`). That is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  stopping.abort()
})

/** The first signal asks the command to stop. A second one ends the process. */
function untilStopped(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort())
  return stopping.signal
}

/** The login name. In a container the variables may be unset, and the account may have no name. */
function findUser(): string {
  const named = SUDO_USER || USER || LOGNAME
  if (named) return named
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return (await terminal.question(question)).trim()
  } finally {
    terminal.close()
  }
}

const print = (line: string) => process.stderr.write(`${line}\n`)

function readSettings(): Config {
  const config = readConfig({ ...process.env, [LOG_LEVEL]: logLevel || 'error' })
  for (const line of config.misspelt) print(`Warning: ${line}`)
  return config
}

/**
 * Returns the address of the service on this machine, if it runs. It plays the simulated bank, and its public address may be one
 * of a proxy that cannot be reached from here.
 */
function findService({ port }: Config): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: CONNECT_MS })
    const end = (found: string | null) => {
      socket.destroy()
      resolve(found)
    }
    socket.on('connect', () => end(`http://127.0.0.1:${port}`))
    socket.on('error', () => end(null))
    socket.on('timeout', () => end(null))
  })
}

const isJson = process.argv.includes('--json')

/** The first line names the database, because a command also works with the settings or the folder of another Kassa. */
function readPlace(): Config {
  const config = readSettings()
  if (!isJson) print(`Kassa in ${placeOf(config)}`)
  return config
}

async function open({ onEmpty }: { onEmpty: OnEmpty }): Promise<Service> {
  const config = readPlace()
  // A database that is already running stays running, because others use it. Otherwise it runs only during this command.
  const localUrl = await findService(config)
  const service = await openService(config, {
    own: false,
    mayCreate: mayCreate(onEmpty, config),
    logTo: 'stderr',
    onProgress: print,
    ...(localUrl && { localUrl }),
  })
  if (service.isNew && onEmpty !== 'fill') {
    const [DATA_DIR, DATABASE_URL] = [nameOf('dataDir'), nameOf('databaseUrl')]
    const place = config.databaseUrl ? `in the database of ${DATABASE_URL}` : `in ${service.dataDir}`
    print(
      `There was no Kassa ${place}: this command created a new one. To use an existing service, set ${DATA_DIR} or ${DATABASE_URL} to that service's values.`,
    )
  }
  return service
}

let isDiagnosis = false
process.exitCode = await runAdmin(process.argv.slice(2), {
  open,
  async diagnose() {
    isDiagnosis = true
    return diagnose(readSettings())
  },
  openDatabase({ onEmpty }) {
    const config = readPlace()
    return openUnmigrated(config, {
      mayCreate: mayCreate(onEmpty, config),
      logTo: 'stderr',
      onProgress: print,
    })
  },
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  caller: {
    user: findUser(),
    from: `host ${hostname()}`,
    readKey: () => readOperatorKey({ key: KASSA_OPERATOR_KEY, file: KASSA_OPERATOR_KEY_FILE }),
  },
  untilStopped,
  ...(process.stdin.isTTY && process.stdout.isTTY && { ask }),
  verbose: logLevel === 'debug' || logLevel === 'trace',
})
// After Ctrl-C, and after an examination, the process does not wait for work that is still running, such as a request without a
// response.
if (stopping.signal.aborted || isDiagnosis) process.exit()
