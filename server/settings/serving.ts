/** The settings of the addresses where the service listens, and of its data. */
import { MODES } from '../contract/health.ts'
import { parseTrustProxy } from '../limits/network.ts'
import { address, notation, oneOf, port, publicOrigin, type Setting, text, whole } from './setting.ts'

const KEY_BYTES = 32
const KEY = /^[\w+/-]+={0,2}$/
export const KEY_TAKES =
  'base64 of 32 bytes (make one with: openssl rand -base64 32), or several such keys separated by commas, the newest first'
const COMMAND_TAKES =
  'the full path of a program, and its arguments, separated by spaces; without quotes and other signs of a shell'

/** @throws RangeError that does not repeat the keys */
export function parseKeys(given: string): string[] {
  const keys = given.split(',').map((key) => key.trim())
  // Buffer.from silently stops at the first character that is not base64, such as a space between two keys.
  if (keys.every((key) => KEY.test(key) && Buffer.from(key, 'base64').length === KEY_BYTES)) return keys
  throw new RangeError(`must be ${KEY_TAKES}`)
}

/** Words separated by spaces. There is no shell, so there are no quotes, variables or pipes. */
function parseCommand(given: string): string[] {
  const words = given.trim().split(/\s+/)
  if (words[0]?.startsWith('/') && !/["'|;&$<>`\\]/.test(given)) return words
  throw new RangeError(`must be ${COMMAND_TAKES}`)
}

export const SERVING = {
  port: {
    ...port,
    name: 'PORT',
    group: 'serving',
    default: '3000',
    commands: true,
    about: 'The port on which the service listens.',
  },
  host: {
    ...text,
    name: 'HOST',
    group: 'serving',
    takes: 'a host name or an IP address of this machine',
    default: '127.0.0.1',
    about: 'The address on which the service listens. `0.0.0.0` listens on every network of the machine.',
  },
  baseUrl: {
    ...publicOrigin('https://pay.example'),
    name: 'BASE_URL',
    group: 'serving',
    unset: '`http://localhost:PORT`',
    commands: true,
    about: 'The address at which buyers and shops reach the service. Links and pages are built from it.',
    live: {
      accepts: (given) => /^https:\/\//i.test(given ?? ''),
      needs: 'an https address, such as https://pay.example',
    },
  },
  mode: {
    ...oneOf(MODES),
    name: 'MODE',
    group: 'serving',
    default: 'sandbox',
    commands: true,
    about: '`sandbox` simulates the bank and moves no money. `live` works with real providers.',
  },
  trustProxy: {
    ...notation('the number of proxies, or their addresses such as 10.0.0.0/8,192.0.2.7', parseTrustProxy),
    name: 'TRUST_PROXY',
    group: 'serving',
    default: '0',
    commands: true,
    about:
      "The reverse proxies in front of the service, as a number or as addresses. The service reads a caller's address, and whether a call came over https, only from these proxies.",
    live: {
      accepts: (given) => given !== undefined && !/^0*$/.test(given),
      needs: 'the number of the reverse proxies in front of the service, such as 1, or their addresses',
      remedy:
        'The service speaks plain HTTP, so a proxy has to end TLS. Without this setting no call would count as https, and one caller could use up the rate limits of everybody',
    },
  },
  databaseUrl: {
    ...address(
      /^postgres(ql)?$/,
      'a postgres:// address, such as postgres://user:password@db.example:5432/kassa',
    ),
    name: 'DATABASE_URL',
    group: 'database',
    unset: 'an embedded PostgreSQL in the data directory',
    secret: true,
    commands: true,
    about: 'A PostgreSQL server of your own, version 15 or newer.',
  },
  dataDir: {
    ...text,
    name: 'DATA_DIR',
    group: 'database',
    takes: 'the path of a directory, which is created if it does not exist',
    unset:
      '`.data` in the working directory. For root, a directory for each checkout below `/var/lib/kassa`.',
    commands: true,
    about: 'The directory of the embedded PostgreSQL, of the sandbox key and of the demo shop.',
  },
  databaseDirectUrl: {
    ...address(/^postgres(ql)?$/, 'a postgres:// address of the database itself, not of its pooler'),
    name: 'DATABASE_DIRECT_URL',
    group: 'database',
    secret: true,
    commands: true,
    companion: 'DATABASE_URL',
    about:
      'The direct address of the database, if DATABASE_URL is the address of a pooler such as pgbouncer in transaction mode. Migrations and the job queues use the direct address. A worker opens up to 3 such connections for each world, in addition to POOL_MAX.',
  },
  secretsKeys: {
    ...notation(KEY_TAKES, parseKeys),
    name: 'SECRETS_KEY',
    group: 'database',
    unset: 'in sandbox mode a key that is created once and stored in the data directory',
    secret: true,
    commands: true,
    about:
      'The key that encrypts secrets in the database. All processes on one database need the same keys. A key that was created in the data directory stays valid as the oldest key until `secrets rotate`.',
    live: {
      accepts: (given) => given !== undefined,
      needs: 'a key of your own',
      remedy: 'Make one with: openssl rand -base64 32',
    },
  },
  secretsKeyFile: {
    ...text,
    name: 'SECRETS_KEY_FILE',
    group: 'database',
    takes: 'the path of a file that only its owner and group may read',
    commands: true,
    insteadOf: ['SECRETS_KEY'],
    about: 'A file with the keys, one on each line, the newest first. It is read at the start.',
  },
  secretsKeyCommand: {
    ...notation(COMMAND_TAKES, parseCommand),
    name: 'SECRETS_KEY_COMMAND',
    group: 'database',
    commands: true,
    insteadOf: ['SECRETS_KEY', 'SECRETS_KEY_FILE'],
    about:
      "A program that prints the keys, for example one that lets a hardware token or a cloud's key service decrypt them. It runs once at the start of the service and of each command of the operator, for 20 seconds at most. What it prints is never logged.",
  },
  poolMax: {
    // The minimum is 2, because the start keeps one connection open while the job queue's migrations need another.
    ...whole(2, 500, 'a number of connections from 2 to 500'),
    name: 'POOL_MAX',
    group: 'database',
    unit: 'connections',
    default: '10',
    about: 'The most database connections that one process opens.',
  },
} as const satisfies Record<string, Setting>
