/** `callback`: where a merchant's events go. */

import { getMerchant } from '../../merchants/merchant.ts'
import { isFault, isMandatory } from '../../merchants/onboarding.ts'
import { OVERLAP_DEFAULT, OVERLAPS } from '../../merchants/overlap.ts'
import { type CheckLine, verifyCallback } from '../../receivers/check.ts'
import { getReceiverHealth, setCallback } from '../../receivers/receiver.ts'
import { rotateWebhookSecret } from '../../receivers/secret.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optionalChoice, required } from '../flag.ts'
import { moment, pairs, paragraphs, table } from '../layout.ts'
import { presentReceiverHealth, receiverHealthText } from '../receiver-text.ts'

const set = verb({
  name: 'set',
  summary: "Set the address that a merchant's events are sent to",
  flags: { merchant: MERCHANT, url: required('U', 'an https address on a public host') },
  examples: ['--merchant mer_01... --url https://shop.example/kassa/callback'],
  async run(ctx, { merchant: merchantId, url: callbackUrl }) {
    await setCallback(ctx, merchantId, callbackUrl)
    return {
      json: { merchantId, callbackUrl },
      text: paragraphs('Events are sent there from now on.', pairs(rows(merchantId, callbackUrl))),
    }
  },
})

const show = verb({
  name: 'show',
  summary: "Show the address that a merchant's events are sent to, and how it fares",
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const { callbackUrl } = await getMerchant(ctx, merchantId)
    const advice = `Its events are kept, but not sent. Set one: ${ADMIN} callback set --merchant ${merchantId} --url U`
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
  summary: 'Try the callback URL now: a good event, a forged, a stale, a changed and a repeated one',
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant }) {
    const record = await verifyCallback(ctx, merchant)
    const { merchantId, id: eventId, url, accepted, statusCode, durationMs, failure, checks, woken } = record
    const text = paragraphs(
      accepted
        ? 'The callback URL took the test event, and refused what it should.'
        : 'The callback URL did not pass.',
      pairs([
        ['Merchant', merchantId],
        ['Callback URL', url],
        ['Test event', eventId],
        ['Failure', failure],
      ]),
      table(['', 'Check', 'Answer', 'Time', 'What to do'], checks.map(checkRow)),
      woken && WOKEN[woken],
    )
    const json = { merchantId, eventId, url, accepted, statusCode, durationMs, failure, checks, woken }
    if (accepted) return { json, text }
    const open = checks.filter(isFault)
    const message = `The callback URL did not pass: ${open.map(({ name }) => name).join(', ')}.`
    const hint = `Mend the receiver, and try again. Receivers to start from: ${ctx.baseUrl}/docs#receiver-kits`
    return { json, text, problem: { code: 'callback_not_accepted', message, hint } }
  },
})

/** What the verification has ended. */
const WOKEN = {
  failing: 'Its failures are forgotten. Events that wait are sent at their next attempt.',
  resting: 'It rests no longer: what is due is sent now, and the rest at its next attempt.',
  paused: 'It is paused no longer: every event that waits is sent now.',
}

function checkRow(line: CheckLine): string[] {
  const verdict = line.passed ? 'pass' : line.skipped ? 'skip' : isMandatory(line) ? 'FAIL' : 'warn'
  const answer = line.statusCode === null ? 'none' : String(line.statusCode)
  return [verdict, line.name.replaceAll('_', ' '), answer, `${line.durationMs} ms`, line.advice ?? '']
}

const rotateSecret = verb({
  name: 'rotate-secret',
  summary: 'Make a new secret; the old one signs beside it for a while',
  flags: {
    merchant: MERCHANT,
    overlap: optionalChoice(
      'T',
      `how long the old one still signs; ${OVERLAP_DEFAULT} when left out`,
      OVERLAPS,
    ),
  },
  examples: ['--merchant mer_01...', '--merchant mer_01... --overlap 0'],
  async run(ctx, { merchant, overlap = OVERLAP_DEFAULT }) {
    const { id: merchantId } = await getMerchant(ctx, merchant)
    const { webhookSecret, oldUntil } = await rotateWebhookSecret(ctx, merchantId, overlap)
    const text = paragraphs(
      'Events are signed with the new secret from now on.',
      pairs([
        ['Merchant', merchantId],
        ['Callback secret', webhookSecret],
        ['The old one signs', overlap === '0' ? 'no longer' : `until ${moment(oldUntil)}`],
      ]),
      'The secret is shown only now. While both sign, an event carries one signature of each.',
    )
    return { json: { merchantId, webhookSecret, oldUntil }, text }
  },
})

function rows(merchantId: string, callbackUrl: string | null): [string, string][] {
  return [
    ['Merchant', merchantId],
    ['Callback URL', callbackUrl ?? 'none'],
  ]
}

export const callback: Noun = {
  name: 'callback',
  summary: "Where a merchant's events go",
  verbs: [set, show, verify, rotateSecret],
}
