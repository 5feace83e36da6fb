/** The acts on the origins of a shop: those that calls of the API may carry, and those whose domains were reviewed. */
import type { Context } from '../../context.ts'
import {
  addOrigin,
  disapproveOrigin,
  isPage,
  listApprovedOrigins,
  listOrigins,
  listTrustedOrigins,
  ORIGIN_MAX_CHARS,
  type OriginRecord,
  removeOrigin,
} from '../../merchants/origin.ts'
import { type FactScene, shopFact, textFact } from '../../operator/approvals/facts.ts'
import { type AnyRow, act } from '../act.ts'
import { choice, shop, url } from '../input.ts'
import type { Scene } from '../scene.ts'

type Current = { origins: OriginRecord[] }
type OfShop = { merchantId: string; origin: string }

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
export async function originsAfter(ctx: Context, _done: unknown, { merchantId, origin }: OfShop) {
  const origins = await listTrustedOrigins(ctx, merchantId)
  return { facts: { merchantId, origin, origins, approved: await listApprovedOrigins(ctx, merchantId) } }
}

const shows = {
  merchantId: ({ ctx, args }: FactScene<OfShop>) => shopFact(ctx, args.merchantId),
  origin: ({ args }: FactScene<OfShop>) => textFact('origin', args.origin),
}

export const add = act('origin add', {
  merchantId: shop(),
  origin: url({ placeholder: 'O', max: ORIGIN_MAX_CHARS }),
})({
  place: 'shop',
  current,
  blames: 'origin',
  shows,
  run: (ctx, { merchantId, origin }) => addOrigin(ctx, merchantId, origin),
  result: originsAfter,
  helpExamples: ['--merchant mer_01... --origin https://office.shop.example'],
  examples: async ({ merchantId }) => [{ merchantId, origin: 'https://office.shop.example' }],
})

/** Both take back what the shop has. */
const CHOSEN = { merchantId: shop(), origin: choice({ placeholder: 'O' }) }
const takenBack = {
  place: 'shop',
  notNow: unlessNone,
  choices: { origin: choicesOf },
  blames: 'origin',
  shows,
  result: originsAfter,
  helpExamples: ['--merchant mer_01... --origin https://shop.example'],
  examples: async ({ merchantId, origin }: Scene) => [{ merchantId, origin: await origin() }],
} as const

export const remove = act(
  'origin remove',
  CHOSEN,
)({
  ...takenBack,
  current: trusted,
  run: (ctx, { merchantId, origin }) => removeOrigin(ctx, merchantId, origin),
})

export const disapprove = act(
  'origin disapprove',
  CHOSEN,
)({
  ...takenBack,
  current: approved,
  run: (ctx, { merchantId, origin }) => disapproveOrigin(ctx, merchantId, origin),
})

export const ORIGIN_ACTS: readonly AnyRow[] = [add, remove, disapprove]
