/** `origin`: from where a merchant's calls to /v1 may carry an Origin header. */
import { addOrigin, listOrigins, removeOrigin } from '../merchants/origin.ts'
import { type Noun, verb } from './command.ts'
import { MERCHANT, required } from './flag.ts'
import { pairs, paragraphs } from './layout.ts'

const ORIGIN = required('O', 'scheme, host and port, such as https://shop.example')

const add = verb({
  name: 'add',
  summary: 'Trust an origin for calls to /v1',
  flags: { merchant: MERCHANT, origin: ORIGIN },
  examples: ['--merchant mer_01... --origin https://office.shop.example'],
  async run(ctx, { merchant: merchantId, origin }) {
    await addOrigin(ctx, merchantId, origin)
    return answer(`Calls to /v1 may now carry the origin ${origin}.`, {
      merchantId,
      origin,
      origins: await listOrigins(ctx, merchantId),
    })
  },
})

const remove = verb({
  name: 'remove',
  summary: 'Trust an origin no longer, within a second everywhere',
  flags: { merchant: MERCHANT, origin: ORIGIN },
  examples: ['--merchant mer_01... --origin https://office.shop.example'],
  async run(ctx, { merchant: merchantId, origin }) {
    await removeOrigin(ctx, merchantId, origin)
    return answer(`Calls to /v1 that carry the origin ${origin} are refused from now on.`, {
      merchantId,
      origin,
      origins: await listOrigins(ctx, merchantId),
    })
  },
})

function answer(sentence: string, json: { merchantId: string; origin: string; origins: string[] }) {
  const { merchantId, origins } = json
  const trusted = origins.length > 0 ? origins : 'none'
  return {
    json,
    text: paragraphs(
      sentence,
      pairs([
        ['Merchant', merchantId],
        ['Origins of /v1', trusted],
      ]),
      "Pages with a pay button need none: those origins belong to the widget's installation.",
    ),
  }
}

export const origin: Noun = {
  name: 'origin',
  summary: 'From where calls to /v1 may carry an Origin header',
  verbs: [add, remove],
}
