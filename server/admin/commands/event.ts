/** `event`: the events of merchants and their deliveries. */
import { getEvent, presentEvent } from '../../operator/event-history.ts'
import { type Forwarding, listenToEvents } from '../../receivers/listen.ts'
import { type Noun, verb } from '../command.ts'
import { eventText } from '../event-text.ts'
import { MERCHANT, past, required } from '../flag.ts'
import { counted, moment, plain } from '../layout.ts'

export const listen = verb({
  name: 'listen',
  needs: 'operator',
  summary: 'Forward every new event to a URL of your own, until Ctrl-C',
  flags: {
    merchant: MERCHANT,
    forward: required('U', 'the URL to forward to: any URL on this machine, or a public https URL'),
    since: past('T', 'also forward events since this time'),
  },
  examples: [
    '--merchant mer_01... --forward http://localhost:4000/kassa/callback',
    '--merchant mer_01... --forward http://localhost:4000/kassa/callback --since 10m',
  ],
  async run(ctx, { merchant: merchantId, forward: forwardTo, since }, { print, untilStopped }) {
    const signal = untilStopped()
    const from = since?.(ctx.clock.now())
    const forwardings = await listenToEvents(ctx, { merchantId, forwardTo, since: from, signal })
    print({
      text: `Forwarding every new event of ${merchantId} to ${plain(forwardTo)}, signed as usual. Press Ctrl-C to stop.`,
    })
    const counts = { accepted: 0, all: 0 }
    for await (const forwarding of forwardings) {
      counts.all++
      if (forwarding.advice === '') counts.accepted++
      print({ json: present(forwarding), text: textOf(forwarding, moment(ctx.clock.now())) })
    }
    print({ text: `Stopped. ${counted(counts.all, 'event')} forwarded, ${counts.accepted} accepted.` })
    return null
  },
})

function present({ event, exchange, durationMs, advice }: Forwarding) {
  const { id: eventId, paymentId, merchantOrderId, status, sequence, createdAt, replayedAt } = event
  const answered = exchange.kind === 'answered'
  return {
    eventId,
    paymentId,
    merchantOrderId,
    status,
    sequence,
    createdAt,
    replayedAt,
    accepted: advice === '',
    statusCode: answered ? exchange.statusCode : null,
    durationMs,
    failure: answered ? null : exchange.message,
    advice: advice || null,
  }
}

function textOf({ event, exchange, durationMs, advice }: Forwarding, at: string): string {
  const answer =
    exchange.kind === 'answered' ? `${exchange.statusCode} in ${durationMs} ms` : exchange.message
  const again = event.replayedAt ? ' (sent again)' : ''
  const line = `${at}  ${event.id}  ${event.status}  ${event.merchantOrderId}  ${answer}${again}`
  const body = exchange.kind === 'answered' && advice ? exchange.responseStart.slice(0, 200).trim() : ''
  const more = [advice, body && `Response: ${body}`].filter(Boolean).map((text) => `    ${plain(text)}`)
  return [plain(line), ...more].join('\n')
}

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
