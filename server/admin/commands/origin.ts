/** `origin`: the origins that a merchant's calls to /v1 may carry, and the review of their domains. */
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
  summary: 'Allow an origin for calls to /v1',
  flags: { merchant: MERCHANT, origin: ORIGIN },
  examples: ['--merchant mer_01... --origin https://office.shop.example'],
  async run(ctx, { merchant: merchantId, origin }) {
    await addOrigin(ctx, merchantId, origin)
    return outcome(`Calls to /v1 may now carry the origin ${origin}.`, {
      merchantId,
      origin,
      origins: await listOrigins(ctx, merchantId),
    })
  },
})

const remove = verb({
  name: 'remove',
  summary: 'Stop allowing an origin for calls to /v1',
  flags: { merchant: MERCHANT, origin: ORIGIN },
  examples: ['--merchant mer_01... --origin https://office.shop.example'],
  async run(ctx, { merchant: merchantId, origin }) {
    await removeOrigin(ctx, merchantId, origin)
    return outcome(`Calls to /v1 that carry the origin ${origin} are rejected within a second.`, {
      merchantId,
      origin,
      origins: await listOrigins(ctx, merchantId),
    })
  },
})

const approve = verb({
  name: 'approve',
  summary: 'Approve the reviewed domain of an origin, and allow the origin',
  flags: { merchant: MERCHANT, origin: ORIGIN },
  examples: ['--merchant mer_01... --origin https://shop.example'],
  async run(ctx, { merchant: merchantId, origin }) {
    await approveOrigin(ctx, merchantId, origin)
    return outcome(`The domain of ${origin} is approved.`, {
      merchantId,
      origin,
      origins: await listOrigins(ctx, merchantId),
    })
  },
})

const list = verb({
  name: 'list',
  summary: "List a merchant's allowed origins and the review of their domains",
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
        ? table(['Origin', 'Allowed since', 'Approved'], rows)
        : `The merchant has no origin, because its back end sends no Origin header. To add one: ${ADMIN} origin add --merchant ${merchantId} --origin https://shop.example`
    return { json: { merchantId, origins }, text }
  },
})

function outcome(sentence: string, json: { merchantId: string; origin: string; origins: string[] }) {
  const { merchantId, origins } = json
  const shown = origins.length > 0 ? origins : 'none'
  return {
    json,
    text: paragraphs(
      sentence,
      pairs([
        ['Merchant', merchantId],
        ['Origins of /v1', shown],
      ]),
      'Pages with a pay button need no origin here. Their origins belong to the installation.',
    ),
  }
}

export const origin: Noun = {
  name: 'origin',
  summary: 'Allow origins for calls to /v1, and approve reviewed domains',
  verbs: [add, remove, approve, list],
}
