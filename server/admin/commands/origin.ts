/** `origin`: the origins that a merchant's calls to /v1 may carry, and the origins whose domains are reviewed. */
import { listOrigins } from '../../merchants/origin.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT } from '../flag.ts'
import { listText, moment } from '../layout.ts'

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

export const origin: Noun = {
  name: 'origin',
  summary: 'Allow origins for calls to /v1, and approve reviewed domains',
  verbs: [list],
}
