/** `clock`: the sandbox's time, and letting it pass. */
import type { Context } from '../../context.ts'
import { ADVANCE_MAX_MS, type Advanced, advanceClock, type Moment } from '../../operator/clock-advance.ts'
import type { Done } from '../../operator/clock-moment.ts'
import { listRestingReceivers, type ReceiverRecord } from '../../receivers/receiver.ts'
import type { FALLS_DUE } from '../../worker/falls-due.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { span } from '../flag.ts'
import { counted, duration, moment, pairs, paragraphs } from '../layout.ts'
import { presentReceiver, restingLine } from '../receiver-text.ts'

/** So many moments are told line by line; then each line sums up those of a while. */
const LINES_EACH = 25
const LINES_MORE = 20
const MOMENTS_JSON_MAX = 500
const RECEIVERS_MAX = 5

/** What one of each is called, and what several are. */
const WORDS: Record<keyof typeof FALLS_DUE, [one: string, several: string]> = {
  statusSync: ['payment asked about', 'payments asked about'],
  abandonedKeys: ['creation finished', 'creations finished'],
  moneyOperations: ['operation worked on', 'operations worked on'],
  cardSavings: ['card being saved asked about', 'cards being saved asked about'],
  cardRevocations: ['saved card taken back', 'saved cards taken back'],
  renewals: ['subscription worked on', 'subscriptions worked on'],
  bankCallbacks: ['turn of the bank', 'turns of the bank'],
  fiscalReceipts: ['fiscal receipt worked on', 'fiscal receipts worked on'],
  deadWorkers: ['search for dead workers', 'searches for dead workers'],
  deliveries: ['round of events', 'rounds of events'],
  oldEvents: ['clearing of old events', 'clearings of old events'],
}

function inWords(done: Done): [count: string, words: string][] {
  return Object.entries(done).map(([name, count]) => [
    String(count),
    WORDS[name as keyof typeof WORDS][count === 1 ? 0 : 1],
  ])
}

const show = verb({
  name: 'show',
  summary: "The sandbox's time, and how far it is ahead of real time",
  flags: {},
  examples: [''],
  async run(ctx) {
    const now = ctx.clock.now()
    const aheadMs = ctx.clock.sandbox?.aheadMs() ?? 0
    const text = pairs([
      ['Time', moment(now)],
      ['Ahead by', duration(aheadMs)],
      ['Mode', ctx.world],
    ])
    return { json: { now, aheadSeconds: Math.round(aheadMs / 1000), mode: ctx.world }, text }
  },
})

const advance = verb({
  name: 'advance',
  summary: 'Let time pass in the sandbox: everything that falls due on the way happens, in order',
  flags: { by: span('TIME', 'how much', { maxMs: ADVANCE_MAX_MS }) },
  examples: ['--by 30d', '--by 90m'],
  async run(ctx, { by: byMs }, { print, untilStopped }) {
    const teller = tellMoments(ctx, byMs, (text) => print({ text }))
    const onCoarse = (stepMs: number) =>
      print({
        text: `There is a lot to do: from here on the clock goes in steps of up to ${duration(stepMs)}, and what falls due within one happens at its end.`,
      })
    const advanced = await advanceClock(ctx, byMs, {
      onMoment: teller.tell,
      onCoarse,
      signal: untilStopped(),
    })
    teller.end()
    const { from, to, aheadMs, moments, done, arrived } = advanced
    const json = {
      from,
      to,
      aheadSeconds: Math.round(aheadMs / 1000),
      moments,
      done,
      arrived,
      log: teller.log,
    }
    const resting = await listRestingReceivers(ctx)
    const receivers = resting.map((each) => ({ merchantId: each.merchantId, ...presentReceiver(each) }))
    return { json: { ...json, receivers }, text: summary(advanced, resting) }
  },
})

function summary({ from, to, aheadMs, moments, done, arrived }: Advanced, resting: ReceiverRecord[]): string {
  const rows = inWords(done)
  const troubled = resting.slice(0, RECEIVERS_MAX).map(restingLine)
  return paragraphs(
    arrived
      ? `It is ${moment(to)} now, after ${moment(from)}.`
      : `Stopped on the way: it is ${moment(to)} now, and what was due until then has happened.`,
    rows.length > 0
      ? `What happened, at ${counted(moments, 'moment')}:\n${pairs(rows)}`
      : 'Nothing fell due.',
    troubled.length > 0 &&
      `Warning: ${counted(resting.length, 'callback URL')} in trouble.\n${troubled.join('\n')}`,
    `The sandbox is ${duration(aheadMs)} ahead of real time. Payments, events and operations: ${ADMIN} payment list`,
  )
}

/** Prints moments as they come, never more than LINES_EACH + LINES_MORE lines, and keeps the first for the JSON answer. */
function tellMoments(ctx: Context, byMs: number, print: (line: string) => void) {
  const log: Moment[] = []
  const everyMs = byMs / LINES_MORE
  let printed = 0
  let waiting: Moment | null = null
  let sinceMs = ctx.clock.now().getTime()
  const flush = () => {
    if (waiting) print(`  ${moment(waiting.at)}  ${lineOf(waiting.done)}`)
    waiting = null
  }
  return {
    log,
    tell(now: Moment) {
      if (log.length < MOMENTS_JSON_MAX) log.push(now)
      if (waiting) {
        const sum: Done = { ...waiting.done }
        for (const [name, count] of Object.entries(now.done)) sum[name] = (sum[name] ?? 0) + count
        waiting = { at: now.at, done: sum }
      } else waiting = now
      if (printed >= LINES_EACH && now.at.getTime() < sinceMs + everyMs) return
      printed += 1
      sinceMs = now.at.getTime()
      flush()
    },
    end: flush,
  }
}

function lineOf(done: Done): string {
  return inWords(done)
    .map((each) => each.join(' '))
    .join(', ')
}

export const clock: Noun = {
  name: 'clock',
  summary: "The sandbox's time (sandbox mode only)",
  verbs: [show, advance],
}
