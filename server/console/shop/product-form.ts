/** The form of a product: its fields, and the product that a person has written into them. */
import { inEachLanguage } from '../../acts/languages.ts'
import { CURRENCY_CODES, type CurrencyCode, PROVIDER_ROUTES } from '../../contract/fields.ts'
import { LANGUAGES } from '../../contract/languages.ts'
import { AppError } from '../../errors.ts'
import { type AskedFields, BUYER_FIELDS, type ProductRecord } from '../../merchants/product.ts'
import { smallestStep } from '../../merchants/sale-terms.ts'
import { html, type Markup } from '../../pages/html.ts'
import { LOCALES, type Locale } from '../../pages/words/locale.ts'
import { parsePrice } from '../../payments/money.ts'
import { field, pictureField, selectField, textArea, tick } from '../form-parts.ts'
import type { OwnVisit } from '../page.ts'
import { typedAmount } from '../typed-amount.ts'
import { translate } from '../words/translate.ts'

type Form = OwnVisit['form']
const NEEDS = ['off', 'optional', 'required'] as const

const [firstCurrency] = CURRENCY_CODES as [CurrencyCode]

const readCurrency = (text: string | undefined): CurrencyCode =>
  CURRENCY_CODES.find((each) => each === text) ?? firstCurrency

/** The fields as they were sent, else as the product has them. */
export function productFields(visit: OwnVisit, product: ProductRecord | null): Markup {
  const { locale, form } = visit
  const { name, currency, display = {}, maxQuantity = 1 } = product ?? { name: '', currency: undefined }
  const isSent = form.name !== undefined
  const value = (key: string, stored = '') => (isSent ? (form[key] ?? '') : stored)
  const price = product ? typedAmount(product.amountMinor, product.currency) : ''
  return html`
    ${field({ name: 'name', label: translate(locale, 'productName'), value: value('name', name) })}
    <div class="pair">
      ${field({ name: 'price', label: translate(locale, 'productPrice'), value: value('price', price), inputmode: 'decimal', hint: translate(locale, 'productPriceHint') })}
      ${selectField(
        'currency',
        translate(locale, 'productCurrency'),
        CURRENCY_CODES.map((each) => [each, each] as const),
        value('currency', currency ?? firstCurrency),
      )}
    </div>
    ${pictureField(visit, 'picture', translate(locale, 'productPhoto'))}
    ${display.picture ? tick('withoutPicture', translate(locale, 'productPhotoRemove')) : null}
    ${textArea({ name: 'description', label: translate(locale, 'productDescription'), value: value('description', display.description), hint: translate(locale, 'productDescriptionHint'), isOptional: true })}
    ${askedPart(locale, value, display.fields ?? {})}
    <details class="more">
      <summary>${translate(locale, 'productLanguages')}</summary>
      <p class="hint">${translate(locale, 'productLanguagesHint')}</p>
      ${LOCALES.map((each) => textArea({ name: `description-${each}`, label: translate(locale, 'productDescriptionIn', { language: LANGUAGES[each].own }), value: value(`description-${each}`, display.descriptions?.[each]), isOptional: true, lang: each }))}
      ${LOCALES.map((each) => field({ name: `name-${each}`, label: translate(locale, 'productNameIn', { language: LANGUAGES[each].own }), value: value(`name-${each}`, display.names?.[each]), isOptional: true, lang: each }))}
    </details>
    <details class="more">
      <summary>${translate(locale, 'productChosen')}</summary>
      ${chosenPart(locale, value, product)}
    </details>
    <details class="more">
      <summary>${translate(locale, 'productRoute')}</summary>
      <p class="hint">${translate(locale, 'productRouteHint')}</p>
      ${selectField(
        'route',
        translate(locale, 'productRoute'),
        [
          ['', translate(locale, 'productRouteUsual')],
          ...PROVIDER_ROUTES.map((each) => [each, routeText(each)] as const),
        ],
        value('route', product?.provider ?? ''),
      )}
    </details>
    ${field({ name: 'most', label: translate(locale, 'productMost'), value: value('most', String(maxQuantity)), inputmode: 'numeric', hint: translate(locale, 'productMostHint') })}`
}

const routeText = (route: string) => route.replaceAll('_', ' ')

type Value = (key: string, stored?: string) => string

function askedPart(locale: Locale, value: Value, fields: AskedFields): Markup {
  const needOf = (each: (typeof BUYER_FIELDS)[number]) =>
    fields[each] ? (fields[each].isRequired ? 'required' : 'optional') : 'off'
  return html`<fieldset class="asked">
      <legend>${translate(locale, 'productAsks')}</legend>
      <p class="hint">${translate(locale, 'productAsksHint')}</p>
      <div class="pair">
        ${BUYER_FIELDS.map((each) =>
          selectField(
            `ask-${each}`,
            translate(locale, `ask_${each}`),
            NEEDS.map((need) => [need, translate(locale, `ask_${need}`)] as const),
            value(`ask-${each}`, needOf(each)),
          ),
        )}
      </div>
      <details class="more">
        <summary>${translate(locale, 'productOwnWords')}</summary>
        ${BUYER_FIELDS.flatMap((each) =>
          LOCALES.map((language) =>
            field({
              name: `words-${each}-${language}`,
              label: translate(locale, 'productAskIn', {
                field: translate(locale, `ask_${each}`),
                language: LANGUAGES[language].own,
              }),
              value: value(`words-${each}-${language}`, fields[each]?.labels?.[language]),
              isOptional: true,
              lang: language,
            }),
          ),
        )}
      </details>
    </fieldset>`
}

function chosenPart(locale: Locale, value: Value, product: ProductRecord | null): Markup {
  const stored = (minor: number | undefined) =>
    minor === undefined || !product ? '' : typedAmount(minor, product.currency)
  const amount = (name: string, label: string, minor: number | undefined) =>
    field({ name, label, value: value(name, stored(minor)), inputmode: 'decimal', isOptional: true })
  return html`<p class="hint">${translate(locale, 'productChosenHint')}</p>
    <div class="pair">
      ${amount('least', translate(locale, 'productLeast'), product?.choice?.minMinor)}
      ${amount('greatest', translate(locale, 'productGreatest'), product?.choice?.maxMinor)}
    </div>
    ${amount('step', translate(locale, 'productStep'), product?.choice?.stepMinor)}
    ${textArea({ name: 'suggested', label: translate(locale, 'productSuggested'), value: value('suggested', (product?.choice?.suggestedMinor ?? []).map(stored).join('\n')), hint: translate(locale, 'productSuggestedHint'), isOptional: true })}`
}

/**
 * Reads the wish of the person. An empty field removes what was there. A form of the version before lacks the route, the step,
 * suggested amounts and descriptions, which then stay as they are. @throws AppError validation_failed
 */
export function readProduct({ form, file }: Pick<OwnVisit, 'form' | 'file'>): object {
  const currency = readCurrency(form.currency)
  const isWhole = form.route !== undefined
  const route = PROVIDER_ROUTES.find((each) => each === form.route)
  const picture = file('picture')
  const choice = readChoice(form, currency, isWhole)
  const removed = {
    picture: form.withoutPicture === 'yes' && !picture,
    'chosen-amount': choice === null,
    route: isWhole && !route,
  }
  return {
    name: form.name?.trim() ?? '',
    ...textsOf(form, 'name'),
    description: form.description?.trim() ?? '',
    ...(isWhole && textsOf(form, 'description')),
    amountMinor: parsePrice(form.price ?? '', currency),
    currency,
    ...choice,
    maxQuantity: readQuantityMax(form.most ?? ''),
    ...readAsked(form),
    ...(route && { route }),
    ...(picture && { picture }),
    remove: Object.entries(removed).flatMap(([part, isRemoved]) => (isRemoved ? [part] : [])),
  }
}

/** An empty field is one piece at once. @throws AppError validation_failed for anything but a whole number */
function readQuantityMax(text: string): number {
  const typed = text.trim()
  if (typed === '') return 1
  if (/^\d{1,3}$/.test(typed)) return Number(typed)
  throw new AppError('validation_failed', {
    reason: 'quantity_wrong',
    message: 'The most at once must be a whole number.',
  })
}

const textsOf = (form: Form, prefix: string) =>
  inEachLanguage(prefix, (code) => form[`${prefix}-${code}`]?.trim() ?? '')

/** The fields with their words, as the command has them. */
function readAsked(form: Form) {
  const isAsked = (each: string) => form[`ask-${each}`] === 'optional' || form[`ask-${each}`] === 'required'
  const asked = BUYER_FIELDS.filter(isAsked)
  return {
    fields: BUYER_FIELDS.map((each) => `${each}=${isAsked(each) ? form[`ask-${each}`] : 'off'}`),
    fieldLabels: asked.flatMap((each) =>
      LOCALES.map((code) => `${each}:${code}=${form[`words-${each}-${code}`]?.trim() ?? ''}`),
    ),
  }
}

/** Null: the price is fixed. Without a step it is the smallest amount that people pay. @throws AppError validation_failed */
function readChoice(form: Form, currency: CurrencyCode, isWhole: boolean) {
  const { least = '', greatest = '', step = '', suggested = '' } = form
  if (least.trim() === '' && greatest.trim() === '') return null
  const limits = { minMinor: parsePrice(least, currency), maxMinor: parsePrice(greatest, currency) }
  if (!isWhole) return limits
  const offered = suggested.split('\n').flatMap((line) => line.trim() || [])
  return {
    ...limits,
    stepMinor: step.trim() === '' ? smallestStep(currency) : parsePrice(step, currency),
    suggestedMinor: offered.map((each) => parsePrice(each, currency)),
  }
}
