/** The acts on a shop itself. */
import { getMerchant, MERCHANT_NAME_MAX_CHARS, renameMerchant } from '../merchants/merchant.ts'
import { shopFact, textFact } from '../operator/approvals/facts.ts'
import { type AnyRow, act } from './act.ts'
import { shop, text } from './input.ts'

export const rename = act('merchant rename', {
  merchantId: shop(),
  name: text({ placeholder: 'NAME', max: MERCHANT_NAME_MAX_CHARS }),
})({
  place: 'shop',
  current: getMerchant,
  blames: 'name',
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    name: async ({ ctx, args }) =>
      textFact('name', args.name, (await getMerchant(ctx, args.merchantId)).name),
  },
  async run(ctx, { merchantId, name }) {
    const before = await getMerchant(ctx, merchantId)
    return { before: before.name, after: await renameMerchant(ctx, merchantId, name) }
  },
  result: async (_ctx, { before, after }) => ({
    facts: { merchantId: after.id, name: after.name, before },
  }),
  helpExamples: ['--merchant mer_01... --name "The tea house"'],
  examples: async ({ merchantId }) => [{ merchantId, name: 'The tea house' }],
})

export const MERCHANT_ACTS: readonly AnyRow[] = [rename]
