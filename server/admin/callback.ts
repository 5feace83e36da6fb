/** `callback`: where a merchant's events go. */
import { verifyCallback } from '../merchants/callback-check.ts'
import { getMerchant, setCallback } from '../merchants/merchant.ts'
import { OVERLAP_DEFAULT, OVERLAPS } from '../merchants/overlap.ts'
import { rotateWebhookSecret } from '../merchants/webhook-secret.ts'
import { ADMIN, type Noun, verb } from './command.ts'
import { MERCHANT, optionalChoice, required } from './flag.ts'
import { moment, pairs, paragraphs } from './layout.ts'

const set = verb({
  name: 'set',
  summary: "Set the address that a merchant's events are sent to",
  flags: { merchant: MERCHANT, url: required('U', 'an https address on a public host') },
  examples: ['--merchant mer_01... --url https://shop.example/kassa/callback'],
  async run(ctx, { merchant: merchantId, url: callbackUrl }) {
    await setCallback(ctx, merchantId, callbackUrl)
    return {
      json: { merchantId, callbackUrl },
      text: paragraphs('Events are sent there from now on.', lines(merchantId, callbackUrl)),
    }
  },
})

const show = verb({
  name: 'show',
  summary: "Show the address that a merchant's events are sent to",
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const { callbackUrl } = await getMerchant(ctx, merchantId)
    const advice = `Its events are kept, but not sent. Set one: ${ADMIN} callback set --merchant ${merchantId} --url U`
    return {
      json: { merchantId, callbackUrl },
      text: paragraphs(lines(merchantId, callbackUrl), callbackUrl === null && advice),
    }
  },
})

const verify = verb({
  name: 'verify',
  summary: 'Send one signed test event to the callback URL now, and record whether it was accepted',
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant }) {
    const {
      merchantId,
      id: eventId,
      url,
      accepted,
      statusCode,
      durationMs,
      failure,
    } = await verifyCallback(ctx, merchant)
    const answered = failure ?? `status ${statusCode} after ${durationMs} ms`
    const text = paragraphs(
      accepted ? 'The callback URL took the test event.' : 'The callback URL did not take the test event.',
      pairs([
        ['Merchant', merchantId],
        ['Callback URL', url],
        ['Test event', eventId],
        ['Answer', answered],
      ]),
    )
    const json = { merchantId, eventId, url, accepted, statusCode, durationMs, failure }
    if (accepted) return { json, text }
    const message = `The callback URL did not take the test event: ${answered}.`
    const hint =
      'It must answer 2xx within 15 seconds, without a redirect, once it has checked the signature.'
    return { json, text, problem: { code: 'callback_not_accepted', message, hint } }
  },
})

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

function lines(merchantId: string, callbackUrl: string | null): string {
  return pairs([
    ['Merchant', merchantId],
    ['Callback URL', callbackUrl ?? 'none'],
  ])
}

export const callback: Noun = {
  name: 'callback',
  summary: "Where a merchant's events go",
  verbs: [set, show, verify, rotateSecret],
}
