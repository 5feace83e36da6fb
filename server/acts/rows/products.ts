/** The acts on what a shop sells. Its pages ask for them. */
import { CURRENCY_CODES, PROVIDER_ROUTES } from '../../contract/fields.ts'
import { installPageUrl, listInstallations } from '../../merchants/installation.ts'
import { readPicture } from '../../merchants/picture.ts'
import { changeProduct, isSamePrice, type ProductRecord, removeProduct } from '../../merchants/product.ts'
import { QUANTITY_MAX } from '../../merchants/sale-terms.ts'
import { shopFact, textFact } from '../../operator/approvals/facts.ts'
import { routeWarning } from '../../operator/routes.ts'
import { readAskedField, readAskedLabel } from '../../operator/shop/asked-fields.ts'
import { mergeProduct, PRODUCT_PARTS, productChanges } from '../../operator/shop/merge-product.ts'
import { presentProduct } from '../../operator/views/product.ts'
import { findProduct, wasRemoved } from '../../storage/merchants/products.ts'
import { type AnyRow, act } from '../act.ts'
import {
  allBound,
  amount,
  amounts,
  count,
  file,
  type Given,
  linesRead,
  oneOfNeeded,
  oneOfOrNone,
  optionalAmount,
  optionalText,
  severalOf,
  shop,
  text,
} from '../input.ts'
import { byLanguage, inEachLanguage } from '../languages.ts'

const optionalSum = (flag: string, placeholder: string) =>
  optionalAmount({ flag, placeholder, currencyOf: 'currency' })

const INPUT = {
  merchantId: shop(),
  id: text({ placeholder: 'P' }),
  name: text({ placeholder: 'N' }),
  ...inEachLanguage('name', () => optionalText({ placeholder: 'N' })),
  description: optionalText({ placeholder: 'TEXT' }),
  ...inEachLanguage('description', () => optionalText({ placeholder: 'TEXT' })),
  picture: file({ placeholder: 'FILE' }),
  amountMinor: amount({ flag: 'amount', placeholder: '15.00', currencyOf: 'currency' }),
  currency: oneOfNeeded(CURRENCY_CODES, { placeholder: 'USD' }),
  minMinor: optionalSum('minAmount', '5.00'),
  maxMinor: optionalSum('maxAmount', '500.00'),
  stepMinor: optionalSum('step', '1.00'),
  suggestedMinor: amounts({ flag: 'suggest', placeholder: '10.00', currencyOf: 'currency' }),
  maxQuantity: count({ placeholder: 'N', most: QUANTITY_MAX }),
  fields: linesRead(readAskedField, { flag: 'field', placeholder: 'F=NEED' }),
  fieldLabels: linesRead(readAskedLabel, { flag: 'fieldLabel', placeholder: 'F:LANG=TEXT' }),
  route: oneOfOrNone(PROVIDER_ROUTES, { placeholder: 'R' }),
  remove: severalOf(PRODUCT_PARTS, { placeholder: 'PART', isOptional: true }),
  seen: optionalText({ placeholder: 'V' }),
}
type Wanted = Given<typeof INPUT>

/** What cannot be given and removed at once. */
const EITHER = {
  route: ['route'],
  picture: ['picture'],
  'chosen-amount': ['minMinor', 'maxMinor', 'stepMinor', 'suggestedMinor'],
} as const

const merged = (given: Wanted) => (before: ProductRecord | null) =>
  mergeProduct(before, {
    ...given,
    names: byLanguage('name', given),
    descriptions: byLanguage('description', given),
    fields: (given.fields ?? []).map(readAskedField),
    fieldLabels: (given.fieldLabels ?? []).map(readAskedLabel),
    remove: given.remove ?? [],
  })

/** A new product, or other texts, limits or another price. What is not said stays as it is, and an empty text ends one. */
export const set = act(
  'product set',
  INPUT,
)({
  wrong(given) {
    const isBoth = (part: keyof typeof EITHER) => EITHER[part].some((name) => given[name] !== undefined)
    const removed = given.remove ?? []
    return removed.some((part) => part in EITHER && isBoth(part as keyof typeof EITHER)) ? 'remove' : null
  },
  /** Another price decides how much buyers pay. A wholly new product has no other one; one that was removed before may have. */
  async factorFor({ db }, given) {
    const { merchantId, id } = given
    const before = await findProduct(db, merchantId, id)
    const after = merged(given)(before)
    const isPriced = before ? !isSamePrice(before, after) : await wasRemoved(db, merchantId, id)
    const { amountMinor, currency, choice = null } = after
    return isPriced ? { merchantId, id, amountMinor, currency, choice } : null
  },
  shows: {
    ...allBound(INPUT),
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    // With what it changes.
    async id({ ctx, args }) {
      const before = await findProduct(ctx.db, args.merchantId, args.id)
      return productChanges(before, merged(args)(before), args.picture !== undefined)
    },
  },
  async run(ctx, given) {
    const { merchantId, id, seen } = given
    const picture = given.picture && (await readPicture('product', given.picture, 'picture'))
    const merge = (before: ProductRecord | null) => {
      const product = merged(given)(before)
      return picture ? { ...product, display: { ...product.display, picture: picture.picture } } : product
    }
    return changeProduct(ctx, { merchantId, id }, merge, { seen, picture })
  },
  async result(ctx, { before, product }, { merchantId, id, route }) {
    const warning = routeWarning(ctx, route)
    const pages = (await listInstallations(ctx, merchantId))
      .filter(({ revokedAt }) => !revokedAt)
      .map(({ publicKey }) => `  ${installPageUrl(ctx, publicKey)}?product=${encodeURIComponent(id)}`)
    const isStale =
      before !== null && (before.amountMinor !== product.amountMinor || before.currency !== product.currency)
    return {
      facts: { merchantId, product: presentProduct(ctx, product), ...(warning && { warning }) },
      textValues: { isStale: String(isStale), pages: pages.join('\n') || 'none' },
    }
  },
  helpExamples: [
    '--merchant mer_01... --id tea --name "Thyme tea" --amount 1900 --currency AMD',
    '--merchant mer_01... --id cup --name "Cup" --name-ru "Чашка" --picture cup.jpg --amount 15.00 --currency USD --max-quantity 6',
    '--merchant mer_01... --id cup --name "Cup" --amount 15.00 --currency USD --field name=required phone=optional address=required --field-label "address:en=Where shall we send it?"',
    '--merchant mer_01... --id gift --name "Donation" --amount 2000 --currency AMD --min-amount 500 --max-amount 500000 --step 100 --suggest 1000 2000 5000',
  ],
  examples: async ({ merchantId }) => [
    {
      merchantId,
      id: 'jam',
      name: 'Jam',
      nameRu: 'Варенье',
      amountMinor: 700,
      currency: 'USD',
      maxQuantity: 6,
    },
    {
      merchantId,
      id: 'tea',
      name: 'Thyme tea',
      description: 'From the mountains',
      descriptionRu: 'С гор',
      amountMinor: 2_000,
      currency: 'USD',
      minMinor: 500,
      maxMinor: 5_000,
      stepMinor: 100,
      suggestedMinor: [1_000, 2_000],
      fields: ['name=required', 'address=optional'],
      fieldLabels: ['address:en=Where to?'],
      route: 'route_a',
    },
    {
      merchantId,
      id: 'tea',
      name: 'Tea',
      amountMinor: 1_900,
      currency: 'USD',
      remove: ['chosen-amount', 'fields'],
    },
  ],
})

/** The page of the product asks for it. */
export const remove = act('product remove', { merchantId: shop(), id: text({ placeholder: 'P' }) })({
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

export const PRODUCT_ACTS: readonly AnyRow[] = [set, remove]
