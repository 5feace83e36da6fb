/**
 * The paper of a poster: the same markup on the screen and in print. Its sizes are parts of its width, so both look alike.
 * Rule: every area of colour is SVG, because printers leave backgrounds out.
 */
import type { Mode } from '../../contract/health.ts'
import { translate } from '../../messages/translate.ts'
import type { ShownPicture } from '../brand/brand.ts'
import { html, type Markup } from '../html.ts'
import { addressCode, codeFigure } from '../qr-code.ts'
import type { Locale } from '../words/locale.ts'
import type { PosterSize } from './choice.ts'

export type Sheet = {
  size: PosterSize
  mode: Mode
  /** The language of what is for the shop and not for buyers, such as where to fold. */
  locale: Locale
  languages: readonly Locale[]
  shop: readonly LocaleText[]
  name: readonly LocaleText[]
  price: readonly LocaleText[]
  logo: ShownPicture | null
  photo: ShownPicture | null
  /** For people who type it. `codeAddress`: for scanners, in letters that addresses have. */
  address: string
  codeAddress: string
}

/** Modules with the white around them, up to which a code has its room. A phone reads modules of 1.8 mm at arm's length. */
const CODE_STEPS = { short: 37, usual: 45, long: 53 }

/** True if the modules of the code are smaller on A6 than a phone reads easily. */
export const isTooLong = (address: string): boolean => addressCode(address).side > CODE_STEPS.long

export function sheetOf(sheet: Sheet): Markup {
  const { size, languages, photo, name, codeAddress, locale } = sheet
  const { side } = addressCode(codeAddress)
  const code = side <= CODE_STEPS.short ? 'short' : side <= CODE_STEPS.usual ? 'usual' : 'long'
  return html`<div class="paper" data-size=${size} data-code=${code} data-photo=${photo ? 'yes' : 'no'}
    data-name=${lengthOf(name)} data-languages=${languages.length} data-testid="paper">
    ${
      size === 'tent'
        ? html`<div class="face back" aria-hidden="true">${face(sheet)}</div>
            <div class="face front">${face(sheet)}</div>
            ${foldLine()}${foldLine()}
            <div class="base">
              <p lang=${locale}>${translate(locale, 'install.posterFold')}</p>
            </div>`
        : html`<div class="face front">${face(sheet)}</div>`
    }
  </div>`
}

function face(sheet: Sheet): Markup {
  const { languages, shop, name, price, logo, photo, address, codeAddress } = sheet
  const act = inEachLanguage(languages, (each) => translate(each, 'install.posterAct'))
  const title = translate(sheet.locale, 'install.posterCode', { name: name[0]?.text ?? '' })
  return html`${testMark(sheet)}
    <div class="about">
      ${photo ? html`<img class="photo" data-shape=${photo.height > photo.width ? 'tall' : 'wide'} src=${photo.address} width=${photo.width} height=${photo.height} alt="" data-part="photo" />` : null}
      <div class="words">
        <p class="shop-line">
          ${logo ? html`<img class="logo" data-ground=${logo.ground} src=${logo.address} width=${logo.width} height=${logo.height} alt="" data-part="logo" />` : null}
          <span class="each">${textLines(shop, 'shop')}</span>
        </p>
        <p class="name each">${textLines(name, 'name')}</p>
        <p class="price each" data-length=${lengthOf(price)}>${textLines(price, 'price')}</p>
      </div>
    </div>
    <div class="scan">
      <div class="code">${corners()}${codeFigure(addressCode(codeAddress), title)}</div>
    </div>
    <div class="band">
      ${fill()}
      <p class="act each">${textLines(act, 'act')}</p>
      <p class="link" data-part="link" data-testid="poster-link">${address.replace(/^https:\/\//, '')}</p>
    </div>`
}

/** A poster of test mode may hang among real ones. So the mark is as wide as the paper, and it is text between drawn stripes. */
function testMark({ mode, languages }: Sheet): Markup {
  if (mode !== 'sandbox') return null
  const marks = inEachLanguage(languages, (each) =>
    languages.length > 1
      ? translate(each, 'pages.ribbon')
      : `${translate(each, 'pages.ribbon')} · ${translate(each, 'pages.ribbonText')}`,
  )
  return html`<div class="test" data-testid="test-mark">
    ${stripes()}
    <p>${textLines(marks, 'test')}</p>
    ${stripes()}
  </div>`
}

const STRIPES = Array.from({ length: 34 }, (_, at) => `M${at * 6 - 2} 4l4-4h3l-4 4z`).join('')

const stripes =
  () => html`<svg class="stripes" viewBox="0 0 200 4" preserveAspectRatio="none" aria-hidden="true">
  <rect width="200" height="4" /><path d=${STRIPES} />
</svg>`

const fill = () => html`<svg class="fill" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
  <rect width="1" height="1" />
</svg>`

/** Like the finder of a camera. They stand outside the white that belongs to the code. */
const corners = () => html`<svg class="corners" viewBox="0 0 100 100" aria-hidden="true">
  <path d="M1 13V5a4 4 0 0 1 4-4h8M87 1h8a4 4 0 0 1 4 4v8M99 87v8a4 4 0 0 1-4 4h-8M13 99H5a4 4 0 0 1-4-4v-8" />
</svg>`

const foldLine =
  () => html`<svg class="fold" viewBox="0 0 200 1" preserveAspectRatio="none" aria-hidden="true">
  <path d="M0 .5h200" />
</svg>`

/** A text on the paper. The paper may have it in several languages at once. */
type LocaleText = { locale: Locale; text: string }

/** Returns the text in each language. A text that two languages share is there once. */
export function inEachLanguage(
  languages: readonly Locale[],
  textIn: (locale: Locale) => string,
): LocaleText[] {
  const all = languages.map((locale) => ({ locale, text: textIn(locale) }))
  return all.filter(({ text }, at) => all.findIndex((other) => other.text === text) === at)
}

/** One line for each language. `part`: the name by which the script finds the line. */
const textLines = (texts: readonly LocaleText[], part: string): Markup[] =>
  texts.map(({ locale, text }) => html`<span lang=${locale} data-part=${part}><bdi>${text}</bdi></span>`)

/** The longest of the texts decides how large all of them can be. */
function lengthOf(texts: readonly LocaleText[]): 'short' | 'middle' | 'long' {
  const longest = Math.max(...texts.map(({ text }) => [...text].length))
  if (longest > 36) return 'long'
  return longest > 16 ? 'middle' : 'short'
}
