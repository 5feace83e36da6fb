/** `product set`: creates or changes a product. */
import type { Context } from '../../context.ts'
import { CURRENCY_CODES, type CurrencyCode, PROVIDER_ROUTES } from '../../contract/fields.ts'
import type { Language } from '../../contract/languages.ts'
import { AppError } from '../../errors.ts'
import { installPageUrl, listInstallations } from '../../merchants/installation.ts'
import { readPicture } from '../../merchants/picture.ts'
import {
  type AmountChoice,
  changeProduct,
  type ProductDisplay,
  type ProductRecord,
} from '../../merchants/product.ts'
import { QUANTITY_MAX, smallestStep } from '../../merchants/sale-terms.ts'
import { routeWarning } from '../../operator/routes.ts'
import { parseTypedAmount } from '../../payments/money.ts'
import { ADMIN, verb } from '../command.ts'
import { FIELD_FLAGS, fieldsOf } from '../field-flags.ts'
import {
  count,
  givenLanguages,
  MERCHANT,
  optional,
  optionalChoice,
  perLanguage,
  repeatable,
  required,
  requiredChoice,
  severalChoices,
} from '../flag.ts'
import { readGivenFile } from '../given-file.ts'
import { pairs, paragraphs } from '../layout.ts'
import { ID, presentProduct, productLines } from './product.ts'

const REMOVABLE = ['names', 'description', 'picture', 'chosen-amount', 'fields', 'route'] as const

export const set = verb({
  name: 'set',
  needs: 'operator',
  summary: 'Create a product, or change its texts, price or limits',
  flags: {
    merchant: MERCHANT,
    id: ID,
    name: required('N', 'the name that buyers see, in every language without a name of its own'),
    ...perLanguage('name', (language) => optional('N', `the name on ${language} pages`)),
    description: optional('TEXT', 'a few sentences for buyers'),
    ...perLanguage('description', (language) => optional('TEXT', `the description on ${language} pages`)),
    picture: optional('FILE', 'a PNG, JPEG, WebP or GIF picture of at most 5 MB'),
    amount: required('15.00', 'the price; where the buyer chooses the amount, the one that is filled in'),
    currency: requiredChoice('USD', 'the currency of the price', CURRENCY_CODES),
    minAmount: optional('5.00', 'the buyer chooses the amount: the smallest one'),
    maxAmount: optional('500.00', 'the greatest amount that a buyer may choose'),
    step: optional('1.00', 'the step between amounts; default the smallest unit that is paid'),
    suggest: repeatable('10.00', 'an amount to offer as a button'),
    maxQuantity: {
      ...count('N', 'how many a buyer may take at once', { max: QUANTITY_MAX, fallback: 1 }),
      read: (texts: string[]) => (texts.length === 0 ? undefined : readQuantity(texts)),
    },
    ...FIELD_FLAGS,
    route: optionalChoice(
      'R',
      'the provider route of its payments; a product without one uses that of the installation or of the service',
      PROVIDER_ROUTES,
    ),
    remove: severalChoices('PART', 'a part to remove', REMOVABLE),
    seen: optional('V', 'only if the product still has this version of the list; none: only a new product'),
  },
  examples: [
    '--merchant mer_01... --id tea --name "Thyme tea" --amount 1900 --currency AMD',
    '--merchant mer_01... --id cup --name "Cup" --name-ru "Чашка" --picture cup.jpg --amount 15.00 --currency USD --max-quantity 6',
    '--merchant mer_01... --id cup --name "Cup" --amount 15.00 --currency USD --field name=required phone=optional address=required --field-label "address:en=Where shall we send it?"',
    '--merchant mer_01... --id gift --name "Donation" --amount 2000 --currency AMD --min-amount 500 --max-amount 500000 --step 100 --suggest 1000 2000 5000',
  ],
  async run(ctx, given) {
    const { merchant: merchantId, id, name, amount: text, currency, route, remove = [] } = given
    refuseContradiction(given, remove)
    const amountMinor = parseTypedAmount(text, currency)
    const picture =
      given.picture === undefined
        ? undefined
        : await readPicture('product', await readGivenFile(given.picture), 'picture')
    const merge = (now: ProductRecord | null): ProductRecord => {
      const fields = fieldsOf(given, remove.includes('fields') ? {} : now?.display?.fields)
      return {
        merchantId,
        id,
        name,
        amountMinor,
        currency,
        provider: route ?? (remove.includes('route') ? null : (now?.provider ?? null)),
        display: {
          ...displayOf(given, now?.display ?? {}, remove),
          ...(picture && { picture: picture.picture }),
          ...(Object.keys(fields).length > 0 && { fields }),
        },
        choice: remove.includes('chosen-amount') ? null : choiceOf(given, now),
        maxQuantity: given.maxQuantity ?? now?.maxQuantity ?? 1,
      }
    }
    const options = { seen: given.seen, picture }
    const { before, product: stored } = await changeProduct(ctx, { merchantId, id }, merge, options)
    const product = presentProduct(ctx, stored)
    const hasNewPrice = before?.amountMinor !== amountMinor || before.currency !== currency
    const warning = routeWarning(ctx, route)
    return {
      json: { merchantId, product, ...(warning && { warning }) },
      text: paragraphs(
        'New payments use this price. Earlier payments keep their price.',
        pairs([...productLines(product), ['Merchant', merchantId]]),
        warning,
        before && hasNewPrice && STALE_TEXT,
        await nextStep(ctx, merchantId, id),
      ),
    }
  },
})

/** What cannot be given and removed at once. A text or a field that is given takes the place of those that are removed. */
const EITHER = {
  route: ['route'],
  picture: ['picture'],
  'chosen-amount': ['minAmount', 'maxAmount', 'step', 'suggest'],
} as const

/** @throws AppError validation_failed */
function refuseContradiction(
  given: Partial<Record<(typeof EITHER)[keyof typeof EITHER][number], string | string[] | undefined>>,
  removed: readonly string[],
): void {
  for (const [part, names] of Object.entries(EITHER))
    if (removed.includes(part) && names.some((name) => (given[name]?.length ?? 0) > 0))
      throw new AppError('validation_failed', {
        message: `--remove ${part} takes away what another flag of this command sets. Give one of them.`,
      })
}

const readQuantity = count('N', '', { max: QUANTITY_MAX, fallback: 1 }).read

type Given = Record<`${'name' | 'description'}${Capitalize<Language>}`, string | undefined> & {
  description?: string | undefined
}

function displayOf(
  given: Given,
  before: ProductDisplay,
  removed: readonly (typeof REMOVABLE)[number][],
): ProductDisplay {
  const { description } = given
  const { fields: _, ...kept } = before
  if (removed.includes('names')) delete kept.names
  if (removed.includes('picture')) delete kept.picture
  if (removed.includes('description')) {
    delete kept.description
    delete kept.descriptions
  }
  const names = { ...kept.names, ...givenLanguages('name', given) }
  const descriptions = { ...kept.descriptions, ...givenLanguages('description', given) }
  return {
    ...kept,
    ...(Object.keys(names).length > 0 && { names }),
    ...(description !== undefined && { description }),
    ...(Object.keys(descriptions).length > 0 && { descriptions }),
  }
}

/** The limits that were given, or those that the product had in the same currency. @throws AppError for those of another currency */
function choiceOf(
  given: {
    currency: CurrencyCode
    minAmount: string | undefined
    maxAmount: string | undefined
    step: string | undefined
    suggest: string[]
  },
  before: ProductRecord | null,
): AmountChoice | null {
  const { currency, minAmount, maxAmount, step, suggest } = given
  const old = before?.currency === currency ? before.choice : null
  if (before?.choice && !old && (minAmount === undefined || maxAmount === undefined))
    throw new AppError('validation_failed', {
      message: `The limits between which the buyer chooses the amount are in ${before.currency}. Give --min-amount and --max-amount in ${currency}, or take the choice away: --remove chosen-amount.`,
    })
  if (minAmount === undefined && maxAmount === undefined && step === undefined && suggest.length === 0)
    return old ?? null
  const minMinor = minAmount === undefined ? old?.minMinor : parseTypedAmount(minAmount, currency)
  const maxMinor = maxAmount === undefined ? old?.maxMinor : parseTypedAmount(maxAmount, currency)
  if (minMinor === undefined || maxMinor === undefined)
    throw new AppError('validation_failed', {
      message: 'A buyer can choose the amount only within limits: give --min-amount and --max-amount.',
    })
  return {
    minMinor,
    maxMinor,
    stepMinor:
      step === undefined ? (old?.stepMinor ?? smallestStep(currency)) : parseTypedAmount(step, currency),
    suggestedMinor:
      suggest.length === 0
        ? (old?.suggestedMinor ?? [])
        : suggest.map((each) => parseTypedAmount(each, currency)),
  }
}

const STALE_TEXT =
  'The price in a page (price="...") is only text. It does not change by itself, so change it there too. Buyers pay the new price.'

/** The install pages with the text to paste, or the command that creates a public key. */
async function nextStep(ctx: Context, merchantId: string, productId: string): Promise<string> {
  const installations = await listInstallations(ctx, merchantId)
  const pages = installations
    .filter(({ revokedAt }) => !revokedAt)
    .map(({ publicKey }) => `  ${installPageUrl(ctx, publicKey)}?product=${encodeURIComponent(productId)}`)
  if (pages.length > 0) return `The install page shows its button and the text to paste:\n${pages.join('\n')}`
  return `Next, create a public key for the pages that sell it:\n  ${ADMIN} installation create --merchant ${merchantId} --origin https://shop.example`
}
