/** Collects the metrics and writes them in Prometheus's text format. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { World } from '../contract/health.ts'
import type { QueueDepth } from '../storage/jobs.ts'
import type { MailDepth } from '../storage/mails/mails.ts'
import type { Metrics } from './metrics.ts'

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

export type Prometheus = {
  /** Returns what counts for one world. Each series has the world as a label. */
  metricsOf(world: World): Metrics
  contentType: string
  text(): Promise<string>
}

/** Measures the queue of each world. */
type QueueDepths = Partial<Record<World, () => Promise<QueueDepth>>>

/** Counts the mails of each world. */
type MailDepths = Partial<Record<World, () => Promise<MailDepth>>>

/** Every scrape measures the queues. If that fails, the gauges of that world have no value. */
export function createPrometheus(queueDepths: QueueDepths, mailDepths: MailDepths): Prometheus {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'kassa_http_request_duration_seconds',
    help: 'How long API requests took until they were answered.',
    labelNames: ['world', 'endpoint', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const payments = new Counter({
    name: 'kassa_payments_created_total',
    help: 'Payments that were created, by provider route.',
    labelNames: ['world', 'route'],
    registers,
  })
  const changes = new Counter({
    name: 'kassa_payment_status_changes_total',
    help: 'Status changes of payments, by new status and by what caused the change.',
    labelNames: ['world', 'to', 'cause'],
    registers,
  })
  const deliveries = new Histogram({
    name: 'kassa_event_delivery_duration_seconds',
    help: 'How long deliveries of events to merchants took, by result.',
    labelNames: ['world', 'result'],
    buckets: DELIVERY_SECONDS,
    registers,
  })
  const receivers = new Counter({
    name: 'kassa_receiver_changes_total',
    help: 'Receivers that were opened or paused after failures, and closed or resumed after a success.',
    labelNames: ['world', 'change'],
    registers,
  })
  const undone = new Counter({
    name: 'kassa_refunds_undone_total',
    help: 'Times that a provider said that a refund failed after it had succeeded.',
    labelNames: ['world'],
    registers,
  })
  const mails = new Counter({
    name: 'kassa_mails_total',
    help: 'Attempts to hand a mail to the mail server, by result.',
    labelNames: ['world', 'result'],
    registers,
  })
  addQueueGauges(registry, queueDepths)
  addMailGauge(registry, mailDepths)
  return {
    metricsOf: (world) => ({
      answered: ({ endpoint, method, status, seconds }) =>
        requests.observe({ world, endpoint, method, status }, seconds),
      paymentCreated: (route) => payments.inc({ world, route }),
      statusChanged: (to, cause) => changes.inc({ world, to, cause }),
      refundUndone: () => undone.inc({ world }),
      delivered: (result, seconds) => deliveries.observe({ world, result }, seconds),
      receiverChanged: (change) => receivers.inc({ world, change }),
      mailed: (result) => mails.inc({ world, result }),
    }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

/** Both gauges of a scrape are collected at the same time, so they share one query for each world. */
function addQueueGauges(registry: Registry, queueDepths: QueueDepths): void {
  const registers = [registry]
  let running: Promise<[World, QueueDepth | null][]> | null = null
  const readDepths = () => {
    running ??= Promise.all(
      Object.entries(queueDepths).map(
        async ([world, depth]): Promise<[World, QueueDepth | null]> => [
          world as World,
          // If the database is away, the other metrics are still served.
          await depth().catch(() => null),
        ],
      ),
    )
    return running.finally(() => {
      running = null
    })
  }
  new Gauge({
    name: 'kassa_queue_jobs',
    help: 'Jobs in the queue: due now, or due later.',
    labelNames: ['world', 'state'],
    registers,
    async collect() {
      this.reset()
      for (const [world, depth] of await readDepths()) {
        if (!depth) continue
        this.set({ world, state: 'due' }, depth.due)
        this.set({ world, state: 'later' }, depth.later)
      }
    },
  })
  new Gauge({
    name: 'kassa_queue_oldest_due_seconds',
    help: 'For how long the oldest due job has been due. 0 when no job is due.',
    labelNames: ['world'],
    registers,
    async collect() {
      for (const [world, depth] of await readDepths())
        this.set({ world }, depth?.oldestDueSeconds ?? Number.NaN)
    },
  })
}

function addMailGauge(registry: Registry, mailDepths: MailDepths): void {
  new Gauge({
    name: 'kassa_mails',
    help: 'Mails to buyers that wait to be sent, and mails that were given up.',
    labelNames: ['world', 'state'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const [world, measure] of Object.entries(mailDepths)) {
        const depth = await measure().catch(() => null)
        if (!depth) continue
        this.set({ world, state: 'waiting' }, depth.waiting)
        this.set({ world, state: 'failed' }, depth.failed)
      }
    },
  })
}
