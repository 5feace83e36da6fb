/** `origin`: from where a merchant's calls to /v1 may carry an Origin header, and whose domain was reviewed. */
import {
  addOrigin,
  approveOrigin,
  listOriginReviews,
  listOrigins,
  removeOrigin,
} from '../../merchants/origin.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, required } from '../flag.ts'
import { moment, pairs, paragraphs, table } from '../layout.ts'

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

const approve = verb({
  name: 'approve',
  summary: "Note that the origin's domain was reviewed, and trust it for calls to /v1",
  flags: { merchant: MERCHANT, origin: ORIGIN },
  examples: ['--merchant mer_01... --origin https://shop.example'],
  async run(ctx, { merchant: merchantId, origin }) {
    await approveOrigin(ctx, merchantId, origin)
    return answer(`The domain of ${origin} is reviewed and approved.`, {
      merchantId,
      origin,
      origins: await listOrigins(ctx, merchantId),
    })
  },
})

const list = verb({
  name: 'list',
  summary: "A merchant's trusted origins, and whether their domains were reviewed",
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const origins = await listOriginReviews(ctx, merchantId)
    const rows = origins.map(({ origin, createdAt, approvedAt }) => [
      origin,
      moment(createdAt),
      approvedAt ? moment(approvedAt) : 'not reviewed',
    ])
    const text =
      origins.length > 0
        ? table(['Origin', 'Trusted since', 'Approved'], rows)
        : `The merchant has none: its calls come without an Origin header. Add one: ${ADMIN} origin add --merchant ${merchantId} --origin O`
    return { json: { merchantId, origins }, text }
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
  summary: 'Origins that calls to /v1 may carry, and reviewed domains',
  verbs: [add, remove, approve, list],
}
