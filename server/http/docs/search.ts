/**
 * Searches all guides and the reference, cut at their headings, by an index of the library MiniSearch. Words that a page does not use
 * itself are in its line `keywords:`.
 */
import MiniSearch from 'minisearch'
import type { Language } from '../../contract/languages.ts'
import { FILLERS, localeOfQuery, plainWords, QUERY_MAX_CHARS, termsOf } from './query.ts'

/** A part of a page: one heading and the text below it. `forOwners`: whether it is of a guide for shop owners. */
export type Part = {
  page: string
  heading: string
  href: string
  locale: Language
  forOwners?: boolean
  text: string
  /** Of the first part of a page: words that are indexed and not shown. */
  keywords?: string
}

export type Found = Pick<Part, 'page' | 'heading' | 'href' | 'locale' | 'forOwners'> & {
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
/** Developers also search for names of the interface. Owners have only everyday words, so these lead to their guides first. */
const FOR_OWNERS = 1.5

/** `phrases`: the words of each part's heading. */
export type PartIndex = { parts: Part[]; phrases: string[]; index: MiniSearch<Part & { id: number }> }

export function indexParts(parts: Part[]): PartIndex {
  const index = new MiniSearch<Part & { id: number }>({
    fields: Object.keys(BOOST),
    tokenize: plainWords,
    processTerm: (term) => term,
  })
  index.addAll(parts.map((part, id) => ({ ...part, id })))
  return { parts, phrases: parts.map(({ heading }) => plainWords(heading).join(' ')), index }
}

/** Returns the parts that contain every word of the query, the best one first. */
export function search(
  { parts, phrases, index }: PartIndex,
  query: string,
  locale: Language = localeOfQuery(query),
): Found[] {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const phrase = plainWords(query.slice(0, QUERY_MAX_CHARS)).join(' ')
  const found = index.search(terms.join(' '), {
    boost: BOOST,
    combineWith: 'AND',
    prefix: (term) => term.length >= PREFIX_MIN_CHARS && !FILLERS.has(term),
    fuzzy: (term) => (term.length >= FUZZY_MIN_CHARS ? FUZZY : false),
    boostDocument: (id) => {
      const part = parts[id] as Part
      const exact = phrases[id] === phrase ? EXACT : 1
      return exact * (part.locale === locale ? 1 : FOREIGN) * (part.forOwners ? FOR_OWNERS : 1)
    },
  })
  return found.slice(0, RESULTS_MAX).map(({ id, terms: matched }) => {
    const { page, heading, href, locale: own, forOwners, text } = parts[id] as Part
    const shown = { page, heading, href, locale: own, excerpt: excerptOf(text, matched) }
    return forOwners === undefined ? shown : { ...shown, forOwners }
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

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }

/** Returns the parts of a rendered page: its text, cut at every heading that has an id. */
export function partsOf(
  markup: string,
  {
    page,
    path,
    keywords = '',
    ...about
  }: { page: string; path: string } & Pick<Part, 'locale' | 'forOwners' | 'keywords'>,
): Part[] {
  const pieces = markup.split(/<h[1-4] id="([^"]+)"[^>]*>([\s\S]*?)<\/h[1-4]>/)
  const [before = '', ...rest] = pieces
  const lead = { page, heading: page, href: path, ...about, keywords, text: textOf(before) }
  const parts: Part[] = [lead]
  for (let at = 0; at + 2 < rest.length; at += 3) {
    const [id = '', heading = '', text = ''] = rest.slice(at, at + 3)
    parts.push({ page, heading: textOf(heading), href: `${path}#${id}`, ...about, text: textOf(text) })
  }
  return parts.filter(({ text }) => text !== '')
}

/** Returns the text of markup that this service wrote. */
function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,;:)])/g, '$1')
    .trim()
}
