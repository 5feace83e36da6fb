/** `callback`: the URL that receives a merchant's events. */
import { getMerchant } from '../../merchants/merchant.ts'
import { presentReceiverHealth } from '../../operator/event-history.ts'
import { getReceiverHealth, ORDER_BOOK_URL } from '../../receivers/receiver.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT } from '../flag.ts'
import { pairs, paragraphs } from '../layout.ts'
import { receiverHealthText } from '../receiver-text.ts'

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

function rows(merchantId: string, callbackUrl: string | null): [string, string][] {
  return [
    ['Merchant', merchantId],
    ['Callback URL', callbackUrl === ORDER_BOOK_URL ? 'the order book' : (callbackUrl ?? 'none')],
  ]
}

export const callback: Noun = {
  name: 'callback',
  summary: "Set, show and verify the URL that receives a merchant's events",
  verbs: [show],
}
