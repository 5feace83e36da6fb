/** `event`: the events of merchants and their deliveries. */
import { AppError } from '../../errors.ts'
import { EVENT_STATES, getEvent, listEventPage } from '../../operator/event-history.ts'
import { replayEvent, replayEvents } from '../../operator/event-replay.ts'
import { presentEvent, presentEventSummary, sendingTime } from '../../operator/event-view.ts'
import { stateOfReceiver } from '../../receivers/receiver.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { eventText } from '../event-text.ts'
import { optional, optionalChoice, pageFlags, past, required, toggle } from '../flag.ts'
import { counted, listText, moment, paragraphs } from '../layout.ts'
import { restingLine } from '../receiver-text.ts'
import { listen } from './event-listen.ts'

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List events, newest first, page by page',
  flags: {
    merchant: optional('ID', 'only events of this merchant'),
    payment: optional('ID', 'only events of this payment'),
    state: optionalChoice('S', 'only events in this state', EVENT_STATES),
    ...pageFlags('event'),
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
        event.dueAt ? moment(sendingTime(event.dueAt, receiver)) : '',
      ]
    })
    const given = { merchant: merchantId, payment: paymentId, state }
    const scope = Object.entries(given).map(([name, value]) => (value ? ` --${name} ${value}` : ''))
    const more = next && `More: ${ADMIN} event list${scope.join('')} --limit ${limit} --after ${next}`
    const text = listText(
      ['Event', 'Created', 'Status', 'Order', 'State', 'Attempts', 'Due'],
      rows,
      'No events found.',
      more ?? counted(events.length, 'event'),
      resting.map(restingLine).join('\n'),
    )
    return { json: { events: events.map(presentEventSummary), next }, text }
  },
})

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show an event: its attempts, its body and its next attempt',
  flags: { event: required('ID', "the event's id (evt_...)") },
  examples: ['--event evt_01...'],
  async run(ctx, { event: eventId }) {
    const detail = await getEvent(ctx, eventId)
    return { json: { event: presentEvent(detail) }, text: eventText(ctx, detail) }
  },
})

const replay = verb({
  name: 'replay',
  needs: 'operator',
  summary: 'Send events again now, with the same id and body',
  flags: {
    event: optional('ID', 'send this event'),
    merchant: optional('ID', 'send the events of this merchant; needs --since'),
    payment: optional('ID', 'send the events of this payment'),
    since: past('T', 'only events since this time'),
    until: past('T', 'only events before this time'),
    state: optionalChoice('S', 'only events in this state; default all', EVENT_STATES),
    latest: toggle('only the newest event of each payment'),
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
        message: 'Say which events to send: give one of --event, --payment, or --merchant with --since.',
      })
    if (merchantId !== undefined && !since)
      throw new AppError('validation_failed', {
        message: '--since is missing: give the time since which events are sent again, such as 2h.',
      })
    if (eventId !== undefined && (since || until || state || latest))
      throw new AppError('validation_failed', {
        message: '--event names one event, so leave out --since, --until, --state and --latest.',
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
            `${counted(replayed, 'event')} queued. Sending starts now, from the start of the schedule.`,
            `See the result: ${ADMIN} ${look}`,
          )
        : 'No events found, so nothing is sent.'
    return { json: { replayed }, text }
  },
})

export const event: Noun = {
  name: 'event',
  summary: 'List, show, resend and forward events',
  verbs: [list, show, replay, listen],
}
