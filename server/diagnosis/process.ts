/** Asks the service's own process whether it is ready. */
import type { Config } from '../config.ts'
import { RESTART, SERVICE_LOG } from '../invocation.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { bad, type Finding, good } from './finding.ts'

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
