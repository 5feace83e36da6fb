/** The pages that are written for each request: the results of a search, and the page for a wrong address. */
import { LANGUAGES, type Language } from '../../contract/languages.ts'
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Contents } from './built.ts'
import { localeOfQuery, QUERY_MAX_CHARS, termsOf } from './query.ts'
import type { Found } from './search.ts'
import { HOME, renderDocsPage } from './shell.ts'

/** `locale`: the language of the page on which somebody searched. Without one the letters of the query decide. */
export function searchPage(contents: Contents, query: string, found: Found[], locale?: Language): string {
  const searched = query.slice(0, QUERY_MAX_CHARS).trim()
  const spoken = locale ?? localeOfQuery(searched)
  const search = translate(spoken, 'docs.search')
  const nothing = termsOf(searched).length === 0
  // The page marks the query, so the sentence is split around it.
  const facts = { query: '\0', count: found.length }
  const summary = translate(spoken, found.length === 0 ? 'docs.nothingFound' : 'docs.found', facts)
  const [before = '', after = ''] = summary.split(facts.query)
  const main = html`<h1>${search}</h1>
    ${nothing ? html`<p>${translate(spoken, 'docs.typeWords')}</p>` : html`<p role="status">${before}<strong>${searched}</strong>${after}</p>`}
    ${!nothing && found.length === 0 ? html`<p><a href=${HOME}>${translate(spoken, 'docs.fewerWords')}</a></p>` : null}
    <ol class="found">${found.map(result)}</ol>`
  const title = nothing ? search : `${search}: ${searched}`
  const page = {
    locale: spoken,
    title,
    description: translate(spoken, 'docs.searchLabel'),
    path: '/docs/search',
    main,
  }
  return renderDocsPage({ ...page, contents, query: searched, isPassing: true })
}

/** Returns the language that the form of a search names. */
export const localeNamed = (name: unknown): Language | undefined =>
  (Object.keys(LANGUAGES) as Language[]).find((each) => each === name)

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
