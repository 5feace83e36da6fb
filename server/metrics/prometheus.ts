/** Collects the metrics and writes them in Prometheus's text format. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { World } from '../contract/health.ts'
import { addGauges, type Readings } from './gauges.ts'
import type { Metrics } from './metrics.ts'

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const PROVIDER_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 15]
/** Each account has about 30 series. In each world the accounts after these share one label. */
export const ACCOUNTS_MAX = 50
const OTHER_ACCOUNTS = 'other'
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

export type Prometheus = {
  /** Returns what counts for one world. Each series has the world as a label. */
  metricsOf(world: World): Metrics
  contentType: string
  text(): Promise<string>
}

/** `worlds`: what each scrape reads of the worlds that are served. */
export function createPrometheus(worlds: Partial<Record<World, Readings>>): Prometheus {
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
  const wrongModes = new Counter({
    name: 'kassa_wrong_mode_answers_total',
    help: 'Times that a provider spoke of test money to a live account, or of real money to a test account.',
    labelNames: ['world'],
    registers,
  })
  const breakers = new Counter({
    name: 'kassa_provider_breaker_changes_total',
    help: 'Times that requests to a provider were stopped after failures (open), and let through again (closed).',
    labelNames: ['world', 'state'],
    registers,
  })
  const asked = new Histogram({
    name: 'kassa_provider_request_duration_seconds',
    help: 'How long requests to providers took, by account and result.',
    labelNames: ['world', 'account', 'result'],
    buckets: PROVIDER_SECONDS,
    registers,
  })
  const labelOf = createAccountLabels()
  const mails = new Counter({
    name: 'kassa_mails_total',
    help: 'Attempts to hand a mail to the mail server, by result.',
    labelNames: ['world', 'result'],
    registers,
  })
  addGauges(registry, worlds)
  return {
    metricsOf: (world) => ({
      answered: ({ endpoint, method, status, seconds }) =>
        requests.observe({ world, endpoint, method, status }, seconds),
      paymentCreated: (route) => payments.inc({ world, route }),
      statusChanged: (to, cause) => changes.inc({ world, to, cause }),
      refundUndone: () => undone.inc({ world }),
      wrongMode: () => wrongModes.inc({ world }),
      delivered: (result, seconds) => deliveries.observe({ world, result }, seconds),
      breakerChanged: (state) => breakers.inc({ world, state }),
      receiverChanged: (change) => receivers.inc({ world, change }),
      providerAsked: (account, result, seconds) =>
        asked.observe({ world, account: labelOf(world, account), result }, seconds),
      mailed: (result) => mails.inc({ world, result }),
    }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
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
