/** The document around each screen of the console, in the look of the hosted pages. It has no inline style and no inline script. */
import { Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { LANGUAGES } from '../contract/languages.ts'
import { html, type Markup } from '../pages/html.ts'
import { LOCALES, type Locale } from '../pages/words/locale.ts'
import { say } from './words.ts'

type Framed = {
  locale: Locale
  title: string
  body: Markup
  /** The path and query of the screen. Absent: it cannot be shown again in another language, because it answered a form. */
  address?: string | undefined
}

export function renderScreen({ locale, title, body, address }: Framed): string {
  const document = html`<html lang=${locale}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex, nofollow" />
      <meta name="color-scheme" content="light dark" />
      <title>${title} · Kassa</title>
      <link rel="icon" href="/kassa.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/tokens.css" />
      <link rel="stylesheet" href="/pages.css" />
      <link rel="stylesheet" href="/desk.css" />
      <script type="module" src="/desk.js"></script>
    </head>
    <body class="console">
      <main class="desk">${body}</main>
      <footer class="foot">${address === undefined ? null : languageList(locale, address)}</footer>
    </body>
  </html>`
  return `<!doctype html>${renderToString(h(Fragment, null, document))}`
}

function languageList(locale: Locale, address: string): Markup {
  const [path, query] = address.split('?')
  const linkTo = (each: Locale) =>
    `${path}?${new URLSearchParams([...new URLSearchParams(query), ['locale', each]])}`
  return html`<nav aria-label=${say(locale, 'languages')}>
    <ul class="languages">
      ${LOCALES.map((each) =>
        each === locale
          ? html`<li lang=${each} aria-current="true">${LANGUAGES[each].own}</li>`
          : html`<li><a href=${linkTo(each)} lang=${each} hreflang=${each}>${LANGUAGES[each].own}</a></li>`,
      )}
    </ul>
  </nav>`
}
