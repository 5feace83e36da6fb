/** The pages that are written for each request: the results of a search, and the page for a wrong address. */
import { LANGUAGES, type Language } from '../../contract/languages.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Contents } from './built.ts'
import { localeOfQuery, QUERY_MAX_CHARS, termsOf } from './query.ts'
import type { Found } from './search.ts'
import { HOME, renderDocsPage } from './shell.ts'
import { docsWords } from './words.ts'

/** `locale`: the language of the page on which somebody searched. Without one the letters of the query decide. */
export function searchPage(contents: Contents, query: string, found: Found[], locale?: Language): string {
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
  return renderDocsPage({ ...page, contents, query: asked, isPassing: true })
}

/** Returns the language that the form of a search names. */
export const localeNamed = (asked: unknown): Language | undefined =>
  (Object.keys(LANGUAGES) as Language[]).find((each) => each === asked)

const result = ({ page, heading, href, locale, excerpt }: Found): Markup => html`<li lang=${locale}>
  <a href=${href}>${heading}</a>${page === heading ? null : html` <span class="need">${page}</span>`}
  <p>${excerpt.map((piece, at) => (at % 2 === 1 ? html`<mark>${piece}</mark>` : piece))}</p>
</li>`

export function missingPage(contents: Contents): string {
  const title = 'There is no such page'
  const main = html`<h1>${title}</h1>
    <p>Search for what you need with the field at the top, or start at the <a href=${HOME}>contents</a>.</p>`
  const path = '/docs/missing'
  return renderDocsPage({ locale: 'en', title, description: '', path, main, contents, isPassing: true })
}
