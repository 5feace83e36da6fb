/**
 * The pages room: renders a typed view as a complete HTML document. It has no I/O, no Express and no clock. The documents
 * contain no script and no inline style, so the strictest content policy fits them.
 */

import { Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Mode } from '../contract/health.ts'
import { LANGUAGES } from '../contract/languages.ts'
import { translate } from '../messages/translate.ts'
import type { Brand } from './brand/brand.ts'
import { brandSheetAddress } from './brand/style.ts'
import { html, type Markup } from './html.ts'
import { ownOrWebAddress } from './web-address.ts'
import { LOCALES, type Locale } from './words/locale.ts'

/** The addresses of the same page in each language. Without them the page shows no list of languages. */
export type LocaleLinks = Partial<Record<Locale, string>>

export type Page = {
  locale: Locale
  title: string
  mode: Mode
  body: Markup
  /** The simulated bank must not look like the checkout, so that buyers see that they are on another site. */
  look?: 'checkout' | 'bank' | 'install'
  /** Style sheets and a script in addition to the usual ones. A script needs headers that allow it. */
  assets?: { styles: readonly string[]; script?: string }
  localeLinks?: LocaleLinks
  /** What a messenger shows when somebody shares the page's address. */
  preview?: { title: string; text: string; site: string; image?: string }
  /** The merchant whose colour the page has. */
  brand?: Pick<Brand, 'colour'> | undefined
  /** The sender of its form is checked by the origin, which a browser sends only together with the referrer. */
  namesItsOrigin?: boolean
}

export function renderPage(page: Page): string {
  const look = page.look ?? 'checkout'
  const document = html`<html lang=${page.locale}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex, nofollow" />
      <meta name="color-scheme" content="light dark" />
      ${page.namesItsOrigin ? html`<meta name="referrer" content="same-origin" />` : null}
      <title>${page.title}</title>
      ${page.preview ? previewTags(page.preview) : null}
      <link rel="icon" href="/kassa.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/tokens.css" />
      <link rel="stylesheet" href="/pages.css" />
      ${page.brand?.colour ? html`<link rel="stylesheet" href=${brandSheetAddress(page.brand.colour)} />` : null}
      ${page.assets?.styles.map((each) => html`<link rel="stylesheet" href=${each} />`)}
      ${page.assets?.script ? html`<script type="module" src=${page.assets.script}></script>` : null}
    </head>
    <body class=${look} data-mode=${page.mode}>
      ${page.mode === 'sandbox' ? ribbon(page.locale) : null}
      ${page.body}
      <footer class="foot">
        ${languageList(page)}
        ${look === 'checkout' ? html`<p>${translate(page.locale, 'pages.poweredBy')}</p>` : null}
      </footer>
    </body>
  </html>`
  return `<!doctype html>${renderToString(h(Fragment, null, document))}`
}

/** Messengers read the description and the Open Graph tags. The page stays out of search engines. */
function previewTags({ title, text, site, image }: NonNullable<Page['preview']>): Markup {
  return [
    html`<meta name="description" content=${text} />`,
    html`<meta property="og:type" content="website" />`,
    html`<meta property="og:title" content=${title} />`,
    html`<meta property="og:description" content=${text} />`,
    html`<meta property="og:site_name" content=${site} />`,
    ...(image ? [html`<meta property="og:image" content=${image} />`] : []),
    html`<meta name="twitter:card" content="summary" />`,
  ]
}

function ribbon(locale: Locale): Markup {
  return html`<aside class="ribbon" aria-label=${translate(locale, 'pages.ribbon')} data-testid="sandbox-ribbon">
    <p><strong>${translate(locale, 'pages.ribbon')}</strong> <span>${translate(locale, 'pages.ribbonText')}</span></p>
  </aside>`
}

function languageList({ locale, localeLinks }: Page): Markup {
  if (localeLinks === undefined) return null
  return html`<nav aria-label=${translate(locale, 'pages.languages')}>
    <ul class="languages">
      ${LOCALES.map((each) => languageItem(each, each === locale, localeLinks[each]))}
    </ul>
  </nav>`
}

function languageItem(each: Locale, isCurrent: boolean, link: string | undefined): Markup {
  const href = link === undefined ? undefined : ownOrWebAddress(link)
  const name = LANGUAGES[each].own
  if (isCurrent || href === undefined) {
    return isCurrent ? html`<li lang=${each} aria-current="true">${name}</li>` : null
  }
  return html`<li><a href=${href} lang=${each} hreflang=${each}>${name}</a></li>`
}
