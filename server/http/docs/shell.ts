/** The frame of every page of the documentation: the bar with the search, the contents, the page itself. No script. */
import { Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { html, type Markup } from '../../pages/html.ts'
import { QUERY_MAX_CHARS } from './search.ts'

export type Entry = { href: string; title: string }
export type Contents = { title: string; entries: Entry[] }[]

export type DocsPage = {
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
const NAME = 'Kassa documentation'

/** Renders markup as a complete text. */
export const renderMarkup = (markup: Markup): string => renderToString(h(Fragment, null, markup))

export function renderDocsPage(page: DocsPage): string {
  const { title, description, path, contents, main, query = '' } = page
  const list = () => contentsList(contents, path)
  const document = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      ${page.isPassing ? html`<meta name="robots" content="noindex" />` : null}
      <title>${title === NAME ? NAME : `${title} · ${NAME}`}</title>
      <meta name="description" content=${description} />
      <link rel="icon" href="/kassa.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/tokens.css" />
      <link rel="stylesheet" href="/docs.css" />
    </head>
    <body>
      <a class="skip" href="#content">Skip to the content</a>
      <header class="bar">
        <a class="mark" href=${HOME}><img src="/kassa.svg" alt="" width="24" height="24" /> Kassa</a>
        ${searchForm(query)}
      </header>
      <div class="frame">
        <nav class="side" aria-label="Contents">
          <details class="contents"><summary>Contents</summary>${list()}</details>
          <div class="wide">${list()}</div>
        </nav>
        <main id="content" tabindex="-1">${main}${neighbours(contents, path)}</main>
      </div>
    </body>
  </html>`
  return `<!doctype html>${renderMarkup(document)}`
}

function searchForm(query: string): Markup {
  return html`<form class="find" role="search" action="/docs/search" method="get">
    <input type="search" name="q" value=${query} maxlength=${QUERY_MAX_CHARS} required
      aria-label="Search the documentation" placeholder="Search" autocomplete="off" />
    <button>Search</button>
  </form>`
}

/** Returns the address without its query, because the language of the examples does not make it another page. */
const placeOf = (href: string) => href.split('?')[0]

function contentsList(contents: Contents, path: string): Markup {
  return html`${contents.map(
    ({ title, entries }) => html`<p class="label">${title}</p>
      <ul>${entries.map(
        ({ href, title: name }) =>
          html`<li><a href=${href} aria-current=${placeOf(href) === path ? 'page' : null}>${name}</a></li>`,
      )}</ul>`,
  )}`
}

function neighbours(contents: Contents, path: string): Markup {
  const all = contents.flatMap(({ entries }) => entries)
  const at = all.findIndex(({ href }) => placeOf(href) === path)
  if (at === -1) return null
  const [before, after] = [all[at - 1], all[at + 1]]
  return html`<nav class="neighbours" aria-label="Previous and next page">
    ${before ? html`<a rel="prev" href=${before.href}><span>Previous</span> ${before.title}</a>` : null}
    ${after ? html`<a rel="next" href=${after.href}><span>Next</span> ${after.title}</a>` : null}
  </nav>`
}
