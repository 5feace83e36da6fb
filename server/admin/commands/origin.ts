/** `origin`: the origins that a merchant's calls to /v1 may carry, and the origins whose domains are reviewed. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import {
  approveOrigin,
  listApprovedOrigins,
  listOrigins,
  listTrustedOrigins,
} from '../../merchants/origin.ts'
import { approvePage, parsePage } from '../../merchants/public-page.ts'
import { askReview, listWaitingReviews, refuseReview, withdrawReview } from '../../operator/shop/reviews.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optional, required } from '../flag.ts'
import { listText, moment, pairs, paragraphs } from '../layout.ts'

const approve = verb({
  name: 'approve',
  needs: 'operator',
  summary: 'Approve the domain of an origin, or a public page, after a review',
  flags: {
    merchant: MERCHANT,
    origin: optional('O', 'scheme, host and port, such as https://shop.example'),
    page: optional('U', 'for a shop without a site: the address of its public page or profile'),
  },
  examples: [
    '--merchant mer_01... --origin https://shop.example',
    '--merchant mer_01... --page https://social.example/potter',
  ],
  async run(ctx, { merchant: merchantId, origin, page }) {
    if (page !== undefined && origin === undefined) {
      const address = parsePage(page)
      await approvePage(ctx, merchantId, page)
      const sentence = `The page ${address} is approved. A public key without an origin may sell by links and posters.`
      return show(ctx, { merchantId, origin: address }, 'reviewed', sentence)
    }
    if (origin === undefined || page !== undefined)
      throw new AppError('validation_failed', { message: 'Give either --origin O or --page U.' })
    await approveOrigin(ctx, merchantId, origin)
    return show(ctx, { merchantId, origin }, 'reviewed', `The domain of ${origin} is approved.`)
  },
})

const ADDRESS = required('U', 'the https address of the site, or of a public page')

const ask = verb({
  name: 'ask',
  needs: 'operator',
  summary: 'Ask for the review of a site or a public page, for a shop',
  flags: { merchant: MERCHANT, address: ADDRESS },
  examples: ['--merchant mer_01... --address https://shop.example'],
  async run(ctx, { merchant: merchantId, address }) {
    const origin = await askReview(ctx, merchantId, address)
    return { json: { merchantId, origin }, text: `${origin} waits for a review: ${ADMIN} origin waiting` }
  },
})

const withdraw = verb({
  name: 'withdraw',
  needs: 'operator',
  summary: 'Take back that a shop has asked for a review',
  flags: { merchant: MERCHANT, address: ADDRESS },
  examples: ['--merchant mer_01... --address https://shop.example'],
  async run(ctx, { merchant: merchantId, address: origin }) {
    await withdrawReview(ctx, merchantId, origin)
    return { json: { merchantId, origin }, text: `${origin} does not wait for a review.` }
  },
})

const refuse = verb({
  name: 'refuse',
  needs: 'operator',
  summary: 'Refuse what a shop has asked to be reviewed; it reads why',
  flags: { merchant: MERCHANT, address: ADDRESS, why: required('TEXT', 'why, in words for the shop') },
  examples: ['--merchant mer_01... --address https://shop.example --why "the page shows no products"'],
  async run(ctx, { merchant: merchantId, address: origin, why }) {
    await refuseReview(ctx, { merchantId, origin, why })
    return { json: { merchantId, origin, why }, text: `${origin} is refused. The shop can ask again.` }
  },
})

const waiting = verb({
  name: 'waiting',
  needs: 'viewer',
  summary: 'List the addresses of all merchants that wait for a review',
  flags: {},
  examples: [''],
  async run(ctx) {
    const { requests } = await listWaitingReviews(ctx)
    const rows = requests.map(({ merchantId, origin, askedAt }) => [origin, merchantId, moment(askedAt)])
    const text = listText(['Address', 'Merchant', 'Since'], rows, 'Nothing waits for a review.')
    return { json: { requests }, text }
  },
})

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: "List a merchant's origins: allowed for calls to /v1, and reviewed",
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const origins = await listOrigins(ctx, merchantId)
    const rows = origins.map(({ origin, trustedAt, approvedAt }) => [
      origin,
      trustedAt ? moment(trustedAt) : 'not allowed',
      approvedAt ? moment(approvedAt) : 'not reviewed',
    ])
    const text = listText(
      ['Origin', 'Allowed for /v1', 'Domain approved'],
      rows,
      `The merchant has no origin. A back end sends no Origin header, so most merchants need none for /v1. After a review of the shop's site: ${ADMIN} origin approve --merchant ${merchantId} --origin https://shop.example`,
    )
    return { json: { merchantId, origins }, text }
  },
})

type Changed = { merchantId: string; origin: string }

/** Shows the result of a change. `concern`: whether it is about calls to /v1 or about the review of a domain. */
async function show(ctx: Context, of: Changed, concern: 'trusted' | 'reviewed', sentence: string) {
  const [origins, approved] = await Promise.all([
    listTrustedOrigins(ctx, of.merchantId),
    listApprovedOrigins(ctx, of.merchantId),
  ])
  const [label, listed, hint] =
    concern === 'trusted'
      ? [
          'Origins of /v1',
          origins,
          'Pages with a pay button need no origin here. Their origins belong to the installation.',
        ]
      : [
          'Approved',
          approved,
          'Live public keys work only on approved origins. A review does not allow an origin for calls to /v1.',
        ]
  const rows = pairs([
    ['Merchant', of.merchantId],
    [label, listed.length > 0 ? listed : 'none'],
  ])
  return { json: { ...of, origins, approved }, text: paragraphs(sentence, rows, hint) }
}

export const origin: Noun = {
  name: 'origin',
  summary: 'Allow origins for calls to /v1, and approve reviewed domains',
  verbs: [ask, withdraw, waiting, approve, refuse, list],
}
