/**
 * Searches all guides and the reference, cut at their headings, by an index of the library MiniSearch. Words that a page does not use
 * itself are in its line `keywords:`.
 */
import MiniSearch, { type SearchResult } from 'minisearch'
import type { Language } from '../../contract/languages.ts'
import { FILLERS, localeOfQuery, plainWords, QUERY_MAX_CHARS, termsOf } from './query.ts'

/** A part of a page: one heading and the text below it. `weight`: how far it comes first, by who reads it. */
export type Part = {
  page: string
  heading: string
  href: string
  locale: Language
  weight: number
  text: string
  /** Words that are indexed and not shown. Only the first part of a page has them. */
  keywords?: string
}

export type Found = Pick<Part, 'page' | 'heading' | 'href' | 'locale'> & {
  /** Pieces of the text. Every second one is a word of the query. */
  excerpt: string[]
}

const RESULTS_MAX = 20
const EXCERPT_CHARS = 180
const BOOST = { keywords: 10, heading: 6, page: 2, text: 1 }
/** The heading is the query, word by word. */
const EXACT = 3
/** Shorter words, and fillers, match whole words only, because too many words begin like them. */
const PREFIX_MIN_CHARS = 3
/** A longer word also matches words that differ in a fifth of their letters: other endings, and mistyped words. */
const FUZZY_MIN_CHARS = 6
const FUZZY = 0.2
/** Pages in another language than the reader's come after the reader's own. */
const FOREIGN = 0.4

type Stored = Omit<Part, 'keywords'> & {
  /** The words of the heading. */
  phrase: string
}

/** The index that the build writes and the service loads. */
export const INDEX = {
  fields: Object.keys(BOOST),
  storeFields: ['page', 'heading', 'href', 'locale', 'weight', 'text', 'phrase'],
  tokenize: plainWords,
  processTerm: (term: string) => term,
}

export const phraseOf = (text: string): string => plainWords(text).join(' ')

/** Loads the index in small steps, because other requests must not wait for it. `json`: as the build wrote it. */
export const loadIndex = (json: string): Promise<MiniSearch> => MiniSearch.loadJSONAsync(json, INDEX)

/** Returns the parts that contain every word of the query, the best one first. */
export function search(index: MiniSearch, query: string, locale: Language = localeOfQuery(query)): Found[] {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const phrase = phraseOf(query.slice(0, QUERY_MAX_CHARS))
  const found = index.search(terms.join(' '), {
    boost: BOOST,
    combineWith: 'AND',
    prefix: (term) => term.length >= PREFIX_MIN_CHARS && !FILLERS.has(term),
    fuzzy: (term) => (term.length >= FUZZY_MIN_CHARS ? FUZZY : false),
    boostDocument: (_id, _term, stored) => {
      const part = stored as Stored
      const exact = part.phrase === phrase ? EXACT : 1
      return exact * (part.locale === locale ? 1 : FOREIGN) * part.weight
    },
  })
  return found.slice(0, RESULTS_MAX).map((each) => {
    const { page, heading, href, locale: own, text } = each as SearchResult & Stored
    return { page, heading, href, locale: own, excerpt: excerptOf(text, each.terms) }
  })
}

/** Returns the text around the first word that was found, cut so that the words are pieces of their own. */
function excerptOf(text: string, words: string[]): string[] {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(${words.join('|')})(?![\\p{L}\\p{N}_])`, 'giu')
  const first = Math.max(text.search(pattern), 0)
  const start = first < EXCERPT_CHARS / 3 ? 0 : text.indexOf(' ', first - EXCERPT_CHARS / 3) + 1
  const stop = start + EXCERPT_CHARS
  const end = text.length <= stop ? text.length : Math.max(text.lastIndexOf(' ', stop), first)
  const shown = `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
  return shown.split(pattern)
}
