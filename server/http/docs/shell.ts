/** The frame of every page of the documentation: the bar with the search, the contents, the page itself. No script. */

import { Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Language } from '../../contract/languages.ts'
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../../pages/html.ts'
import { type Contents, IN_LANGUAGE } from './built.ts'
import { QUERY_MAX_CHARS } from './query.ts'

export type DocsPage = {
  locale: Language
  title: string
  description: string
  /** The page's own address. The contents mark it, and its end links the previous and the next page. */
  path: string
  contents: Contents
  main: Markup
  /** The search query. */
  query?: string
  /** True if search engines should leave it out. */
  isPassing?: boolean
}

export const HOME = '/docs'

/** Renders markup as a complete text. */
export const renderMarkup = (markup: Markup): string => renderToString(h(Fragment, null, markup))

export function renderDocsPage(page: DocsPage): string {
  const { locale, title, description, path, contents, main, query = '' } = page
  const name = translate(locale, 'docs.name')
  const list = () => contentsList(contents, path)
  const document = html`<html lang=${locale}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      ${page.isPassing ? html`<meta name="robots" content="noindex" />` : null}
      <title>${title === name ? title : `${title} · ${name}`}</title>
      <meta name="description" content=${description} />
      <link rel="icon" href="/kassa.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/tokens.css" />
      <link rel="stylesheet" href="/docs.css" />
      <script defer src="/docs.js" data-copy=${translate(locale, 'install.copy')} data-copied=${translate(locale, 'install.copied')}></script>
    </head>
    <body>
      <a class="skip" href="#content">${translate(locale, 'docs.skip')}</a>
      <header class="bar">
        <a class="mark" href=${HOME}><img src="/kassa.svg" alt="" width="24" height="24" /> Kassa</a>
        ${searchForm(query, page)}
      </header>
      <div class="frame">
        <nav class="side" aria-label=${translate(locale, 'docs.contents')}>
          <details class="contents"><summary>${translate(locale, 'docs.contents')}</summary>${list()}</details>
          <div class="wide">${list()}</div>
        </nav>
        <main id="content" tabindex="-1">${main}${neighbours(contents, path, locale)}</main>
      </div>
    </body>
  </html>`
  return `<!doctype html>${renderMarkup(document)}`
}

function searchForm(query: string, { locale }: Pick<DocsPage, 'locale'>): Markup {
  const search = translate(locale, 'docs.search')
  return html`<form class="find" role="search" action="/docs/search" method="get">
    <input type="search" name="q" value=${query} maxlength=${QUERY_MAX_CHARS} required
      aria-label=${translate(locale, 'docs.searchLabel')} placeholder=${search} autocomplete="off" />
    ${locale === 'en' ? null : html`<input type="hidden" name="locale" value=${locale} />`}
    <button>${search}</button>
  </form>`
}

/** The language of the examples does not make it another page. */
const placeOf = (href: string) => href.replace(IN_LANGUAGE, '')

function contentsList(contents: Contents, path: string): Markup {
  return html`${contents.map(
    ({ title, locale, entries }) => html`<div lang=${locale}><p class="label">${title}</p>
      <ul>${entries.map(
        ({ href, title: name }) =>
          html`<li><a href=${href} aria-current=${placeOf(href) === path ? 'page' : null}>${name}</a></li>`,
      )}</ul></div>`,
  )}`
}

function neighbours(contents: Contents, path: string, spoken: Language): Markup {
  const all = contents.flatMap(({ locale, entries }) => entries.map((entry) => ({ ...entry, locale })))
  const at = all.findIndex(({ href }) => placeOf(href) === path)
  if (at === -1) return null
  const [before, after] = [all[at - 1], all[at + 1]]
  return html`<nav class="neighbours" aria-label=${translate(spoken, 'docs.neighbours')}>
    ${before ? html`<a rel="prev" href=${before.href}><span>${translate(spoken, 'docs.previous')}</span> <b lang=${before.locale}>${before.title}</b></a>` : null}
    ${after ? html`<a rel="next" href=${after.href}><span>${translate(spoken, 'docs.next')}</span> <b lang=${after.locale}>${after.title}</b></a>` : null}
  </nav>`
}
