/** What programs read: llms.txt, each page as Markdown, and the collection for Postman. */
import { fill } from '../http/docs/built.ts'
import { renderMarkup } from '../http/docs/shell.ts'
import type { OpenApiDocument } from '../http/openapi/document.ts'
import { html, type Markup } from '../pages/html.ts'
import type { Library } from './pages.ts'
import { LLMS_PATH, POSTMAN_PATH } from './paths.ts'
import { markdownOf } from './plain.ts'
import { postmanCollection } from './postman.ts'
import type { KitText } from './reference/kits.ts'
import type { Samples } from './reference/pages.ts'
import { codeBlock } from './reference/prose.ts'
import { LANGUAGES } from './reference/samples.ts'

type Plain = {
  path: string
  title: string
  summary: string
  group: string
  markup: Markup
  samples: Samples
}

function plainPages({ guides, reference }: Library): Plain[] {
  const ofGuides = guides.map(({ lead, body, ...guide }) => ({
    ...guide,
    markup: [lead, body].flat(),
    samples: {},
  }))
  const ofReference = reference.map((page) => ({
    ...page,
    group: `API: ${page.group}`,
    markup: page.content,
  }))
  return [...ofGuides, ...ofReference] as Plain[]
}

export function asFiles(library: Library, document: OpenApiDocument): KitText[] {
  const pages = plainPages(library)
  const file = (path: string, mediaType: string, text: string): KitText => ({
    path,
    file: path.slice('/docs/'.length),
    mediaType,
    text,
  })
  return [
    file(POSTMAN_PATH, 'application/json', `${JSON.stringify(postmanCollection(document), null, 2)}\n`),
    { ...file(LLMS_PATH, 'text/plain', listOf(pages, document)), isShown: true },
    ...pages.map((page) => ({ ...file(`${page.path}.md`, 'text/markdown', textOf(page)), isShown: true })),
  ]
}

/** The examples stand in all languages, one after the other. */
function textOf({ title, markup, samples }: Plain): string {
  const shown = Object.entries(samples).map(([name, texts]) => [`sample.${name}`, renderMarkup(inAll(texts))])
  const page = renderMarkup(html`<h1>${title}</h1>${markup}`)
  return markdownOf(fill(page, { inLanguage: '', ...Object.fromEntries(shown) }))
}

const inAll = (texts: Record<string, string>): Markup =>
  html`${LANGUAGES.map(({ id, label }) => texts[id] && html`<p>${label}:</p>${codeBlock(texts[id], label)}`)}`

function listOf(pages: Plain[], { info, servers }: OpenApiDocument): string {
  const groups = [...new Set(pages.map(({ group }) => group))]
  const lines = groups.flatMap((name) => [
    `\n## ${name}\n`,
    ...pages
      .filter(({ group }) => group === name)
      .map(({ path, title, summary }) => `- [${title}](${servers[0]?.url}${path}.md): ${summary}`),
  ])
  return `# Kassa\n\n> ${info.summary}\n${lines.join('\n')}\n`
}
