/**
 * Searches all guides and the reference, cut at their headings. The index knows each word by a number, and a query looks at the
 * list of all words once. Reading the texts themselves for every synonym took up to 30 ms, which any visitor could cause.
 */
import type { Language } from '../../contract/languages.ts'
import { localeOfQuery, plainWords, type Term, termsOf } from './query.ts'

/** A part of a page: one heading and the text below it. `forOwners`: whether it is of a guide for shop owners. */
export type Part = {
  page: string
  heading: string
  href: string
  locale: Language
  forOwners?: boolean
  text: string
}

export type Found = Omit<Part, 'text'> & {
  /** Pieces of the text. Every second one is a word of the query. */
  excerpt: string[]
}

const RESULTS_MAX = 20
const EXCERPT_CHARS = 180
/** A word in a heading counts more than the same word in the text. */
const WEIGHTS = { exact: 40, heading: 12, page: 6, text: 1 }
const TEXT_HITS_MAX = 3
/** Pages in another language than the reader's come after the reader's own. */
const FOREIGN = 0.4
/** Developers also search for names of the interface. Owners have only everyday words, so these lead to their guides first. */
const FOR_OWNERS = 1.25

type Entry = { part: Part; heading: Uint32Array; page: Uint32Array; text: Uint32Array }
/** `words`: all words of the documents. The entries have their places in this list, in the order of the text. */
export type PartIndex = { words: string[]; entries: Entry[] }

export function indexParts(parts: Part[]): PartIndex {
  const places = new Map<string, number>()
  const placeOf = (word: string): number => {
    const place = places.get(word) ?? places.size
    places.set(word, place)
    return place
  }
  const read = (text: string) => Uint32Array.from(plainWords(text), placeOf)
  const entries = parts.map((part) => ({
    part,
    heading: read(part.heading),
    page: read(part.page),
    text: read(part.text),
  }))
  return { words: [...places.keys()], entries }
}

/** Returns the parts that contain every word of the query, the best one first. */
export function search(index: PartIndex, query: string, locale: Language = localeOfQuery(query)): Found[] {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const weights = terms.map((term) => Float64Array.from(index.words, (word) => weightOf(word, term)))
  const phrase = plainWords(query).join(' ')
  const scored = index.entries.flatMap((entry) => {
    const score = scoreOf(entry, weights)
    if (score === 0) return []
    const { part } = entry
    const exact = plainWords(part.heading).join(' ') === phrase ? WEIGHTS.exact : 0
    const factor = (part.locale === locale ? 1 : FOREIGN) * (part.forOwners ? FOR_OWNERS : 1)
    return [{ part, score: (score + exact) * factor }]
  })
  return scored
    .sort((left, right) => right.score - left.score)
    .slice(0, RESULTS_MAX)
    .map(({ part: { text, ...rest } }) => ({ ...rest, excerpt: excerptOf(text, terms) }))
}

/** Returns 0 if the word is none of the term's spellings. */
function weightOf(word: string, { spellings }: Term): number {
  return spellings.find(({ matches }) => matches(word))?.weight ?? 0
}

/** Returns 0 if a word is missing, or if only the page's title has the words: all parts of a page share its title. */
function scoreOf({ heading, page, text }: Entry, weights: Float64Array[]): number {
  let sum = 0
  let hasOwn = false
  for (const weight of weights) {
    const own =
      WEIGHTS.heading * hitsOf(heading, weight, 1) + WEIGHTS.text * hitsOf(text, weight, TEXT_HITS_MAX)
    const ofPage = WEIGHTS.page * hitsOf(page, weight, 1)
    if (own + ofPage === 0) return 0
    hasOwn ||= own > 0
    sum += own + ofPage
  }
  return hasOwn ? sum : 0
}

/** Returns how often the best spelling that occurs does so, up to `max`, times the weight of that spelling. */
function hitsOf(places: Uint32Array, weight: Float64Array, max: number): number {
  let best = 0
  let count = 0
  for (const place of places) {
    const here = weight[place] ?? 0
    if (here > best) [best, count] = [here, 1]
    else if (here > 0 && here === best) count += 1
  }
  return best * Math.min(count, max)
}

/** Returns the text around the first word that was found, cut so that the words are pieces of their own. */
function excerptOf(text: string, terms: Term[]): string[] {
  const patterns = terms.flatMap(({ spellings }) => spellings.map(({ pattern }) => pattern))
  const pattern = new RegExp(`(${patterns.join('|')})`, 'giu')
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
  { page, path, ...about }: { page: string; path: string } & Pick<Part, 'locale' | 'forOwners'>,
): Part[] {
  const pieces = markup.split(/<h[1-4] id="([^"]+)"[^>]*>([\s\S]*?)<\/h[1-4]>/)
  const [before = '', ...rest] = pieces
  const lead = { page, heading: page, href: path, ...about, text: textOf(before) }
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
