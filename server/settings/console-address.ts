/** The settings of the console, which has an address of its own. */
import { notation, publicOrigin, type Setting } from './setting.ts'

const PORT_TAKES = 'a port number from 0 to 65535 (0 selects any free port), or off'
const PORT_MAX = 65_535

/** @throws RangeError */
function parsePort(given: string): number | null {
  if (given === 'off') return null
  if (/^\d{1,5}$/.test(given) && Number(given) <= PORT_MAX) return Number(given)
  throw new RangeError(`must be ${PORT_TAKES}`)
}

export const CONSOLE = {
  consolePort: {
    ...notation(PORT_TAKES, parsePort),
    name: 'CONSOLE_PORT',
    group: 'serving',
    default: { sandbox: '3001', live: 'off' },
    commands: true,
    about:
      'The port of the console, the web pages for the people who run shops and this deployment. It listens on HOST, in processes that answer requests. In sandbox mode a port that is in use leaves the console off, with a warning.',
  },
  consoleBaseUrl: {
    ...publicOrigin('https://desk.example'),
    name: 'CONSOLE_BASE_URL',
    group: 'serving',
    unset: '`http://localhost:CONSOLE_PORT`',
    commands: true,
    about:
      'The address at which people reach the console: a scheme and a host name of its own, without a path. Passkeys belong to its host name, so they end when the name changes.',
    live: {
      accepts: (given) => given === undefined || /^https:\/\//i.test(given),
      needs: 'an https address, such as https://desk.example',
    },
  },
} as const satisfies Record<string, Setting>
