/** The poster studio: the choices, and the paper as it is printed. */
import type { Mode } from '../../contract/health.ts'
import { LANGUAGES } from '../../contract/languages.ts'
import type { ProductRecord } from '../../merchants/product.ts'
import { translate } from '../../messages/translate.ts'
import type { Brand } from '../brand/brand.ts'
import { html, type Markup } from '../html.ts'
import { moreProducts } from '../install/install-page.ts'
import { selectField } from '../install/options.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import { shownProduct } from '../pay/shown-product.ts'
import { formatAmount, LOCALES, type Locale } from '../words/locale.ts'
import { languagesOf, type PosterChoice } from './choice.ts'
import { inEachLanguage, isTooLong, type Sheet, sheetOf } from './sheet.ts'

export type PosterView = {
  locale: Locale
  mode: Mode
  localeLinks: LocaleLinks
  publicKey: string
  /** The language in the page's own address. */
  chosenLocale?: string | undefined
  /** The shop in each language. */
  brands: Record<Locale, Brand>
  products: readonly ProductRecord[]
  /** Whether the shop has more products than the page shows. */
  hasMore: boolean
  product: ProductRecord
  choice: PosterChoice
  /** The approved short address of the product, else its pay link. `codeAddress`: the one in the QR code. */
  address: string
  codeAddress: string
}

const ASSETS = { styles: ['/install.css', '/poster.css'], script: '/poster.js' }
const PAPERS = {
  a4: 'install.posterPaperA4',
  a6: 'install.posterPaperA6',
  tent: 'install.posterPaperTent',
} as const

export function posterPage(view: PosterView): string {
  const { locale, mode, localeLinks, brands, product, publicKey } = view
  const back = `/install/${encodeURIComponent(publicKey)}?${new URLSearchParams({ product: product.id, locale })}`
  const name = shownProduct(product, locale).name
  const title = `${translate(locale, 'install.posterTitle')}: ${name} · ${brands[locale].name}`
  const body = html`<main class="workbench studio" data-testid="poster-page">
    <header class="not-printed">
      <h1>${translate(locale, 'install.posterTitle')}</h1>
      <p class="lead">${translate(locale, 'install.posterLead')} <a class="way" href=${back}>${translate(locale, 'install.posterBack')}</a></p>
    </header>
    <div class="parts">
      ${choiceForm(view)}
      <div id="poster">${preview(view)}</div>
    </div>
  </main>`
  return renderPage({
    locale,
    mode,
    localeLinks,
    title,
    body,
    look: 'install',
    assets: ASSETS,
    brand: brands[locale],
  })
}

function preview(view: PosterView): Markup {
  const { locale, choice, codeAddress } = view
  const sheet = describeSheet(view)
  return html`<section aria-labelledby="preview-title">
      <h2 id="preview-title" class="not-printed">${translate(locale, 'install.posterPreview')}</h2>
      ${sheetOf(sheet)}
      <p class="hint not-printed" role="status" id="paper-note">${translate(locale, PAPERS[choice.size])}</p>
      <div id="paper-warning" class="not-printed" role="status">${choice.size === 'a6' && isTooLong(codeAddress) ? html`<p class="alert" data-testid="too-long">${translate(locale, 'install.posterTooLong')}</p>` : null}</div>
      <div class="acts not-printed">
        <button type="button" class="button" hidden data-print>${translate(locale, 'install.print')}</button>
        <button type="button" class="button quiet" hidden data-share="address" data-address=${view.address}>${translate(locale, 'install.posterShareLink')}</button>
        <button type="button" class="button quiet" hidden data-save>${translate(locale, 'install.posterSave')}</button>
        <button type="button" class="button quiet" hidden data-share="picture">${translate(locale, 'install.posterShare')}</button>
        <span class="hint" data-without-script>${translate(locale, 'install.posterHint')}</span>
      </div>
    </section>`
}

/** Everything on the paper, in the languages of the paper. */
function describeSheet({ locale, mode, brands, product, choice, address, codeAddress }: PosterView): Sheet {
  const languages = languagesOf(choice)
  const { choice: chosenAmount, amountMinor, currency } = product
  const { picture = null } = shownProduct(product, locale)
  const [first = locale] = languages
  return {
    size: choice.size,
    mode,
    locale,
    languages,
    shop: inEachLanguage(languages, (each) => brands[each].name),
    name: inEachLanguage(languages, (each) => shownProduct(product, each).name),
    price: chosenAmount
      ? inEachLanguage(languages, (each) => translate(each, 'install.anyAmountPoster'))
      : inEachLanguage([first], (each) => formatAmount(amountMinor, currency, each)),
    logo: brands[locale].logo ?? null,
    photo: choice.isPhotoWanted ? picture : null,
    address,
    codeAddress,
  }
}

function choiceForm({ locale, chosenLocale, products, hasMore, product, choice }: PosterView): Markup {
  const labels = products.map((each) => [each.id, labelOf(each, locale)])
  const hasPhoto = product.display?.picture !== undefined
  return html`<form id="choices" class="card not-printed" method="get" autocomplete="off">
    ${chosenLocale ? html`<input type="hidden" name="locale" value=${chosenLocale} />` : null}
    ${
      products.length > 1
        ? selectField('product', translate(locale, 'install.product'), product.id, labels)
        : html`<input type="hidden" name="product" value=${product.id} />`
    }
    ${moreProducts(locale, hasMore)}
    ${chips(translate(locale, 'install.posterSize'), 'size', choice.size, [
      ['a4', translate(locale, 'install.posterA4')],
      ['a6', translate(locale, 'install.posterA6')],
      ['tent', translate(locale, 'install.posterTent')],
    ])}
    ${chips(translate(locale, 'install.posterTexts'), 'texts', choice.texts, [
      ...LOCALES.map((each): Option => [each, LANGUAGES[each].own, each]),
      ['all', translate(locale, 'install.posterAllTexts')],
    ])}
    <div id="photo-choice">
      ${
        hasPhoto
          ? chips(translate(locale, 'install.posterPhoto'), 'photo', choice.isPhotoWanted ? 'yes' : 'no', [
              ['yes', translate(locale, 'install.posterWithPhoto')],
              ['no', translate(locale, 'install.posterWithoutPhoto')],
            ])
          : html`<p class="hint">${translate(locale, 'install.posterNoPhoto')}</p>`
      }
    </div>
    <p data-without-script><button class="button" type="submit">${translate(locale, 'install.show')}</button></p>
  </form>`
}

function labelOf(product: ProductRecord, locale: Locale): string {
  const { choice, amountMinor, currency } = product
  const price = choice ? translate(locale, 'install.anyAmount') : formatAmount(amountMinor, currency, locale)
  return `${shownProduct(product, locale).name}, ${price}`
}

type Option = readonly [value: string, label: string, lang?: Locale]

/** A choice of few. Each option is as large as a finger. */
function chips(legend: string, name: string, chosen: string, options: readonly Option[]): Markup {
  return html`<fieldset class="chips">
    <legend>${legend}</legend>
    <div>
      ${options.map(
        ([value, label, lang]) => html`<label data-icon=${name === 'size' ? value : undefined}>
          <input type="radio" name=${name} value=${value} checked=${value === chosen} />
          ${name === 'size' ? sizeIcon(value) : null}
          <span lang=${lang}>${label}</span>
        </label>`,
      )}
    </div>
  </fieldset>`
}

const SHAPES: Record<string, string> = {
  a4: 'M5 2h14v20H5z',
  a6: 'M8 7h8v11H8z',
  tent: 'M6 4h12l3 14H3zM3 18l2 3h14l2-3',
}

const sizeIcon = (
  size: string,
) => html`<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
  <path d=${SHAPES[size]} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" />
</svg>`
