/** The settings of rate limits, processes, logs, the demo shop and metrics. */
import { parseRateLimits, writeRateLimits } from '../limits/settings.ts'
import { KEY_TAKES, parseKeys } from './serving.ts'
import { flag, notation, oneOf, port, type Setting, text } from './setting.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export const RUNNING = {
  rateLimits: {
    ...notation('NAME=PER_SECOND:BURST parts separated by commas, or off', parseRateLimits),
    name: 'RATE_LIMITS',
    group: 'limits',
    default: '',
    unset: `\`${writeRateLimits()}\``,
    about:
      'How many requests a caller may make in a second, and how many at once. Limits that are not listed keep their defaults. `off` is for load tests. [Run several processes](operating.md#run-several-processes) says which limits they share.',
    live: { accepts: (given) => given !== 'off', needs: 'rate limits, not off' },
  },
  backupKeys: {
    ...notation(KEY_TAKES, parseKeys),
    name: 'BACKUP_KEY',
    group: 'operating',
    unset: 'backups are neither encrypted nor signed',
    secret: true,
    commands: true,
    about:
      'The key that encrypts and signs backups. Use another key than `SECRETS_KEY`, and keep a copy elsewhere: without it no backup can be restored. Earlier keys open earlier backups.',
  },
  process: {
    ...oneOf(['all', 'web', 'worker']),
    name: 'PROCESS',
    group: 'operating',
    default: 'all',
    about:
      'What this process does. `web` answers requests, `worker` does the background work, `all` does both. Any number of each can share one database.',
  },
  logLevel: {
    ...oneOf(LOG_LEVELS),
    name: 'LOG_LEVEL',
    group: 'operating',
    default: 'info',
    about: 'The lowest severity of the messages that are logged.',
  },
  seedDemo: {
    ...flag,
    name: 'SEED_DEMO',
    group: 'operating',
    default: { sandbox: 'true', live: 'false' },
    mode: 'sandbox',
    about: 'Whether the first start on an empty database creates a demo shop.',
    live: { accepts: (given) => given !== 'true', needs: 'the value false' },
  },
  auditCheckpointDir: {
    ...text,
    name: 'AUDIT_CHECKPOINT_DIR',
    group: 'operating',
    takes: 'the path of an existing directory',
    unset: 'the folder `audit` of DATA_DIR with the embedded database, else no files',
    about:
      'Where the worker writes a signed checkpoint of the audit log each day, and the list of what was revoked, which a restore reads. Every process uses the same directory. Best one that another machine copies away, and that the account of PostgreSQL cannot write.',
  },
  metricsPort: {
    ...port,
    name: 'METRICS_PORT',
    group: 'operating',
    unset: 'no metrics',
    about: 'The port of `GET /metrics`. It needs no password, so keep the port off the public network.',
  },
  metricsHost: {
    ...text,
    name: 'METRICS_HOST',
    group: 'operating',
    takes: 'a host name or an IP address of this machine',
    default: '127.0.0.1',
    companion: 'METRICS_PORT',
    about: 'The address on which the metrics are served.',
  },
} as const satisfies Record<string, Setting>
