/** `event`: the events of merchants and their deliveries. */
import { getEvent } from '../../operator/event-history.ts'
import { presentEvent } from '../../operator/event-view.ts'
import { type Noun, verb } from '../command.ts'
import { eventText } from '../event-text.ts'
import { required } from '../flag.ts'
import { listen } from './event-listen.ts'

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

export const event: Noun = {
  name: 'event',
  summary: 'List, show, resend and forward events',
  verbs: [show, listen],
}
