/** `clock`: the sandbox's time, and letting it pass. */
import type { Context } from '../context.ts'
import { ADVANCE_MAX_MS, type Advanced, advanceClock, type Moment } from '../worker/clock-advance.ts'
import { ADMIN, type Noun, verb } from './command.ts'
import { span } from './flag.ts'
import { moment, pairs, paragraphs, table } from './layout.ts'

/** So many moments are told line by line; then each line sums up those of a while. */
const LINES_EACH = 25
const LINES_MORE = 20
const MOMENTS_JSON_MAX = 500

const NAMES: Record<string, string> = {
  statusSync: 'payments asked about',
  abandonedKeys: 'creations finished',
  moneyOperations: 'operations worked on',
  bankCallbacks: 'turns of the bank',
  deliveries: 'rounds of events',
}

function inWords(done: Record<string, number>): string {
  return Object.entries(done)
    .map(([name, count]) => `${count} ${NAMES[name] ?? name}`)
    .join(', ')
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
      ['Ahead by', inDays(aheadMs)],
      ['Mode', ctx.config.mode],
    ])
    return { json: { now, aheadSeconds: Math.round(aheadMs / 1000), mode: ctx.config.mode }, text }
  },
})

const advance = verb({
  name: 'advance',
  summary: 'Let time pass in the sandbox: everything that falls due on the way happens, in order',
  flags: { by: span('TIME', 'how much', { maxMs: ADVANCE_MAX_MS }) },
  examples: ['--by 30d', '--by 90m'],
  async run(ctx, { by: byMs }, { print, untilStopped }) {
    const teller = tellMoments(ctx, byMs, (text) => print({ text }))
    const advanced = await advanceClock(ctx, byMs, { onMoment: teller.tell, signal: untilStopped() })
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
    return { json, text: summary(advanced) }
  },
})

function summary({ from, to, aheadMs, moments, done, arrived }: Advanced): string {
  const rows = Object.entries(done).map(([name, count]) => [String(count), NAMES[name] ?? name])
  return paragraphs(
    arrived
      ? `It is ${moment(to)} now, after ${moment(from)}.`
      : `Stopped on the way: it is ${moment(to)} now, and what was due until then has happened.`,
    rows.length > 0
      ? `What happened, at ${moments} moments:\n${table(['', ''], rows).trimStart()}`
      : 'Nothing fell due.',
    `The sandbox is ${inDays(aheadMs)} ahead of real time. Payments, events and operations: ${ADMIN} payment list`,
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
    if (waiting) print(`  ${moment(waiting.at)}  ${inWords(waiting.done)}`)
    waiting = null
  }
  return {
    log,
    tell(now: Moment) {
      if (log.length < MOMENTS_JSON_MAX) log.push(now)
      if (waiting) {
        const sum: Record<string, number> = { ...waiting.done }
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

function inDays(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  return parts.flatMap(([number, unit]) => (number > 0 ? [`${number}${unit}`] : [])).join(' ') || '0s'
}

export const clock: Noun = {
  name: 'clock',
  summary: "The sandbox's time (sandbox mode only)",
  verbs: [show, advance],
}
