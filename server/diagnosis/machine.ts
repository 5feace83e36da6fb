/** Looks at what needs no database: the data directory and its disk, and whether the own process of the service is ready. */
import { access, constants } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Config } from '../config.ts'
import { changeSetting, isArchive, RESTART, SERVICE_LOG } from '../invocation.ts'
import { LIMITS } from '../operator/examination.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { findPlainAddresses } from '../settings/plain-address.ts'
import { nameOf } from '../settings/table.ts'
import { freeForData } from '../start/machine.ts'
import { bad, type Finding, good } from './finding.ts'

const DIRECTORY = 'Data directory'
const REMEDIES: Record<string, (dataDir: string) => [message: string, next: string]> = {
  // The program of an archive has become the service's user. In a checkout this may be the wrong user for these data.
  EACCES: (dataDir) => [
    `${userName()} may not read and write ${dataDir}. Run this as the user of the service, or give that user the directory`,
    isArchive ? `sudo chown -R ${userName()}: ${dataDir}` : `ls -ld ${dataDir}`,
  ],
  EROFS: (dataDir) => [`the disk of ${dataDir} is read-only`, `findmnt --target ${dataDir}`],
  ENOTDIR: (dataDir) => [`${dataDir} is not a directory`, changeSetting(nameOf('dataDir'), '/var/lib/kassa')],
}

/** `isNeeded`: the database or the key is there. */
export async function judgeDirectory(dataDir: string, isNeeded: boolean): Promise<Finding[]> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return [good(DIRECTORY, dataDir)]
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    const [message, next] = REMEDIES[code]?.(dataDir) ?? [
      `${dataDir} cannot be used (${code})`,
      `ls -ld ${dataDir}`,
    ]
    return isNeeded ? [bad(DIRECTORY, message, next)] : [{ state: 'open', about: DIRECTORY, message, next }]
  }
}

export async function judgeDisk(config: Config): Promise<Finding[]> {
  const free = await freeForData(config)
  if (free === null) return []
  const message = `${(free / 1e9).toFixed(1)} GB free for the data directory`
  return [free < LIMITS.freeBytes ? bad('Disk', message, 'df -h') : good('Disk', message)]
}

/** In the sandbox there is nothing to protect. */
export function judgeEncryption(config: Config): Finding[] {
  if (config.mode !== 'live') return []
  return findPlainAddresses(config).map(({ name, message, example }) => ({
    state: 'open',
    about: 'Encryption',
    message,
    next: changeSetting(name, example),
  }))
}

/** In a container the account may have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}

const ABOUT = 'Service'
/** A process whose database does not answer says so after two seconds. */
const ANSWER_WITHIN_MS = 3_000
const ANSWER_BYTES_MAX = 10_000

export async function judgeProcess(config: Config): Promise<Finding> {
  const address = addressOf(config)
  if (address === null)
    return { state: 'good', about: ABOUT, message: 'this worker has no METRICS_PORT, so it cannot be asked' }
  const { request } = createOutbound(['loopback', address], { anyPort: true })
  const requestOptions = {
    method: 'GET',
    url: `http://${address}/readyz`,
    headers: {},
    bytesMax: ANSWER_BYTES_MAX,
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }
  try {
    const { statusCode, body } = await request(requestOptions)
    return judgeAnswer(address, statusCode, body.toString('utf8'))
  } catch (error) {
    if (requestOptions.signal.aborted)
      return bad(
        ABOUT,
        `the process at ${address} does not answer within ${ANSWER_WITHIN_MS / 1000} seconds, so it hangs`,
        RESTART,
      )
    return bad(ABOUT, `no process answers at ${address} (${reasonOf(error)})`, SERVICE_LOG)
  }
}

function judgeAnswer(address: string, status: number, text: string): Finding {
  const { ready, blockers } = parse(text)
  if (ready === undefined)
    return bad(ABOUT, `the program at ${address} is not Kassa, or is too old to say`, SERVICE_LOG)
  if (status === 200) return good(ABOUT, `the process at ${address} is ready`)
  const why = (blockers ?? []).join(', ')
  return bad(ABOUT, `the process at ${address} is not ready: ${why}`, SERVICE_LOG)
}

function parse(text: string): { ready?: boolean; blockers?: string[] } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** A worker has only its metrics port. */
function addressOf({ process, host, port, metricsHost, metricsPort }: Config): string | null {
  if (process === 'worker')
    return metricsPort === undefined ? null : `${reachable(metricsHost)}:${metricsPort}`
  return `${reachable(host)}:${port}`
}

function reachable(host: string | undefined): string {
  if (!host || host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return code ?? message ?? String(error)
}
