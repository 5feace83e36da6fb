/** `event`: what a merchant was told, what it made of it, and telling it again. */
import { AppError } from '../../errors.ts'
import { EVENT_STATES, getEvent, listEventPage } from '../../operator/event-history.ts'
import { replayEvent, replayEvents } from '../../operator/event-replay.ts'
import { stateOfReceiver } from '../../receivers/receiver.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { eventText, presentEvent, presentEventSummary } from '../event-text.ts'
import { count, optional, optionalChoice, past, required, toggle } from '../flag.ts'
import { counted, moment, paragraphs, table } from '../layout.ts'
import { dueAtReceiver, restingLine } from '../receiver-text.ts'
import { listen } from './event-listen.ts'

const PAGE_MAX = 500
const PAGE_DEFAULT = 20

const list = verb({
  name: 'list',
  summary: 'Events, the newest first, a page at a time',
  flags: {
    merchant: optional('ID', "only this merchant's"),
    payment: optional('ID', "only this payment's"),
    state: optionalChoice('S', 'only those in this state', EVENT_STATES),
    limit: count('N', 'how many', { max: PAGE_MAX, fallback: PAGE_DEFAULT }),
    after: optional('ID', 'the last event of the page before'),
  },
  examples: ['', '--merchant mer_01... --state exhausted', '--payment pay_01...', '--after evt_01...'],
  async run(ctx, { merchant: merchantId, payment: paymentId, state, limit, after }) {
    const { events, next, resting } = await listEventPage(ctx, { merchantId, paymentId, state, limit, after })
    const rows = events.map((event) => {
      const receiver = resting.find((each) => each.merchantId === event.merchantId)
      const waits = event.state === 'pending' && receiver ? `, receiver ${stateOfReceiver(receiver)}` : ''
      return [
        event.id,
        moment(event.createdAt),
        event.status,
        event.merchantOrderId,
        event.state + waits,
        String(event.attempts),
        event.dueAt ? moment(dueAtReceiver(event.dueAt, receiver)) : '',
      ]
    })
    const given = { merchant: merchantId, payment: paymentId, state }
    const scope = Object.entries(given).map(([name, value]) => (value ? ` --${name} ${value}` : ''))
    const more = next && `More: ${ADMIN} event list${scope.join('')} --limit ${limit} --after ${next}`
    const text =
      events.length > 0
        ? paragraphs(
            table(['Event', 'Created', 'Status', 'Order', 'State', 'Attempts', 'Due'], rows),
            more ?? counted(events.length, 'event'),
            resting.map(restingLine).join('\n'),
          )
        : 'There is no event here.'
    return { json: { events: events.map(presentEventSummary), next }, text }
  },
})

const show = verb({
  name: 'show',
  summary: 'One event: every attempt, the body that is sent, and when it is sent next',
  flags: { event: required('ID', "the event's id (evt_...)") },
  examples: ['--event evt_01...'],
  async run(ctx, { event: eventId }) {
    const detail = await getEvent(ctx, eventId)
    return { json: { event: presentEvent(detail) }, text: eventText(ctx, detail) }
  },
})

const replay = verb({
  name: 'replay',
  summary: 'Send events again now, with the same id and bytes, from the start of the schedule',
  flags: {
    event: optional('ID', 'this one'),
    merchant: optional('ID', "this merchant's, together with --since"),
    payment: optional('ID', "this payment's"),
    since: past('T', 'only those from then on'),
    until: past('T', 'only those before'),
    state: optionalChoice('S', 'only those in this state; all when left out', EVENT_STATES),
    latest: toggle('of each payment only its newest event'),
  },
  examples: [
    '--event evt_01...',
    '--merchant mer_01... --since 2h --state exhausted',
    '--merchant mer_01... --since 2026-08-02T14:00Z --until 2026-08-02T15:00Z --latest',
    '--payment pay_01... --latest',
  ],
  async run(ctx, { event: eventId, merchant: merchantId, payment: paymentId, since, until, state, latest }) {
    const named = [eventId, merchantId, paymentId].filter((id) => id !== undefined)
    if (named.length !== 1)
      throw new AppError('validation_failed', {
        message: 'Say which events: one of --event, --payment, or --merchant with --since.',
      })
    if (merchantId !== undefined && !since)
      throw new AppError('validation_failed', {
        message: '--since is missing: from when on the events are sent again, such as 2h.',
      })
    if (eventId !== undefined && (since || until || state || latest))
      throw new AppError('validation_failed', {
        message: '--event names one event: leave out --since, --until, --state and --latest.',
      })
    const now = ctx.clock.now()
    if (eventId !== undefined) await replayEvent(ctx, eventId)
    const filter = { merchantId, paymentId, state, latest, since: since?.(now), until: until?.(now) }
    const replayed = eventId !== undefined ? 1 : await replayEvents(ctx, filter)
    const [id] = named
    const scope = eventId === undefined ? (paymentId ? '--payment' : '--merchant') : null
    const look = scope ? `event list ${scope} ${id}` : `event show --event ${id}`
    const text =
      replayed > 0
        ? paragraphs(
            `${counted(replayed, 'event')} sent again from now on, at the start of the schedule.`,
            `What becomes of it: ${ADMIN} ${look}`,
          )
        : 'There is no such event: nothing is sent again.'
    return { json: { replayed }, text }
  },
})

export const event: Noun = {
  name: 'event',
  summary: 'What a merchant was told, and telling it again',
  verbs: [list, show, replay, listen],
}
