/** `callback`: the URL that receives a merchant's events. */
import { getMerchant } from '../../merchants/merchant.ts'
import { isFault, isMandatory } from '../../merchants/onboarding.ts'
import { OVERLAP_DEFAULT, OVERLAPS } from '../../merchants/overlap.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { presentReceiverHealth } from '../../operator/event-view.ts'
import { type CheckLine, verifyCallback } from '../../receivers/check.ts'
import { getReceiverHealth } from '../../receivers/receiver.ts'
import { rotateWebhookSecret } from '../../receivers/secret.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optionalChoice, required } from '../flag.ts'
import { moment, pairs, paragraphs, table } from '../layout.ts'
import { proposedOutcome } from '../proposal-text.ts'
import { receiverHealthText } from '../receiver-text.ts'

const set = verb({
  name: 'set',
  needs: 'operator',
  summary: "Set the URL that receives a merchant's events",
  flags: { merchant: MERCHANT, url: required('U', 'an https URL on a public host') },
  examples: ['--merchant mer_01... --url https://shop.example/kassa/callback'],
  async run(ctx, { merchant: merchantId, url: callbackUrl }, { person }) {
    const decided = await doOrPropose(ctx, person, 'callback set', { merchantId, url: callbackUrl })
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const { webhookSecret } = decided.done
    return {
      json: { merchantId, callbackUrl, ...(webhookSecret && { webhookSecret }) },
      text: paragraphs(
        'New and waiting events are sent to this URL from now on.',
        pairs([...rows(merchantId, callbackUrl), ['Callback secret', webhookSecret]]),
        webhookSecret && 'The secret is new, and it is shown only now. Store it in the shop.',
      ),
    }
  },
})

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
    const record = await verifyCallback(ctx, merchant)
    const { merchantId, id: eventId, url, accepted, statusCode, durationMs, failure, checks, woken } = record
    const text = paragraphs(
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
      woken && WOKEN[woken],
    )
    const json = { merchantId, eventId, url, accepted, statusCode, durationMs, failure, checks, woken }
    if (accepted) return { json, text }
    const open = checks.filter(isFault)
    const message = `The callback URL did not pass: ${open.map(({ name }) => name).join(', ')}.`
    const hint = `Fix the receiver, and verify it again. Example receivers: ${ctx.baseUrl}/docs#receiver-kits`
    return { json, text, problem: { code: 'callback_not_accepted', message, hint } }
  },
})

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

const rotateSecret = verb({
  name: 'rotate-secret',
  needs: 'operator',
  summary: 'Replace the callback secret; the old one still signs a while',
  flags: {
    merchant: MERCHANT,
    overlap: optionalChoice('T', `how long the old secret still signs; default ${OVERLAP_DEFAULT}`, OVERLAPS),
  },
  examples: ['--merchant mer_01...', '--merchant mer_01... --overlap 0'],
  async run(ctx, { merchant, overlap = OVERLAP_DEFAULT }) {
    const { id: merchantId } = await getMerchant(ctx, merchant)
    const { webhookSecret, oldUntil } = await rotateWebhookSecret(ctx, merchantId, overlap)
    const text = paragraphs(
      'The new secret signs events from now on.',
      pairs([
        ['Merchant', merchantId],
        ['Callback secret', webhookSecret],
        ['Old secret signs', overlap === '0' ? 'no longer' : `until ${moment(oldUntil)}`],
      ]),
      'The secret is shown only now. While both secrets sign, each event has two signatures.',
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
  summary: "Set, show and verify the URL that receives a merchant's events",
  verbs: [set, show, verify, rotateSecret],
}
