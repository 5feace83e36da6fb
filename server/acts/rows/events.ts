/** The act on the events of shops. The page of an event asks for it. */

import { shopFact, textFact, tickFact } from '../../operator/approvals/facts.ts'
import { EVENT_STATES } from '../../operator/event-history.ts'
import { replayEvent, replayEvents } from '../../operator/event-replay.ts'
import { type AnyRow, act } from '../act.ts'
import { oneOfOrNone, optionalText, past, tick } from '../input.ts'

/** With the same id and body. One event, those of a payment, or those of a shop since some time. */
export const replay = act('event replay', {
  eventId: optionalText({ flag: 'event', placeholder: 'ID' }),
  merchantId: optionalText({ flag: 'merchant', placeholder: 'ID' }),
  paymentId: optionalText({ flag: 'payment', placeholder: 'ID' }),
  since: past({ placeholder: 'T' }),
  until: past({ placeholder: 'T' }),
  state: oneOfOrNone(EVENT_STATES, { placeholder: 'S' }),
  latest: tick({}),
})({
  wrong({ eventId, merchantId, paymentId, since, until, state, latest }) {
    if ([eventId, merchantId, paymentId].filter((id) => id !== undefined).length !== 1) return 'eventId'
    if (merchantId !== undefined && !since) return 'since'
    return eventId !== undefined && (since || until || state || latest) ? 'latest' : null
  },
  shows: {
    eventId: ({ args }) => textFact('event', args.eventId),
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    paymentId: ({ args }) => textFact('payment', args.paymentId),
    since: ({ args }) => textFact('since', args.since?.toISOString()),
    until: ({ args }) => textFact('until', args.until?.toISOString()),
    state: ({ args }) => textFact('state', args.state),
    latest: ({ args }) => tickFact('latest', args.latest),
  },
  async run(ctx, { eventId, latest = false, ...filter }) {
    if (eventId === undefined) return replayEvents(ctx, { ...filter, latest })
    await replayEvent(ctx, eventId)
    return 1
  },
  result: async (_ctx, replayed, { eventId, merchantId, paymentId }) => ({
    facts: { replayed },
    textValues: {
      found: replayed > 0 ? 'some' : 'none',
      look: eventId
        ? `show --event ${eventId}`
        : paymentId
          ? `list --payment ${paymentId}`
          : `list --merchant ${merchantId}`,
    },
  }),
  helpExamples: [
    '--event evt_01...',
    '--merchant mer_01... --since 2h --state exhausted',
    '--merchant mer_01... --since 2026-08-02T14:00Z --until 2026-08-02T15:00Z --latest',
    '--payment pay_01... --latest',
  ],
  async examples(scene) {
    const { eventId, paymentId, sentAt: since } = await scene.sentEvent()
    return [{ eventId }, { paymentId, latest: true }, { merchantId: scene.merchantId, since }]
  },
})

export const EVENT_ACTS: readonly AnyRow[] = [replay]
