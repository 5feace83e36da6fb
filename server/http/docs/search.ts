/**
 * Searches all guides and the reference. It reads the text of every page, cut at its headings, from start to end for each
 * query. The documents are a few hundred kilobytes, so this takes about a millisecond and needs no index.
 */

/** A part of a page: one heading and the text below it. */
export type Part = { page: string; heading: string; href: string; text: string }

export type Found = Omit<Part, 'text'> & {
  /** Pieces of the text. Every second one is a word of the query. */
  excerpt: string[]
}

export const QUERY_MAX_CHARS = 80
const TERMS_MAX = 6
const RESULTS_MAX = 20
const EXCERPT_CHARS = 180
/** A word in a heading counts more than the same word in the text. */
const WEIGHTS = { exact: 40, heading: 12, page: 6, text: 1 }
const TEXT_HITS_MAX = 3

export type PartIndex = { part: Part; heading: string; page: string; text: string }[]

export function indexParts(parts: Part[]): PartIndex {
  return parts.map((part) => ({
    part,
    heading: part.heading.toLowerCase(),
    page: part.page.toLowerCase(),
    text: part.text.toLowerCase(),
  }))
}

/** Returns the words of a query: at most TERMS_MAX of its first QUERY_MAX_CHARS characters. */
export function termsOf(query: string): string[] {
  const words = query.slice(0, QUERY_MAX_CHARS).toLowerCase().split(/\s+/).filter(Boolean)
  return [...new Set(words)].slice(0, TERMS_MAX)
}

/** Returns the parts that contain every word of the query, the best one first. */
export function search(index: PartIndex, query: string): Found[] {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const phrase = terms.join(' ')
  const scored = index.flatMap((entry) => {
    const scores = terms.map((term) => scoreOf(entry, term))
    const holdsAll = scores.every(({ own, page }) => own + page > 0)
    // All parts of a page share its title. A part in which only the title matches is not about the words.
    if (!holdsAll || scores.every(({ own }) => own === 0)) return []
    const exact = entry.heading === phrase ? WEIGHTS.exact : 0
    return [{ part: entry.part, score: scores.reduce((sum, { own, page }) => sum + own + page, exact) }]
  })
  return scored
    .sort((left, right) => right.score - left.score)
    .slice(0, RESULTS_MAX)
    .map(({ part: { text, ...rest } }) => ({ ...rest, excerpt: excerptOf(text, terms) }))
}

/** `page`: the score of the words in the page's title. `own`: the score of the part's own heading and text. */
function scoreOf({ heading, page, text }: PartIndex[number], term: string): { own: number; page: number } {
  const inHeading = heading.includes(term) ? WEIGHTS.heading : 0
  const hits = Math.min(TEXT_HITS_MAX, text.split(term, TEXT_HITS_MAX + 1).length - 1)
  return { own: inHeading + hits * WEIGHTS.text, page: page.includes(term) ? WEIGHTS.page : 0 }
}

/** Returns the text around the first word that was found, cut so that the words are pieces of their own. */
function excerptOf(text: string, terms: string[]): string[] {
  const lower = text.toLowerCase()
  const hits = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const first = hits.length > 0 ? Math.min(...hits) : 0
  const start = first < EXCERPT_CHARS / 3 ? 0 : text.indexOf(' ', first - EXCERPT_CHARS / 3) + 1
  const stop = start + EXCERPT_CHARS
  const end = text.length <= stop ? text.length : Math.max(text.lastIndexOf(' ', stop), first)
  const shown = `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
  const pattern = new RegExp(`(${terms.map(escaped).join('|')})`, 'giu')
  return shown.split(pattern)
}

/** Returns a pattern that matches just this word. */
const escaped = (word: string) => word.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }

/** Returns the parts of a rendered page: its text, cut at every heading that has an id. */
export function partsOf(markup: string, { page, path }: { page: string; path: string }): Part[] {
  const pieces = markup.split(/<h[1-4] id="([^"]+)"[^>]*>([\s\S]*?)<\/h[1-4]>/)
  const [before = '', ...rest] = pieces
  const lead = { page, heading: page, href: path, text: textOf(before) }
  const parts = [lead]
  for (let at = 0; at + 2 < rest.length; at += 3) {
    const [id = '', heading = '', text = ''] = rest.slice(at, at + 3)
    parts.push({ page, heading: textOf(heading), href: `${path}#${id}`, text: textOf(text) })
  }
  return parts.filter(({ text }) => text !== '')
}

/** Returns the text of markup that this service wrote. */
export function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,;:)])/g, '$1')
    .trim()
}
