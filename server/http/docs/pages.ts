/**
 * The pages of the documentation: the home page, a guide, a part of the reference, search results, and the page for a wrong
 * address.
 */
import { html, type Markup } from '../../pages/html.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { ReferencePage } from '../reference/pages.ts'
import { LANGUAGES, type Language } from '../reference/samples.ts'
import type { Guide } from './guides.ts'
import { type Found, QUERY_MAX_CHARS, termsOf } from './search.ts'
import { type Contents, type DocsPage, HOME, renderDocsPage } from './shell.ts'

export type Library = { guides: Guide[]; reference: ReferencePage[]; info: OpenApiDocument['info'] }

/** A page with fewer headings needs no table of contents. */
const HEADINGS_MIN = 3

const DEFAULT_LANGUAGE: Language['id'] = LANGUAGES[0]?.id ?? ''

/** Returns the language that `?in=` names, or the first one. */
export function languageOf(asked: unknown): Language['id'] {
  return LANGUAGES.find(({ id }) => id === asked)?.id ?? DEFAULT_LANGUAGE
}

/** Returns the contents that every page shows. Links to the reference keep the language that the reader has chosen. */
function contentsOf({ guides, reference }: Library, language = DEFAULT_LANGUAGE): Contents {
  const kept = language === DEFAULT_LANGUAGE ? '' : `?in=${language}`
  return [
    ...grouped(guides.map(({ path, title, group }) => ({ href: path, title, group }))),
    ...grouped(
      reference.map(({ path, title, group }) => ({ href: `${path}${kept}`, title, group: `API: ${group}` })),
    ),
  ]
}

function grouped(all: { href: string; title: string; group: string }[]): Contents {
  const groups = [...new Set(all.map(({ group }) => group))]
  return groups.map((title) => ({ title, entries: all.filter(({ group }) => group === title) }))
}

function render(library: Library, page: Omit<DocsPage, 'contents'>, language?: string): string {
  return renderDocsPage({ ...page, contents: contentsOf(library, language) })
}

export function homePage(library: Library): string {
  const { guides, reference, info } = library
  const groups = [...new Set(guides.map(({ group }) => group))]
  const parts = [...new Set(reference.map(({ group }) => group))]
  const main = html`<h1>Kassa documentation</h1>
    <p class="lead">${info.summary} Read the guides, or look up an endpoint, a status or an error.</p>
    ${groups.map(
      (group) => html`<section class="shelf"><h2>${group}</h2>
        <ul class="cards">${guides.filter((each) => each.group === group).map(guideCard)}</ul></section>`,
    )}
    <section class="shelf"><h2 id="api">API reference</h2>
      <p>Contract version ${info.version}. For programs there is <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
      ${parts.map(
        (group) => html`<h3 id=${`tag-${group}`}>${group}</h3>
          <ul class="rows">${reference.filter((each) => each.group === group).map(referenceRow)}</ul>`,
      )}</section>`
  return render(library, { title: 'Kassa documentation', description: info.summary, path: HOME, main })
}

const guideCard = ({ path, title, summary }: Guide): Markup =>
  html`<li><a href=${path}>${title}</a><p>${summary}</p></li>`

/** The id is the anchor that this part had when the reference was one page, so that old links still work. */
const referenceRow = ({ path, id, title, summary, endpoint }: ReferencePage): Markup =>
  html`<li id=${id}><a href=${path}>${title}</a> ${endpoint ? html`<code>${endpoint}</code>` : html`<span>${summary}</span>`}</li>`

export function guidePage(library: Library, { path, title, summary, headings, lead, body }: Guide): string {
  const main = html`<article class="guide"><h1>${title}</h1>${lead}${onThisPage(headings)}${body}</article>`
  return render(library, { title, description: summary, path, main })
}

function onThisPage(headings: Guide['headings']): Markup {
  const shown = headings.filter(({ depth }) => depth === 2)
  if (shown.length < HEADINGS_MIN) return null
  return html`<nav class="on-page" aria-label="On this page"><p class="label">On this page</p>
    <ul>${shown.map(({ id, text }) => html`<li><a href=${`#${id}`}>${text}</a></li>`)}</ul></nav>`
}

export function apiPage(library: Library, page: ReferencePage, language: string): string {
  const { title, summary, path, content } = page
  const main = html`<p class="crumb"><a href="/docs#api">API reference</a></p><h1>${title}</h1>${content(language)}`
  return render(library, { title, description: summary, path, main }, language)
}

export function searchPage(library: Library, query: string, found: Found[]): string {
  const asked = query.slice(0, QUERY_MAX_CHARS).trim()
  const nothing = termsOf(asked).length === 0
  const count = found.length === 1 ? '1 result' : `${found.length} results`
  const main = html`<h1>Search</h1>
    ${nothing ? html`<p>Type one or more words into the field at the top.</p>` : html`<p role="status">${found.length === 0 ? 'Nothing holds all of these words' : count} for <strong>${asked}</strong>.</p>`}
    ${!nothing && found.length === 0 ? html`<p>Try fewer or shorter words, such as <a href="/docs/search?q=refund">refund</a>, or read the <a href=${HOME}>contents</a>.</p>` : null}
    <ol class="found">${found.map(result)}</ol>`
  const title = nothing ? 'Search' : `Search: ${asked}`
  const page = { title, description: 'Search the documentation.', path: '/docs/search', main }
  return render(library, { ...page, query: asked, isPassing: true })
}

const result = ({ page, heading, href, excerpt }: Found): Markup => html`<li>
  <a href=${href}>${heading}</a>${page === heading ? null : html` <span class="need">${page}</span>`}
  <p>${excerpt.map((piece, at) => (at % 2 === 1 ? html`<mark>${piece}</mark>` : piece))}</p>
</li>`

export function missingPage(library: Library): string {
  const main = html`<h1>There is no such page</h1>
    <p>Search for what you need with the field at the top, or start at the <a href=${HOME}>contents</a>.</p>`
  const page = { title: 'There is no such page', description: '', path: '/docs/missing', main }
  return render(library, { ...page, isPassing: true })
}
