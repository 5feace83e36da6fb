/**
 * The pages of the documentation: the home page, a guide, a part of the reference, search results, and the page for a wrong
 * address.
 */
import { LANGUAGES as LOCALES, type Language as Locale } from '../../contract/languages.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { ReferencePage } from '../reference/pages.ts'
import { LANGUAGES, type Language } from '../reference/samples.ts'
import { type Guide, translationsOf } from './guides.ts'
import { localeOfQuery, QUERY_MAX_CHARS, termsOf } from './query.ts'
import type { Found } from './search.ts'
import { type Contents, type DocsPage, HOME, renderDocsPage } from './shell.ts'
import { docsWords } from './words.ts'

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
    ...grouped(guides.map(({ path, title, group, locale }) => ({ href: path, title, group, locale }))),
    ...grouped(
      reference.map(({ path, title, group }) => ({
        href: `${path}${kept}`,
        title,
        group: `API: ${group}`,
        locale: 'en',
      })),
    ),
  ]
}

function grouped(all: { href: string; title: string; group: string; locale: Locale }[]): Contents {
  const groups = [...new Set(all.map(({ group }) => group))]
  return groups.map((title) => {
    const entries = all.filter(({ group }) => group === title)
    return { title, locale: entries[0]?.locale ?? 'en', entries }
  })
}

type Rendered = Omit<DocsPage, 'contents' | 'locale'> & { locale?: Locale }

function render(library: Library, page: Rendered, language?: string): string {
  return renderDocsPage({ locale: 'en', ...page, contents: contentsOf(library, language) })
}

export function homePage(library: Library): string {
  const { guides, reference, info } = library
  const groups = grouped(guides.map((guide) => ({ ...guide, href: guide.path })))
  const parts = [...new Set(reference.map(({ group }) => group))]
  const main = html`<h1>Kassa documentation</h1>
    <p class="lead">${info.summary} Read the guides, or look up an endpoint, a status or an error.</p>
    ${groups.map(
      ({ title, locale }) => html`<section class="shelf" lang=${locale}><h2>${title}</h2>
        <ul class="cards">${guides.filter((each) => each.group === title).map(guideCard)}</ul></section>`,
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

export function guidePage(library: Library, guide: Guide): string {
  const { path, title, summary, lead, body, locale } = guide
  const main = html`<article class="guide"><h1>${title}</h1>${inOtherLanguages(library, guide)}${lead}${onThisPage(guide)}${body}</article>`
  return render(library, { locale, title, description: summary, path, main })
}

function inOtherLanguages({ guides }: Library, guide: Guide): Markup {
  const others = translationsOf(guide, guides)
  if (others.length === 0) return null
  return html`<nav class="crumb" aria-label=${docsWords(guide.locale).otherLanguages}>
    ${others.map(({ path, locale }) => html`<a href=${path} lang=${locale} hreflang=${locale}>${LOCALES[locale].own}</a> `)}</nav>`
}

function onThisPage({ headings, locale }: Guide): Markup {
  const shown = headings.filter(({ depth }) => depth === 2)
  if (shown.length < HEADINGS_MIN) return null
  const { onThisPage: label } = docsWords(locale)
  return html`<nav class="on-page" aria-label=${label}><p class="label">${label}</p>
    <ul>${shown.map(({ id, text }) => html`<li><a href=${`#${id}`}>${text}</a></li>`)}</ul></nav>`
}

export function apiPage(library: Library, page: ReferencePage, language: string): string {
  const { title, summary, path, content } = page
  const main = html`<p class="crumb"><a href="/docs#api">API reference</a></p><h1>${title}</h1>${content(language)}`
  return render(library, { title, description: summary, path, main }, language)
}

/** `locale`: the language of the page on which somebody searched. Without one the letters of the query decide. */
export function searchPage(library: Library, query: string, found: Found[], locale?: Locale): string {
  const asked = query.slice(0, QUERY_MAX_CHARS).trim()
  const spoken = locale ?? localeOfQuery(asked)
  const words = docsWords(spoken)
  const nothing = termsOf(asked).length === 0
  const told = (found.length === 0 ? words.nothingFound : words.found).replace(
    '{count}',
    String(found.length),
  )
  const [before = '', after = ''] = told.split('{query}')
  const main = html`<h1>${words.search}</h1>
    ${nothing ? html`<p>${words.typeWords}</p>` : html`<p role="status">${before}<strong>${asked}</strong>${after}</p>`}
    ${!nothing && found.length === 0 ? html`<p><a href=${HOME}>${words.fewerWords}</a></p>` : null}
    <ol class="found">${found.map(result)}</ol>`
  const title = nothing ? words.search : `${words.search}: ${asked}`
  const page = { locale: spoken, title, description: words.searchLabel, path: '/docs/search', main }
  return render(library, { ...page, query: asked, isPassing: true })
}

const result = ({ page, heading, href, locale, excerpt }: Found): Markup => html`<li lang=${locale}>
  <a href=${href}>${heading}</a>${page === heading ? null : html` <span class="need">${page}</span>`}
  <p>${excerpt.map((piece, at) => (at % 2 === 1 ? html`<mark>${piece}</mark>` : piece))}</p>
</li>`

export function missingPage(library: Library): string {
  const main = html`<h1>There is no such page</h1>
    <p>Search for what you need with the field at the top, or start at the <a href=${HOME}>contents</a>.</p>`
  const page = { title: 'There is no such page', description: '', path: '/docs/missing', main }
  return render(library, { ...page, isPassing: true })
}
