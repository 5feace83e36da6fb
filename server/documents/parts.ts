/** What the search finds: the pages, cut at their headings, and the index over them. */
import MiniSearch from 'minisearch'
import { INDEX, type Part, phraseOf } from '../http/docs/search.ts'

/** Returns the index as JSON. */
export function indexParts(parts: Part[]): string {
  const index = new MiniSearch(INDEX)
  index.addAll(parts.map((part, id) => ({ ...part, id, phrase: phraseOf(part.heading) })))
  return JSON.stringify(index)
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
  }: { page: string; path: string } & Pick<Part, 'locale' | 'weight' | 'keywords'>,
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
