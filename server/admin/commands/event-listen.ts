/** `event listen`: a merchant's events on a laptop, while they happen. */
import { type Forwarding, listenToEvents } from '../../receivers/listen.ts'
import { verb } from '../command.ts'
import { MERCHANT, past, required } from '../flag.ts'
import { counted, moment, plain } from '../layout.ts'

export const listen = verb({
  name: 'listen',
  summary: 'Hand every new event on to an address of your own, such as a laptop, until Ctrl-C',
  flags: {
    merchant: MERCHANT,
    forward: required('U', 'where to: any address on this machine, or a public https one'),
    since: past('T', 'earlier events from then on, too'),
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
      text: `Every new event of ${merchantId} goes to ${plain(forwardTo)}, signed as always. Ctrl-C stops.`,
    })
    const counts = { taken: 0, all: 0 }
    for await (const forwarding of forwardings) {
      counts.all++
      if (forwarding.advice === '') counts.taken++
      print({ json: present(forwarding), text: textOf(forwarding, moment(ctx.clock.now())) })
    }
    print({ text: `Stopped. ${counted(counts.all, 'event')} handed on, ${counts.taken} of them taken.` })
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
  const said = exchange.kind === 'answered' && advice ? exchange.answerStart.slice(0, 200).trim() : ''
  const more = [advice, said && `It said: ${said}`].filter(Boolean).map((text) => `    ${plain(text)}`)
  return [plain(line), ...more].join('\n')
}
