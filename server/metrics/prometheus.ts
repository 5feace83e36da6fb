/** Collects the metrics and writes them in Prometheus's text format. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { QueueDepth } from '../storage/jobs.ts'
import type { Metrics } from './metrics.ts'

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

export type Prometheus = { metrics: Metrics; contentType: string; text(): Promise<string> }

/** `queueDepth` is called at every scrape. If it fails, its gauges have no value. */
export function createPrometheus({ queueDepth }: { queueDepth(): Promise<QueueDepth> }): Prometheus {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'kassa_http_request_duration_seconds',
    help: 'How long API requests took until they were answered.',
    labelNames: ['endpoint', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const payments = new Counter({
    name: 'kassa_payments_created_total',
    help: 'Payments that were created, by provider route.',
    labelNames: ['route'],
    registers,
  })
  const changes = new Counter({
    name: 'kassa_payment_status_changes_total',
    help: 'Status changes of payments, by new status and by what caused the change.',
    labelNames: ['to', 'cause'],
    registers,
  })
  const deliveries = new Histogram({
    name: 'kassa_event_delivery_duration_seconds',
    help: 'How long deliveries of events to merchants took, by result.',
    labelNames: ['result'],
    buckets: DELIVERY_SECONDS,
    registers,
  })
  const receivers = new Counter({
    name: 'kassa_receiver_changes_total',
    help: 'Receivers that were opened or paused after failures, and closed or resumed after a success.',
    labelNames: ['change'],
    registers,
  })
  addQueueGauges(registry, queueDepth)
  return {
    metrics: {
      answered: ({ endpoint, method, status, seconds }) =>
        requests.observe({ endpoint, method, status }, seconds),
      paymentCreated: (route) => payments.inc({ route }),
      statusChanged: (to, cause) => changes.inc({ to, cause }),
      delivered: (result, seconds) => deliveries.observe({ result }, seconds),
      receiverChanged: (change) => receivers.inc({ change }),
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

/** Both gauges of a scrape are collected at the same time, so they share one query. */
function addQueueGauges(registry: Registry, queueDepth: () => Promise<QueueDepth>): void {
  const registers = [registry]
  let running: Promise<QueueDepth | null> | null = null
  const readDepth = () => {
    // If the database is away, the other metrics are still served.
    running ??= queueDepth().catch(() => null)
    return running.finally(() => {
      running = null
    })
  }
  new Gauge({
    name: 'kassa_queue_jobs',
    help: 'Jobs in the queue: due now, or due later.',
    labelNames: ['state'],
    registers,
    async collect() {
      const depth = await readDepth()
      if (!depth) return this.reset()
      this.set({ state: 'due' }, depth.due)
      this.set({ state: 'later' }, depth.later)
    },
  })
  new Gauge({
    name: 'kassa_queue_oldest_due_seconds',
    help: 'For how long the oldest due job has been due. 0 when no job is due.',
    registers,
    async collect() {
      this.set((await readDepth())?.oldestDueSeconds ?? Number.NaN)
    },
  })
}
