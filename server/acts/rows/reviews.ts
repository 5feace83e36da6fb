/** The acts on the addresses at which a shop sells: their review, and the end of a short address. Pages of the shop ask for them. */
import { listAddresses, presentAddress, retireAddress } from '../../merchants/address.ts'
import { WHY_MAX_CHARS } from '../../merchants/merchant.ts'
import { approveOrigin } from '../../merchants/origin.ts'
import { approvePage, parsePage } from '../../merchants/public-page.ts'
import { type FactScene, shopFact, textFact } from '../../operator/approvals/facts.ts'
import { askReview, refuseReview, withdrawReview } from '../../operator/shop/reviews.ts'
import { type AnyRow, act } from '../act.ts'
import { optionalText, shop, text, words } from '../input.ts'
import { originsAfter } from './origins.ts'

type OfShop = { merchantId: string; address: string }

const ADDRESS = { merchantId: shop(), address: text({ placeholder: 'U' }) }
const onAddress = {
  shows: {
    merchantId: ({ ctx, args }: FactScene<OfShop>) => shopFact(ctx, args.merchantId),
    address: ({ args }: FactScene<OfShop>) => textFact('origin', args.address),
  },
  helpExamples: ['--merchant mer_01... --address https://shop.example'],
} as const

export const ask = act(
  'origin ask',
  ADDRESS,
)({
  ...onAddress,
  run: (ctx, { merchantId, address }) => askReview(ctx, merchantId, address),
  result: async (_ctx, origin, { merchantId }) => ({ facts: { merchantId, origin } }),
  examples: async ({ merchantId }) => [{ merchantId, address: 'https://asked.example' }],
})

export const withdraw = act(
  'origin withdraw',
  ADDRESS,
)({
  ...onAddress,
  run: (ctx, { merchantId, address }) => withdrawReview(ctx, merchantId, address),
  result: async (_ctx, _done, { merchantId, address: origin }) => ({ facts: { merchantId, origin } }),
  examples: async ({ merchantId, addressToReview }) => [{ merchantId, address: await addressToReview() }],
})

/** The shop reads why. */
export const refuse = act('origin refuse', {
  ...ADDRESS,
  why: words({ max: WHY_MAX_CHARS }),
})({
  ...onAddress,
  shows: { ...onAddress.shows, why: ({ args }) => textFact('why', args.why) },
  run: (ctx, { merchantId, address: origin, why }) => refuseReview(ctx, { merchantId, origin, why }),
  result: async (_ctx, _done, { merchantId, address: origin, why }) => ({
    facts: { merchantId, origin, why },
  }),
  helpExamples: ['--merchant mer_01... --address https://shop.example --why "the page shows no products"'],
  examples: async ({ merchantId, addressToReview }) => [
    { merchantId, address: await addressToReview(), why: 'no products yet' },
  ],
})

export const approve = act('origin approve', {
  merchantId: shop(),
  origin: optionalText({ placeholder: 'O' }),
  page: optionalText({ placeholder: 'U' }),
})({
  wrong: ({ origin, page }) => ((origin === undefined) === (page === undefined) ? 'origin' : null),
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    origin: ({ args }) => textFact('origin', args.origin),
    page: ({ args }) => textFact('page', args.page),
  },
  run: (ctx, { merchantId, origin = '', page }) =>
    page === undefined ? approveOrigin(ctx, merchantId, origin) : approvePage(ctx, merchantId, page),
  result: (ctx, done, { merchantId, origin = '', page }) =>
    originsAfter(ctx, done, { merchantId, origin: page === undefined ? origin : parsePage(page) }),
  helpExamples: [
    '--merchant mer_01... --origin https://shop.example',
    '--merchant mer_01... --page https://social.example/potter',
  ],
  examples: async ({ merchantId }) => [
    { merchantId, origin: 'https://new.example' },
    { merchantId, page: 'https://social.example/potter' },
  ],
})

export const retireShortAddress = act('address retire', {
  merchantId: shop(),
  name: text({ placeholder: 'N' }),
})({
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    async name({ ctx, args: { merchantId, name } }) {
      const found = (await listAddresses(ctx, merchantId)).find((each) => each.name === name)
      return [...textFact('name', name), ...textFact('state', 'retired', found?.state)]
    },
  },
  run: retireAddress,
  async result(ctx, record, { merchantId, name }) {
    const facts = record ? presentAddress(ctx, record) : { merchantId, name, state: 'free' }
    return { facts, textValues: { state: facts.state } }
  },
  helpExamples: ['--merchant mer_01... --name mountain-tea'],
  examples: async ({ merchantId, shortAddress }) => [{ merchantId, name: await shortAddress() }],
})

export const REVIEW_ACTS: readonly AnyRow[] = [ask, withdraw, approve, refuse, retireShortAddress]
