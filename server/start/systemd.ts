/**
 * Tells systemd when the service is ready and that it is alive. Node cannot write to systemd's kind of socket, so this runs
 * `systemd-notify`, which every machine with systemd has.
 */
import { execFile } from 'node:child_process'

export type Supervisor = {
  /** The service answers requests from now on. From now on it also says regularly that it is alive. */
  ready(): void
  stopping(): void
}

const PROGRAM = 'systemd-notify'
/** systemd advises to report twice in the time after which it restarts a silent service. */
const REPORTS_PER_LIMIT = 2

/**
 * `environment`: systemd sets `NOTIFY_SOCKET`, and `WATCHDOG_USEC` if the unit has a limit for silence. Without them nothing is
 * told. A service whose event loop hangs stops reporting, and systemd restarts it.
 */
export function openSupervisor(
  { NOTIFY_SOCKET, WATCHDOG_USEC, PATH }: Record<string, string | undefined>,
  warn: (line: string) => void,
): Supervisor {
  if (!NOTIFY_SOCKET) return { ready() {}, stopping() {} }
  let isNotified = true
  const notifySystemd = (state: string) => {
    execFile(PROGRAM, [state], { env: { NOTIFY_SOCKET, PATH } }, (error) => {
      if (error && isNotified) warn(`Warning: systemd was not told ${state}: ${error.message}`)
      isNotified = error === null
    })
  }
  const limitMs = Number(WATCHDOG_USEC ?? 0) / 1000
  let reporting: NodeJS.Timeout | undefined
  return {
    ready() {
      notifySystemd('READY=1')
      if (limitMs > 0)
        reporting = setInterval(notifySystemd, limitMs / REPORTS_PER_LIMIT, 'WATCHDOG=1').unref()
    },
    stopping() {
      clearInterval(reporting)
      notifySystemd('STOPPING=1')
    },
  }
}
