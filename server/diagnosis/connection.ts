/** Explains why the database cannot be used, by the error of the first statement. */
import { AppError } from '../errors.ts'
import { changeSetting, RESTART } from '../invocation.ts'
import { nameOf } from '../settings/table.ts'
import { bad, type Finding } from './finding.ts'

export const DATABASE = 'Database'
// On Debian the unit `postgresql` only starts those of the servers, so it is active even if no server runs.
const POSTGRES_LOG = "journalctl --unit 'postgresql*' --lines 50"
export const changeUrl = () => changeSetting(nameOf('databaseUrl'), 'postgres://USER:PASSWORD@HOST:5432/NAME')

type ConnectionPlace = { host: string; port: string; user: string; name: string; isLocal: boolean }
type Explained = [message: string, next: string]

/** The operating system's codes and SQLSTATEs. */
const CODES: Record<string, (place: ConnectionPlace, reason: string) => Explained> = {
  ECONNREFUSED: (place) => [
    `nobody listens at ${place.host}:${place.port}, so PostgreSQL is stopped, or the address is wrong`,
    statusOf(place),
  ],
  ENOENT: (place) => [`there is no socket of PostgreSQL in ${place.host}`, statusOf(place)],
  ENOTFOUND: ({ host }) => [`the name ${host} is not known`, `getent hosts ${host}`],
  EAI_AGAIN: ({ host }) => [`the name ${host} cannot be looked up`, `getent hosts ${host}`],
  EHOSTUNREACH: ({ host }) => [`${host} cannot be reached from this machine`, `ip route get ${host}`],
  '28P01': ({ user }) => [`PostgreSQL rejects the password of the user ${user}`, changeUrl()],
  '28000': ({ user }, reason) => [`PostgreSQL rejects the user ${user} (${reason})`, changeUrl()],
  '3D000': ({ name }) => [`this PostgreSQL has no database ${name}`, changeUrl()],
  '42501': (_, reason) => [`the user may not read Kassa's tables (${reason})`, changeUrl()],
  '53300': () => ['PostgreSQL has no room for another connection', changeSetting(nameOf('poolMax'), '5')],
  '53100': () => ['the disk of PostgreSQL is full', 'df -h'],
  '57P03': (_, reason) => [`PostgreSQL is not ready yet (${reason})`, POSTGRES_LOG],
}

/** What only the message tells. */
const MESSAGES: [pattern: RegExp, explain: (place: ConnectionPlace) => Explained][] = [
  [
    /timeout/i,
    (place) => [
      `PostgreSQL at ${place.host}:${place.port} does not answer in time`,
      place.isLocal ? POSTGRES_LOG : statusOf(place),
    ],
  ],
  [
    /unsupported startup parameter/,
    () => [
      `${nameOf('databaseUrl')} is the address of a pooler, which shares its sessions`,
      changeSetting(nameOf('databaseDirectUrl'), 'postgres://USER:PASSWORD@HOST:5432/NAME'),
    ],
  ],
  [/does not support SSL/, () => ['PostgreSQL does not encrypt connections', changeUrl()]],
  [/Connection terminated|ECONNRESET/i, (place) => ['PostgreSQL ended the connection', statusOf(place)]],
]

/** `isEmbedded`: the address is not from the settings. */
export function explainConnection(error: unknown, url: string, isEmbedded: boolean): Finding {
  const cause = error instanceof AppError && error.cause instanceof Error ? error.cause : error
  const { code = '', message: reason = '' } = cause as { code?: string; message?: string }
  const place = placeOf(url)
  const [message, next] = CODES[code]?.(place, reason) ??
    MESSAGES.find(([pattern]) => pattern.test(`${code} ${reason}`))?.[1](place) ?? [
      `PostgreSQL at ${place.host}:${place.port} cannot be used (${reason || code})`,
      place.isLocal ? POSTGRES_LOG : changeUrl(),
    ]
  return bad(DATABASE, message, isEmbedded && next !== 'df -h' ? RESTART : next)
}

function statusOf({ isLocal, host, port }: ConnectionPlace): string {
  return isLocal ? "systemctl status 'postgresql*'" : `nc -vz ${host} ${port}`
}

function placeOf(url: string): ConnectionPlace {
  const { hostname, port, username, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  return {
    host,
    port: port || '5432',
    user: decodeURIComponent(username),
    name: pathname.slice(1),
    isLocal: host.startsWith('/') || ['localhost', '127.0.0.1', '[::1]', ''].includes(host),
  }
}
