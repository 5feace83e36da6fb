/** `clock`: the sandbox's clock. */
import type { Context } from '../../context.ts'
import { ADVANCE_MAX_MS, type Advanced, advanceClock, type Moment } from '../../operator/clock-advance.ts'
import type { Done } from '../../operator/clock-moment.ts'
import { presentReceiver } from '../../operator/event-history.ts'
import { listRestingReceivers, type ReceiverRecord } from '../../receivers/receiver.ts'
import type { FALLS_DUE } from '../../worker/due-times.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { span } from '../flag.ts'
import { counted, duration, moment, pairs, paragraphs } from '../layout.ts'
import { restingLine } from '../receiver-text.ts'

/** The first moments get a line each. After them, each line sums up several moments. */
const LINES_EACH = 25
const LINES_MORE = 20
const MOMENTS_JSON_MAX = 500
const RECEIVERS_MAX = 5

/** What each kind of due work is called, in the singular and in the plural. */
const NAMES: Record<keyof typeof FALLS_DUE, [one: string, several: string]> = {
  statusSync: ['question about a payment', 'questions about payments'],
  settledSync: ['question about a payment with money', 'questions about payments with money'],
  moneyOperations: ['operation advanced', 'operations advanced'],
  cardSavings: ['question about a saved card', 'questions about saved cards'],
  endedSavings: ['question about a saving that ended', 'questions about savings that ended'],
  cardRevocations: ['saved card revoked', 'saved cards revoked'],
  restoreChecks: ['payment compared after a restore', 'payments compared after a restore'],
  restoreEnd: ['restore ended', 'restores ended'],
  renewals: ['subscription advanced', 'subscriptions advanced'],
  bankCallbacks: ['run of the bank callbacks', 'runs of the bank callbacks'],
  accountHealth: ['question about an account', 'questions about accounts'],
  accountNotices: ['look at what the operator is to be told', 'looks at what the operator is to be told'],
  orders: ['order decided late', 'orders decided late'],
  earlierSales: ['event of before the order book', 'events of before the order book'],
  deskNotices: ['look at new cases of the desk', 'looks at new cases of the desk'],
  orderNews: ['look at what owners are to be told', 'looks at what owners are to be told'],
  searchRows: ['row for the search', 'rows for the search'],
  accountKeys: ['look at stored credentials', 'looks at stored credentials'],
  fiscalReceipts: ['fiscal receipt advanced', 'fiscal receipts advanced'],
  deadWorkers: ['search for dead workers', 'searches for dead workers'],
  deliveries: ['run of event deliveries', 'runs of event deliveries'],
  oldEvents: ['removal of old events', 'removals of old events'],
}

function nameWork(done: Done): [count: string, name: string][] {
  return Object.entries(done).map(([name, count]) => [
    String(count),
    NAMES[name as keyof typeof NAMES][count === 1 ? 0 : 1],
  ])
}

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: "Show the sandbox's time, and how far it is ahead",
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
  needs: 'operator',
  recorded: 'before',
  summary: 'Move the sandbox clock ahead, and do all work that becomes due',
  flags: { by: span('TIME', 'how far', { maxMs: ADVANCE_MAX_MS }) },
  examples: ['--by 30d', '--by 90m'],
  async run(ctx, { by: byMs }, { print, untilStopped }) {
    const reporter = reportMoments(ctx, byMs, (text) => print({ text }))
    const onCoarse = (stepMs: number) =>
      print({
        text: `There is a lot of work. From here on the clock moves in steps of up to ${duration(stepMs)}, and work that becomes due within a step happens at its end.`,
      })
    const advanced = await advanceClock(ctx, byMs, {
      onMoment: reporter.add,
      onCoarse,
      signal: untilStopped(),
    })
    reporter.end()
    const { from, to, aheadMs, moments, done, arrived } = advanced
    const json = {
      from,
      to,
      aheadSeconds: Math.round(aheadMs / 1000),
      moments,
      done,
      arrived,
      log: reporter.log,
    }
    const resting = await listRestingReceivers(ctx)
    const receivers = resting.map((each) => ({ merchantId: each.merchantId, ...presentReceiver(each) }))
    return { json: { ...json, receivers }, text: summary(advanced, resting) }
  },
})

function summary({ from, to, aheadMs, moments, done, arrived }: Advanced, resting: ReceiverRecord[]): string {
  const rows = nameWork(done)
  const troubled = resting.slice(0, RECEIVERS_MAX).map(restingLine)
  return paragraphs(
    arrived
      ? `The sandbox's time is ${moment(to)}. It was ${moment(from)}.`
      : `Stopped early. The sandbox's time is ${moment(to)}, and all work that was due until then is done.`,
    rows.length > 0 ? `Work done, at ${counted(moments, 'moment')}:\n${pairs(rows)}` : 'Nothing became due.',
    troubled.length > 0 &&
      `Warning: ${counted(resting.length, 'callback URL')} in trouble.\n${troubled.join('\n')}`,
    `The sandbox is ${duration(aheadMs)} ahead of real time. See its payments: ${ADMIN} payment list`,
  )
}

/** Prints moments as they happen, in at most LINES_EACH + LINES_MORE lines. Collects the first ones for the JSON output. */
function reportMoments(ctx: Context, byMs: number, print: (line: string) => void) {
  const log: Moment[] = []
  const everyMs = byMs / LINES_MORE
  let printed = 0
  let unprinted: Moment | null = null
  let sinceMs = ctx.clock.now().getTime()
  const flush = () => {
    if (unprinted) print(`  ${moment(unprinted.at)}  ${lineOf(unprinted.done)}`)
    unprinted = null
  }
  return {
    log,
    add(now: Moment) {
      if (log.length < MOMENTS_JSON_MAX) log.push(now)
      if (unprinted) {
        const sum: Done = { ...unprinted.done }
        for (const [name, count] of Object.entries(now.done)) sum[name] = (sum[name] ?? 0) + count
        unprinted = { at: now.at, done: sum }
      } else unprinted = now
      if (printed >= LINES_EACH && now.at.getTime() < sinceMs + everyMs) return
      printed += 1
      sinceMs = now.at.getTime()
      flush()
    },
    end: flush,
  }
}

function lineOf(done: Done): string {
  return nameWork(done)
    .map((each) => each.join(' '))
    .join(', ')
}

export const clock: Noun = {
  name: 'clock',
  summary: "Show and advance the sandbox's clock",
  verbs: [show, advance],
}
