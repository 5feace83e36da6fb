/** `callback`: the URL that receives a merchant's events. */
import type { Context } from '../../context.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { isFault, isMandatory } from '../../merchants/onboarding.ts'
import { presentReceiverHealth } from '../../operator/event-view.ts'
import { usesOrderBook, verifyOrderBook } from '../../operator/orders/book.ts'
import { type CheckLine, type Verified, verifyCallback } from '../../receivers/check.ts'
import { getReceiverHealth, ORDER_BOOK_URL } from '../../receivers/receiver.ts'
import { ADMIN, type Noun, type Outcome, verb } from '../command.ts'
import { MERCHANT } from '../flag.ts'
import { pairs, paragraphs, table } from '../layout.ts'
import { receiverHealthText } from '../receiver-text.ts'
import { NO_MAIL_SERVER } from './orders/order-mails.ts'

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: "Show a merchant's callback URL and its state",
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const { callbackUrl } = await getMerchant(ctx, merchantId)
    const advice = `The merchant's events are stored, but not sent. Set a callback URL: ${ADMIN} callback set --merchant ${merchantId} --url https://shop.example/kassa/callback`
    if (callbackUrl === null)
      return {
        json: { merchantId, callbackUrl, receiver: null },
        text: paragraphs(pairs(rows(merchantId, callbackUrl)), advice),
      }
    const health = await getReceiverHealth(ctx, merchantId)
    const address = rows(merchantId, callbackUrl)
    return {
      json: { merchantId, callbackUrl, receiver: presentReceiverHealth(health) },
      text: receiverHealthText(health, { address, merchantId, now: ctx.clock.now() }),
    }
  },
})

const verify = verb({
  name: 'verify',
  needs: 'operator',
  summary: 'Send test events to the callback URL, and check its answers',
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant }) {
    if (await usesOrderBook(ctx, merchant)) return verifyOwnOrderBook(ctx, merchant)
    const record = await verifyCallback(ctx, merchant)
    return { ...checkedOutcome(ctx, record), text: paragraphs(checkedText(record), wokenText(record)) }
  },
})

const wokenText = (record: Verified) => record.woken && WOKEN[record.woken]

function checkedText({ merchantId, id: eventId, url, accepted, failure, checks }: Verified): string {
  return paragraphs(
    accepted
      ? 'The callback URL passed: it accepted the valid events and rejected the others.'
      : 'The callback URL did not pass.',
    pairs([
      ['Merchant', merchantId],
      ['Callback URL', url],
      ['Test event', eventId],
      ['Failure', failure],
    ]),
    table(['', 'Check', 'Status', 'Time', 'What to do'], checks.map(checkRow)),
  )
}

function checkedOutcome(ctx: Context, record: Verified): Pick<Outcome, 'json' | 'problem'> {
  const { merchantId, id: eventId, url, accepted, statusCode, durationMs, failure, checks, woken } = record
  const json = { merchantId, eventId, url, accepted, statusCode, durationMs, failure, checks, woken }
  if (accepted) return { json }
  const open = checks.filter(isFault)
  const message = `The callback URL did not pass: ${open.map(({ name }) => name).join(', ')}.`
  const hint = `Fix the receiver, and verify it again. Example receivers: ${ctx.baseUrl}/docs#receiver-kits`
  return { json, problem: { code: 'callback_not_accepted', message, hint } }
}

/** The order book passes its own checks. What is verified is that somebody reads its news. */
async function verifyOwnOrderBook(ctx: Context, merchantId: string): Promise<Outcome> {
  const { checks, mailedTo, link, noMailServer } = await verifyOrderBook(ctx, merchantId)
  const { json, problem } = checkedOutcome(ctx, checks)
  const text = paragraphs(
    checks.accepted
      ? 'The order book accepts signed events and rejects all others.'
      : 'The order book did not pass its checks.',
    noMailServer && NO_MAIL_SERVER,
    mailedTo !== null &&
      `A test mail goes to ${mailedTo}. The order book is verified once its reader has opened the link in it, and has pressed the button there.`,
    link !== null &&
      `Open this link where the owner of the shop can see it, and press the button there. Then the order book is verified. The link works for 30 days:\n  ${link}`,
  )
  return { json: { ...json, mailedTo, link, mailServer: !noMailServer }, text, ...(problem && { problem }) }
}

/** The receiver's state before a successful verification decides which events are sent now. */
const WOKEN = {
  failing: 'Its failures no longer count. Waiting events are sent at their next attempt.',
  resting: 'It no longer rests. Due events are sent now, and the others at their next attempt.',
  paused: 'It is no longer paused. Every waiting event is sent now.',
}

function checkRow(line: CheckLine): string[] {
  const verdict = line.passed ? 'pass' : line.skipped ? 'skip' : isMandatory(line) ? 'FAIL' : 'warn'
  const status = line.statusCode === null ? 'none' : String(line.statusCode)
  return [verdict, line.name.replaceAll('_', ' '), status, `${line.durationMs} ms`, line.advice ?? '']
}

function rows(merchantId: string, callbackUrl: string | null): [string, string][] {
  return [
    ['Merchant', merchantId],
    ['Callback URL', callbackUrl === ORDER_BOOK_URL ? 'the order book' : (callbackUrl ?? 'none')],
  ]
}

export const callback: Noun = {
  name: 'callback',
  summary: "Set, show and verify the URL that receives a merchant's events",
  verbs: [show, verify],
}
