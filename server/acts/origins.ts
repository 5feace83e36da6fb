/** The acts on the origins of a shop: those that calls of the API may carry, and those whose domains were reviewed. */
import type { Context } from '../context.ts'
import {
  addOrigin,
  disapproveOrigin,
  isPage,
  listApprovedOrigins,
  listOrigins,
  listTrustedOrigins,
  type OriginRecord,
  removeOrigin,
} from '../merchants/origin.ts'
import { shopFact, textFact } from '../operator/approvals/facts.ts'
import { type AnyRow, act } from './act.ts'
import { choice, shop, url } from './input.ts'

type Current = { origins: OriginRecord[] }
type OfShop = { merchantId: string; origin: string }

const ORIGIN_MAX_CHARS = 300

const current = async (ctx: Context, merchantId: string): Promise<Current> => ({
  origins: await listOrigins(ctx, merchantId),
})
const trusted = async (ctx: Context, merchantId: string): Promise<Current> => ({
  origins: (await listOrigins(ctx, merchantId)).filter(({ trustedAt }) => trustedAt),
})
/** A reviewed page is taken back with the public keys that it sells by. */
const approved = async (ctx: Context, merchantId: string): Promise<Current> => ({
  origins: (await listOrigins(ctx, merchantId)).filter(
    ({ origin, approvedAt }) => approvedAt && !isPage(origin),
  ),
})
const unlessNone = ({ origins }: Current) => (origins.length > 0 ? null : 'acts.origin.none')
const choicesOf = ({ origins }: Current) => origins.map(({ origin }) => ({ id: origin }))

/** Every origin as it is afterwards. */
async function result(ctx: Context, _done: unknown, { merchantId, origin }: OfShop) {
  const origins = await listTrustedOrigins(ctx, merchantId)
  return { facts: { merchantId, origin, origins, approved: await listApprovedOrigins(ctx, merchantId) } }
}

export const add = act('origin add', {
  merchantId: shop(),
  origin: url({ placeholder: 'O', max: ORIGIN_MAX_CHARS }),
})({
  place: 'shop',
  current,
  blames: 'origin',
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    origin: ({ args }) => textFact('origin', args.origin),
  },
  run: (ctx, { merchantId, origin }) => addOrigin(ctx, merchantId, origin),
  result,
  helpExamples: ['--merchant mer_01... --origin https://office.shop.example'],
  examples: async ({ merchantId }) => [{ merchantId, origin: 'https://office.shop.example' }],
})

export const remove = act('origin remove', { merchantId: shop(), origin: choice({ placeholder: 'O' }) })({
  place: 'shop',
  current: trusted,
  notNow: unlessNone,
  choices: { origin: choicesOf },
  blames: 'origin',
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    origin: ({ args }) => textFact('origin', args.origin),
  },
  run: (ctx, { merchantId, origin }) => removeOrigin(ctx, merchantId, origin),
  result,
  helpExamples: ['--merchant mer_01... --origin https://office.shop.example'],
  examples: async ({ merchantId, origin }) => [{ merchantId, origin: await origin() }],
})

export const disapprove = act('origin disapprove', {
  merchantId: shop(),
  origin: choice({ placeholder: 'O' }),
})({
  place: 'shop',
  current: approved,
  notNow: unlessNone,
  choices: { origin: choicesOf },
  blames: 'origin',
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    origin: ({ args }) => textFact('origin', args.origin),
  },
  run: (ctx, { merchantId, origin }) => disapproveOrigin(ctx, merchantId, origin),
  result,
  helpExamples: ['--merchant mer_01... --origin https://shop.example'],
  examples: async ({ merchantId, origin }) => [{ merchantId, origin: await origin() }],
})

export const ORIGIN_ACTS: readonly AnyRow[] = [add, remove, disapprove]
