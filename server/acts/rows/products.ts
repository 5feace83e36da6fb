/** The acts on what a shop sells. */
import { removeProduct } from '../../merchants/product.ts'
import { shopFact, textFact } from '../../operator/approvals/facts.ts'
import { type AnyRow, act } from '../act.ts'
import { shop, text } from '../input.ts'

/** The page of the product asks for it. */
export const remove = act('product remove', { merchantId: shop(), id: text({ placeholder: 'P' }) })({
  place: null,
  current: async () => ({}),
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    id: ({ args }) => textFact('product', args.id),
  },
  run: (ctx, { merchantId, id }) => removeProduct(ctx, merchantId, id),
  result: async (_ctx, _done, { merchantId, id: productId }) => ({
    facts: { merchantId, productId, removed: true },
  }),
  helpExamples: ['--merchant mer_01... --id tea'],
  examples: async ({ merchantId }) => [{ merchantId, id: 'tea' }],
})

export const PRODUCT_ACTS: readonly AnyRow[] = [remove]
