/** Collects the metrics and writes them in Prometheus's text format. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { World } from '../contract/health.ts'
import { addGauges, type Readings } from './gauges.ts'
import type { Metrics } from './metrics.ts'

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

export type Prometheus = {
  /** Returns the counters of one world. Each series has the world as a label. */
  metricsOf(world: World): Metrics
  contentType: string
  text(): Promise<string>
}

/** `worlds`: what each scrape reads of the worlds that are served. */
export function createPrometheus(worlds: Partial<Record<World, Readings>>): Prometheus {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const series = createSeries(registry)
  addGauges(registry, worlds)
  return {
    metricsOf: (world) => metricsOf(series, world),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

function createSeries(registry: Registry) {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labels: Label[] = []) =>
    new Counter<Label | 'world'>({ name, help, labelNames: ['world', ...labels], registers })
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], labels: Label[]) =>
    new Histogram<Label | 'world'>({ name, help, labelNames: ['world', ...labels], buckets, registers })
  return {
    requests: histogram(
      'kassa_http_request_duration_seconds',
      'How long API requests took until they were answered.',
      REQUEST_SECONDS,
      ['endpoint', 'method', 'status'],
    ),
    payments: counter('kassa_payments_created_total', 'Payments that were created, by provider route.', [
      'route',
    ]),
    changes: counter(
      'kassa_payment_status_changes_total',
      'Status changes of payments, by new status and by what caused the change.',
      ['to', 'cause'],
    ),
    deliveries: histogram(
      'kassa_event_delivery_duration_seconds',
      'How long deliveries of events to merchants took, by result.',
      DELIVERY_SECONDS,
      ['result'],
    ),
    receivers: counter(
      'kassa_receiver_changes_total',
      'Receivers that were opened or paused after failures, and closed or resumed after a success.',
      ['change'],
    ),
    undone: counter(
      'kassa_refunds_undone_total',
      'Times that a provider said that a refund failed after it had succeeded.',
    ),
    wrongModes: counter(
      'kassa_wrong_mode_answers_total',
      'Times that a provider spoke of test money to a live account, or of real money to a test account.',
    ),
    breakers: counter(
      'kassa_provider_breaker_changes_total',
      'Times that requests to a provider were stopped after failures (open), and let through again (closed).',
      ['state'],
    ),
    mails: counter(
      'kassa_mails_total',
      'Attempts to hand a mail to the mail server, and mails that were withheld, by result.',
      ['result'],
    ),
  }
}

function metricsOf(series: ReturnType<typeof createSeries>, world: World): Metrics {
  return {
    answered: ({ endpoint, method, status, seconds }) =>
      series.requests.observe({ world, endpoint, method, status }, seconds),
    paymentCreated: (route) => series.payments.inc({ world, route }),
    statusChanged: (to, cause) => series.changes.inc({ world, to, cause }),
    refundUndone: () => series.undone.inc({ world }),
    wrongMode: () => series.wrongModes.inc({ world }),
    delivered: (result, seconds) => series.deliveries.observe({ world, result }, seconds),
    breakerChanged: (state) => series.breakers.inc({ world, state }),
    receiverChanged: (change) => series.receivers.inc({ world, change }),
    mailed: (result) => series.mails.inc({ world, result }),
  }
}
