/** Values that are read at each scrape: the queue, the open work, the connections, and whether the service is ready. */
import { Gauge, type Registry } from 'prom-client'
import type { World } from '../contract/health.ts'
import type { MachineFacts } from '../start/machine.ts'
import { HEALTH_STATES, type HealthCount } from '../storage/accounts/health.ts'
import type { QueueDepth } from '../storage/jobs.ts'
import type { MailDepth } from '../storage/mails/mails.ts'
import type { OpenWork } from '../storage/open-work.ts'

/** The values that are read of a world. `queue`, `work`, `mails` and `health` query the database, and fail if it cannot be reached. */
export type Readings = {
  queue(): Promise<QueueDepth>
  work(): Promise<OpenWork>
  mails(): Promise<MailDepth>
  health(): Promise<HealthCount[]>
  connections(): Record<'busy' | 'idle' | 'waiting', number>
  waiting(): number
  isReady(): Promise<boolean>
  /** Only the main world has the facts of the machine. */
  machine(): Promise<MachineFacts | null>
}

type Reading = {
  queue: QueueDepth | null
  work: OpenWork | null
  mails: MailDepth | null
  health: HealthCount[] | null
  connections: ReturnType<Readings['connections']>
  waiting: number
  isReady: boolean
  machine: MachineFacts | null
}

type MachineGauge = [name: string, help: string, measure: (facts: MachineFacts) => number | null]

const MACHINE: readonly MachineGauge[] = [
  [
    'kassa_clock_offset_seconds',
    'How far the clock of this machine or of this process is ahead of the clock of PostgreSQL.',
    ({ clockOffsetSeconds }) => clockOffsetSeconds,
  ],
  ['kassa_disk_free_bytes', 'Free space on the disk of the data directory.', ({ freeBytes }) => freeBytes],
  [
    'kassa_backup_age_seconds',
    'How long ago the last backup was made.',
    ({ backupAgeSeconds }) => backupAgeSeconds,
  ],
  [
    'kassa_database_moved',
    'Whether this database stores nothing any more, because everything is moved to another one: 1 or 0.',
    ({ move }) => Number(Boolean(move)),
  ],
]

const WORK: Record<keyof OpenWork, [name: string, help: string]> = {
  undeliveredEvents: ['kassa_events_undelivered', 'Events that merchants have not accepted yet.'],
  oldestUndeliveredSeconds: [
    'kassa_events_oldest_undelivered_seconds',
    'For how long the oldest undelivered event has been waiting. 0 when none is.',
  ],
  overdueQuestions: [
    'kassa_questions_overdue',
    'Attempts without money about which the provider should have been asked five minutes ago, at most 10000 for each account.',
  ],
  overdueSettledQuestions: [
    'kassa_settled_questions_overdue',
    'Attempts with money about which the provider should have been asked five minutes ago, at most 10000 for each account.',
  ],
  oldestSettledQuestionSeconds: [
    'kassa_settled_questions_oldest_seconds',
    'For how long the oldest due question about an attempt with money has been waiting. 0 when none is due.',
  ],
  overdueOperations: [
    'kassa_operations_overdue',
    'Refunds, captures, voids and revoked cards that should have been worked on five minutes ago, at most 10000 for each account.',
  ],
  overdueRenewals: [
    'kassa_renewals_overdue',
    'Subscriptions that should have been worked on five minutes ago, at most 10000 for each account.',
  ],
  operationsInReview: [
    'kassa_operations_in_review',
    'Refunds, captures and voids that wait for a decision of a person.',
  ],
  undecidedPayments: ['kassa_payments_undecided', 'Payments whose outcome is unknown.'],
  paymentsUnderWay: [
    'kassa_payments_under_way',
    'Payments whose buyer has finished, and on which the provider is still working.',
  ],
  oldestUnderWaySeconds: [
    'kassa_payments_under_way_oldest_seconds',
    'For how long the provider has worked on the oldest of them. 0 when there is none.',
  ],
  failedReceipts: ['kassa_receipts_failed', 'Fiscal receipts that failed or are unclear.'],
  pausedReceivers: ['kassa_receivers_paused', 'Callback URLs that get one event an hour after long failure.'],
  openRestores: [
    'kassa_restore_open',
    'Whether refunds, captures, voids and renewals wait after a backup was restored: 1 or 0.',
  ],
  waitingRestoreChecks: [
    'kassa_restore_checks_waiting',
    'Payments and subscriptions about which the providers must be asked before that ends.',
  ],
}

const UNWELL = HEALTH_STATES.filter((state) => state !== 'ok')

type Row = {
  name: string
  help: string
  labelNames?: string[]
  /** Sets the values of one world. */
  show(gauge: Gauge, world: World, reading: Reading): void
}

const GAUGES: readonly Row[] = [
  {
    name: 'kassa_ready',
    help: 'Whether this process should get requests: 1 or 0.',
    show: (gauge, world, { isReady }) => gauge.set({ world }, Number(isReady)),
  },
  {
    name: 'kassa_database_connections',
    help: 'Connections of this process: busy, idle, or requests that wait for one.',
    labelNames: ['state'],
    show(gauge, world, { connections }) {
      for (const [state, count] of Object.entries(connections)) gauge.set({ world, state }, count)
    },
  },
  {
    name: 'kassa_sandbox_waiting',
    help: 'Requests and pieces of work of the sandbox that wait because the live world is busy.',
    show(gauge, world, { waiting }) {
      if (world === 'sandbox') gauge.set({ world }, waiting)
    },
  },
  {
    name: 'kassa_queue_jobs',
    help: 'Jobs in the queue: due now, or due later.',
    labelNames: ['state'],
    show(gauge, world, { queue }) {
      if (queue) for (const state of ['due', 'later'] as const) gauge.set({ world, state }, queue[state])
    },
  },
  {
    name: 'kassa_queue_oldest_due_seconds',
    help: 'For how long the oldest due job has been due. 0 when no job is due.',
    show(gauge, world, { queue }) {
      if (queue) gauge.set({ world }, queue.oldestDueSeconds)
    },
  },
  {
    name: 'kassa_mails',
    help: 'Mails to buyers that wait to be sent, and mails that were given up.',
    labelNames: ['state'],
    show(gauge, world, { mails }) {
      if (mails) for (const state of ['waiting', 'failed'] as const) gauge.set({ world, state }, mails[state])
    },
  },
  {
    name: 'kassa_accounts_unwell',
    help: 'Provider accounts in use that the provider refuses, whose credentials cannot be read, or whose provider does not answer.',
    labelNames: ['state'],
    show(gauge, world, { health }) {
      for (const state of UNWELL) {
        const count = health?.find((each) => each.state === state)?.count ?? 0
        if (health) gauge.set({ world, state }, count)
      }
    },
  },
  ...Object.entries(WORK).map(
    ([key, [name, help]]): Row => ({
      name,
      help,
      show(gauge, world, { work }) {
        if (work) gauge.set({ world }, work[key as keyof OpenWork])
      },
    }),
  ),
  ...MACHINE.map(
    ([name, help, measure]): Row => ({
      name,
      help,
      show(gauge, world, { machine }) {
        const value = machine && measure(machine)
        if (value !== null) gauge.set({ world }, value)
      },
    }),
  ),
]

/** A gauge that could not be read has no value. The other metrics are still served. */
export function addGauges(registry: Registry, worlds: Partial<Record<World, Readings>>): void {
  const read = shareReadings(worlds)
  for (const { name, help, labelNames = [], show } of GAUGES)
    new Gauge({
      name,
      help,
      labelNames: ['world', ...labelNames],
      registers: [registry],
      async collect() {
        this.reset()
        for (const [world, reading] of await read()) show(this, world, reading)
      },
    })
}

/** The gauges of a scrape are collected at the same time, so they share one reading of each world. */
function shareReadings(worlds: Partial<Record<World, Readings>>): () => Promise<[World, Reading][]> {
  let running: Promise<[World, Reading][]> | null = null
  return () => {
    running ??= Promise.all(
      Object.entries(worlds).map(async ([world, readings]): Promise<[World, Reading]> => {
        // They are counted first, because the other readings need connections themselves.
        const [connections, waiting] = [readings.connections(), readings.waiting()]
        const [queue, work, mails, health, machine, isReady] = await Promise.all([
          readings.queue().catch(() => null),
          readings.work().catch(() => null),
          readings.mails().catch(() => null),
          readings.health().catch(() => null),
          readings.machine().catch(() => null),
          readings.isReady(),
        ])
        return [world as World, { queue, work, mails, health, machine, connections, waiting, isReady }]
      }),
    )
    return running.finally(() => {
      running = null
    })
  }
}
