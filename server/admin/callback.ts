/** `callback`: where a merchant's events go. */
import { getMerchant, setCallback } from '../merchants/merchant.ts'
import { ADMIN, type Noun, verb } from './command.ts'
import { MERCHANT, required } from './flag.ts'
import { pairs, paragraphs } from './layout.ts'

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

function lines(merchantId: string, callbackUrl: string | null): string {
  return pairs([
    ['Merchant', merchantId],
    ['Callback URL', callbackUrl ?? 'none'],
  ])
}

export const callback: Noun = {
  name: 'callback',
  summary: "Where a merchant's events go",
  verbs: [set, show],
}
