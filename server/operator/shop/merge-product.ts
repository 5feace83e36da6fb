/** Merges a change into a product. A value that the change does not name stays, and an empty text removes the value. */
import type { CurrencyCode } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import type { AmountChoice, ProductDisplay, ProductRecord } from '../../merchants/product.ts'
import { smallestStep } from '../../merchants/sale-terms.ts'
import { readableAmount } from '../../payments/money.ts'
import type { Texts } from '../../storage/merchants/branding.ts'
import { differences, type Fact, type NamedText } from '../approvals/facts.ts'
import { askedLines, mergeAsked, type readAskedField, type readAskedLabel } from './asked-fields.ts'

export const PRODUCT_PARTS = ['names', 'description', 'picture', 'chosen-amount', 'fields', 'route'] as const

type Limits = { [Name in 'minMinor' | 'maxMinor' | 'stepMinor']?: number | undefined } & {
  suggestedMinor?: number[] | undefined
}
export type ProductWish = Limits & {
  merchantId: string
  id: string
  name: string
  names: Texts
  description?: string | undefined
  descriptions: Texts
  amountMinor: number
  currency: CurrencyCode
  maxQuantity?: number | undefined
  fields: readonly ReturnType<typeof readAskedField>[]
  fieldLabels: readonly ReturnType<typeof readAskedLabel>[]
  route?: NonNullable<ProductRecord['provider']> | undefined
  remove: readonly (typeof PRODUCT_PARTS)[number][]
}

/** @throws AppError validation_failed for what does not go together */
export function mergeProduct(before: ProductRecord | null, wish: ProductWish): ProductRecord {
  const { merchantId, id, name, amountMinor, currency, route, maxQuantity, remove } = wish
  return {
    merchantId,
    id,
    name,
    amountMinor,
    currency,
    provider: route ?? (remove.includes('route') ? null : (before?.provider ?? null)),
    display: displayOf(before?.display ?? {}, wish),
    choice: remove.includes('chosen-amount') ? null : choiceOf(before, wish),
    maxQuantity: maxQuantity ?? before?.maxQuantity ?? 1,
  }
}

function displayOf(before: ProductDisplay, wish: ProductWish): ProductDisplay {
  const { description, fields: needs, fieldLabels, remove } = wish
  const kept = (part: (typeof PRODUCT_PARTS)[number]): ProductDisplay => (remove.includes(part) ? {} : before)
  const names = withoutEmpty({ ...kept('names').names, ...wish.names })
  const descriptions = withoutEmpty({ ...kept('description').descriptions, ...wish.descriptions })
  const text = description ?? kept('description').description ?? ''
  const fields = mergeAsked(kept('fields').fields ?? {}, needs, fieldLabels)
  const { picture } = kept('picture')
  return {
    ...(names && { names }),
    ...(text !== '' && { description: text }),
    ...(descriptions && { descriptions }),
    ...(picture && { picture }),
    ...(Object.keys(fields).length > 0 && { fields }),
  }
}

function withoutEmpty(texts: Texts): Texts | null {
  const given = Object.entries(texts).filter(([, text]) => text !== '')
  return given.length > 0 ? Object.fromEntries(given) : null
}

/** The limits that were given, or those that the product had in the same currency. @throws AppError for those of another currency */
function choiceOf(before: ProductRecord | null, wish: ProductWish): AmountChoice | null {
  const { currency, minMinor: least, maxMinor: greatest, stepMinor, suggestedMinor } = wish
  const old = before?.currency === currency ? before.choice : null
  if (before?.choice && !old && (least === undefined || greatest === undefined))
    throw new AppError('validation_failed', {
      message: `The limits between which the buyer chooses the amount are in ${before.currency}. Give --min-amount and --max-amount in ${currency}, or take the choice away: --remove chosen-amount.`,
    })
  if ([least, greatest, stepMinor, suggestedMinor].every((each) => each === undefined)) return old ?? null
  const minMinor = least ?? old?.minMinor
  const maxMinor = greatest ?? old?.maxMinor
  if (minMinor === undefined || maxMinor === undefined)
    throw new AppError('validation_failed', {
      message: 'A buyer can choose the amount only within limits: give --min-amount and --max-amount.',
    })
  return {
    minMinor,
    maxMinor,
    stepMinor: stepMinor ?? old?.stepMinor ?? smallestStep(currency),
    suggestedMinor: suggestedMinor ?? old?.suggestedMinor ?? [],
  }
}

/** The differences, for the person who looks at the change before it is made. `isPictured`: it replaces the picture. */
export function productChanges(
  before: ProductRecord | null,
  after: ProductRecord,
  isPictured: boolean,
): Fact[] {
  const picture: Fact[] = isPictured ? [{ name: 'picture', after: { word: 'yes' } }] : []
  const changes = differences(before && linesOf(before), linesOf(after))
  return [{ name: 'product', after: { text: after.id } }, ...changes, ...picture]
}

function linesOf({
  name,
  amountMinor,
  currency,
  provider,
  display = {},
  choice,
  maxQuantity,
}: ProductRecord): NamedText[] {
  const { names = {}, description, descriptions = {}, fields = {}, picture } = display
  const sum = (minor: number) => readableAmount(minor, currency)
  const given: (NamedText | null | undefined | false | '')[] = [
    { name: 'name', text: name },
    ...Object.entries(names).map(([of, text]): NamedText => ({ name: 'name', of, text })),
    description !== undefined && { name: 'description', text: description },
    ...Object.entries(descriptions).map(([of, text]): NamedText => ({ name: 'description', of, text })),
    { name: 'price', text: sum(amountMinor) },
    choice && {
      name: 'chosenAmount',
      text: `${sum(choice.minMinor)} – ${sum(choice.maxMinor)}, ${sum(choice.stepMinor)}`,
    },
    choice &&
      choice.suggestedMinor.length > 0 && {
        name: 'suggested',
        text: choice.suggestedMinor.map(sum).join(', '),
      },
    maxQuantity !== undefined && maxQuantity > 1 && { name: 'quantity', text: String(maxQuantity) },
    Object.keys(fields).length > 0 && { name: 'asked', text: askedLines(fields).join('; ') },
    provider && { name: 'route', text: provider },
    picture && { name: 'picture', text: picture.id },
  ]
  return given.filter((line): line is NamedText => Boolean(line))
}
