/** The settings of events, of the default route, of retries, and of how long sessions, links and saved replies last. */
import { PROVIDER_ROUTES } from '../contract/fields.ts'
import { allowsLoopback, parseCallbackAllow } from './callback-allow.ts'
import {
  DAY_SECONDS,
  fraction,
  notation,
  oneOf,
  type Setting,
  seconds,
  secondsList,
  whole,
} from './setting.ts'

/** Providers report refunds and disputes of a payment for so long. */
const CHANGES_KEPT_DAYS_MIN = 400
const LINK_MAX_SECONDS = 90 * DAY_SECONDS
const atLeastADay = seconds(DAY_SECONDS, undefined, `at least 24 hours (${DAY_SECONDS} seconds)`)

export const PAYING = {
  defaultProvider: {
    ...oneOf(PROVIDER_ROUTES),
    name: 'DEFAULT_PROVIDER',
    group: 'routes',
    default: 'route_a',
    commands: true,
    about: 'The route of a payment that names no route.',
  },
  sandboxDefaultProvider: {
    ...oneOf(PROVIDER_ROUTES),
    name: 'SANDBOX_DEFAULT_PROVIDER',
    group: 'routes',
    default: 'route_a',
    mode: 'live',
    commands: true,
    about: 'The route of a sandbox payment that names no route.',
  },
  callbackAllow: {
    ...notation('hosts (host or host:port) separated by commas, or loopback', parseCallbackAllow),
    name: 'CALLBACK_ALLOW',
    group: 'events',
    default: { sandbox: 'loopback', live: '' },
    commands: true,
    about:
      'Hosts for which callback URLs are accepted although they are not public https addresses. `loopback` means this machine.',
    live: {
      accepts: (given) => !allowsLoopback(given ?? ''),
      needs: 'hosts other than this machine',
      remedy: 'Remove loopback and the addresses of this machine',
    },
  },
  eventRetryDelaysSeconds: {
    ...secondsList,
    name: 'EVENT_RETRY_DELAYS',
    group: 'events',
    default: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    about: 'How long the service waits before each attempt to deliver an event.',
  },
  eventTimeoutSeconds: {
    ...fraction(0.1, 30),
    name: 'EVENT_TIMEOUT',
    group: 'events',
    default: '15',
    commands: true,
    about:
      'How long one attempt to deliver an event may take, from the DNS look-up to the last byte of the response.',
  },
  eventRetentionSeconds: {
    ...atLeastADay,
    name: 'EVENT_RETENTION',
    group: 'events',
    default: `${30 * DAY_SECONDS}`,
    about: 'How long events are stored, and mails that are sent.',
  },
  exchangeRetentionSeconds: {
    ...atLeastADay,
    name: 'EXCHANGE_RETENTION',
    group: 'events',
    default: `${30 * DAY_SECONDS}`,
    about: 'How long requests to providers and their answers are stored.',
  },
  changeRetentionSeconds: {
    ...seconds(CHANGES_KEPT_DAYS_MIN * DAY_SECONDS),
    name: 'CHANGE_RETENTION',
    group: 'events',
    default: `${3650 * DAY_SECONDS}`,
    about:
      'How long the history of a payment is stored. Its beginning, its last change and all movements of its money stay for ever.',
  },
  endpointPauseAfterSeconds: {
    ...seconds(),
    name: 'ENDPOINT_PAUSE_AFTER',
    group: 'events',
    default: `${5 * DAY_SECONDS}`,
    about: 'A callback URL that has failed for this long is paused.',
  },
  endpointProbeIntervalSeconds: {
    ...seconds(),
    name: 'ENDPOINT_PROBE_INTERVAL',
    group: 'events',
    default: '3600',
    about: 'How long the service waits before it tries a paused callback URL again.',
  },
  deliveryLeaseSeconds: {
    ...seconds(),
    name: 'DELIVERY_LEASE',
    group: 'events',
    default: '60',
    about: 'If a worker dies, how long until another worker sends its events.',
  },
  sessionTtlSeconds: {
    ...seconds(0, LINK_MAX_SECONDS),
    name: 'SESSION_TTL',
    group: 'timing',
    default: '5400',
    about: 'How long a payment session can be paid.',
  },
  linkTtlSeconds: {
    ...seconds(1, LINK_MAX_SECONDS),
    name: 'LINK_TTL',
    group: 'timing',
    default: `${30 * DAY_SECONDS}`,
    about: 'How long a payment link can be paid if the link sets no expiry time.',
  },
  attemptLeaseSeconds: {
    ...seconds(),
    name: 'ATTEMPT_LEASE',
    group: 'timing',
    default: '90',
    about:
      'How long one process may open an order at a provider. If it dies, another one goes on after that.',
  },
  idempotencyTtlSeconds: {
    ...atLeastADay,
    name: 'IDEMPOTENCY_TTL',
    group: 'timing',
    default: `${30 * DAY_SECONDS}`,
    about: 'How long a request can be repeated with the same idempotency key.',
  },
  operationLeaseSeconds: {
    ...seconds(1),
    name: 'OPERATION_LEASE',
    group: 'timing',
    default: '60',
    about: 'If a worker dies, how long until another worker continues its refunds, captures and voids.',
  },
  operationReviewAfterSeconds: {
    ...seconds(),
    name: 'OPERATION_REVIEW_AFTER',
    group: 'timing',
    default: '600',
    about:
      'If the response to a refund, capture or void was lost, how long the service asks the provider about it. After that a person must decide.',
  },
  statusSyncDelaysSeconds: {
    ...secondsList,
    name: 'STATUS_SYNC_DELAYS',
    group: 'timing',
    default: '10,30,60,120,300,600,900',
    about:
      'How long the service waits before it asks the provider again about a payment without a final status. The last delay repeats.',
  },
  settledQuestionsPerHour: {
    ...whole(1, 1_000_000),
    name: 'SETTLED_QUESTIONS_PER_HOUR',
    group: 'limits',
    default: '18000',
    about:
      'How many questions an hour each provider account gets about payments whose money has moved already, about orders that ended without money some hours before, and about savings of cards that have ended. Refunds and disputes made at the provider, and late money, are found that way.',
  },
  dunningDelaysSeconds: {
    ...secondsList,
    name: 'DUNNING_DELAYS',
    group: 'timing',
    default: '172800,432000,604800,604800',
    about:
      'How long the service waits after each failed renewal before it tries again. If the last try fails, the subscription is cancelled.',
  },
} as const satisfies Record<string, Setting>
