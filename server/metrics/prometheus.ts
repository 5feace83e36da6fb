/** The metrics as Prometheus reads them. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { QueueDepth } from '../storage/jobs.ts'
import type { Metrics } from './metrics.ts'

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

export type Prometheus = { metrics: Metrics; contentType: string; text(): Promise<string> }

/** `queueDepth` is asked at every scrape; while it cannot be told, its gauges have no value. */
export function createPrometheus({ queueDepth }: { queueDepth(): Promise<QueueDepth> }): Prometheus {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'kassa_http_request_duration_seconds',
    help: 'Answered requests of the API, by the time that the answer took.',
    labelNames: ['endpoint', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const payments = new Counter({
    name: 'kassa_payments_created_total',
    help: 'Payments that were created.',
    labelNames: ['route'],
    registers,
  })
  const changes = new Counter({
    name: 'kassa_payment_status_changes_total',
    help: 'Changes of a status, by the status that a payment went to and who moved it.',
    labelNames: ['to', 'cause'],
    registers,
  })
  const deliveries = new Histogram({
    name: 'kassa_event_delivery_duration_seconds',
    help: 'Attempts to hand an event over.',
    labelNames: ['result'],
    buckets: DELIVERY_SECONDS,
    registers,
  })
  const receivers = new Counter({
    name: 'kassa_receiver_changes_total',
    help: 'Callback URLs that were opened or paused after failures, closed or resumed after a success.',
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

/** The gauges of one scrape are collected side by side, and share one question to the database. */
function addQueueGauges(registry: Registry, queueDepth: () => Promise<QueueDepth>): void {
  const registers = [registry]
  let asking: Promise<QueueDepth | null> | null = null
  const ask = () => {
    // A database that is away is no reason to have no metrics at all.
    asking ??= queueDepth().catch(() => null)
    return asking.finally(() => {
      asking = null
    })
  }
  new Gauge({
    name: 'kassa_queue_jobs',
    help: 'Jobs in the queue: due now, or waiting for their time.',
    labelNames: ['state'],
    registers,
    async collect() {
      const depth = await ask()
      if (!depth) return this.reset()
      this.set({ state: 'due' }, depth.due)
      this.set({ state: 'later' }, depth.later)
    },
  })
  new Gauge({
    name: 'kassa_queue_oldest_due_seconds',
    help: 'For how long the oldest of the due jobs has been due; 0 when none is.',
    registers,
    async collect() {
      this.set((await ask())?.oldestDueSeconds ?? Number.NaN)
    },
  })
}
