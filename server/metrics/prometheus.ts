/** Collects the metrics and writes them in Prometheus's text format. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { PROVIDER_ROUTES } from '../contract/fields.ts'
import type { World } from '../contract/health.ts'
import { addGauges, type Readings } from './gauges.ts'
import {
  BREAKER_STATES,
  DECLINE_RESULTS,
  DELIVERY_RESULTS,
  MAIL_RESULTS,
  type Metrics,
  RECEIVER_CHANGES,
} from './metrics.ts'

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const PROVIDER_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 15]
/** Each account has about 30 series. In each world the accounts after these share one label. */
export const ACCOUNTS_MAX = 50
const OTHER_ACCOUNTS = 'other'
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

const DECLINES_HELP =
  'Orders of buyers that a provider declined, and orders that were not opened because of too many declines (held_back).'

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
  for (const world of Object.keys(worlds) as World[]) startAtZero(series, world)
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
    declines: counter('kassa_declines_total', DECLINES_HELP, ['result']),
    breakers: counter(
      'kassa_provider_breaker_changes_total',
      'Times that requests to a provider were stopped after failures (open), and let through again (closed).',
      ['state'],
    ),
    providerRequests: histogram(
      'kassa_provider_request_duration_seconds',
      'How long requests to providers took, by account and result.',
      PROVIDER_SECONDS,
      ['account', 'result'],
    ),
    labelOf: createAccountLabels(),
    mails: counter(
      'kassa_mails_total',
      'Attempts to hand a mail to the mail server, and mails that were withheld, by result.',
      ['result'],
    ),
  }
}

type AllSeries = ReturnType<typeof createSeries>

/**
 * Shows each counter whose labels are known as 0 from the start. Prometheus's `increase` compares two values of a series, so the
 * first failure of a counter that appears with the value 1 would never be seen.
 */
function startAtZero(series: AllSeries, world: World): void {
  series.undone.inc({ world }, 0)
  series.wrongModes.inc({ world }, 0)
  for (const result of DECLINE_RESULTS) series.declines.inc({ world, result }, 0)
  for (const state of BREAKER_STATES) series.breakers.inc({ world, state }, 0)
  for (const change of RECEIVER_CHANGES) series.receivers.inc({ world, change }, 0)
  for (const result of MAIL_RESULTS) series.mails.inc({ world, result }, 0)
  for (const result of DELIVERY_RESULTS) series.deliveries.zero({ world, result })
  for (const route of PROVIDER_ROUTES) series.payments.inc({ world, route }, 0)
}

function metricsOf(series: AllSeries, world: World): Metrics {
  return {
    answered: ({ endpoint, method, status, seconds }) =>
      series.requests.observe({ world, endpoint, method, status }, seconds),
    paymentCreated: (route) => series.payments.inc({ world, route }),
    statusChanged: (to, cause) => series.changes.inc({ world, to, cause }),
    refundUndone: () => series.undone.inc({ world }),
    wrongMode: () => series.wrongModes.inc({ world }),
    declined: (result) => series.declines.inc({ world, result }),
    delivered: (result, seconds) => series.deliveries.observe({ world, result }, seconds),
    breakerChanged: (state) => series.breakers.inc({ world, state }),
    receiverChanged: (change) => series.receivers.inc({ world, change }),
    providerRequested: (account, result, seconds) =>
      series.providerRequests.observe({ world, account: series.labelOf(world, account), result }, seconds),
    mailed: (result) => series.mails.inc({ world, result }),
  }
}

/** The first accounts that send requests get a label of their own, until the process ends. */
function createAccountLabels(): (world: World, account: string) => string {
  const known: Record<World, Set<string>> = { sandbox: new Set(), live: new Set() }
  return (world, account) => {
    if (known[world].size < ACCOUNTS_MAX) known[world].add(account)
    return known[world].has(account) ? account : OTHER_ACCOUNTS
  }
}
