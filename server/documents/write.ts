/** Writes the documents: a file for each page, each client and each kit, the OpenAPI document, and the index of the search. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { type Library as Built, type BuiltPage, FILES, markOf, withoutMarks } from '../http/docs/built.ts'
import { INDEX, type Part, phraseOf } from '../http/docs/search.ts'
import { HOME, renderMarkup } from '../http/docs/shell.ts'
import { openApiDocument } from '../http/openapi/document.ts'
import { programFiles } from './for-programs.ts'
import { guideSources, readGuides } from './guides.ts'
import { apiPage, contentsOf, guidePage, homePage, type Library } from './pages.ts'
import { KIT_FILES } from './reference/kits.ts'
import { referencePages } from './reference/pages.ts'
import { sampleFigure } from './reference/prose.ts'
import { LANGUAGES } from './reference/samples.ts'
import { noteSources } from './sources.ts'

/** Returns the index as JSON. */
function indexParts(parts: Part[]): string {
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

/** Other files that the documents are made of, besides their modules and the guides. */
const OTHER_SOURCES = ['package.json', 'package-lock.json', 'server/clients/']

type Page = { path: string; isReference: boolean } & BuiltPage

/** `root`: the project whose guides are shown, and where the documents are written. `modules`: the modules of the build. */
export function writeDocuments(root: string, modules: string[]): void {
  const baseUrl = markOf('baseUrl')
  const document = openApiDocument(baseUrl)
  const library = readLibrary(root, document)
  const folder = join(root, '.dist/documents')
  const staging = `${folder}.${process.pid}`
  mkdirSync(staging, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(staging, name), text)

  const pages: Built['pages'] = {}
  for (const { path, isReference, html, samples } of pagesOf(library)) {
    const file = `page.${path.slice(1).replaceAll('/', '.')}.json`
    pages[path] = { file, isReference }
    write(file, JSON.stringify({ html, samples }))
  }
  const kits = [...KIT_FILES, ...programFiles(library, document)].map(({ text, ...about }) => {
    const name = `kit.${about.file.replaceAll('/', '.')}`
    write(name, text)
    return { ...about, file: name }
  })
  write(FILES.openApi, `${JSON.stringify(document, null, 2)}\n`)
  write(FILES.search, indexParts(partsOfAll(library)))
  const languages = LANGUAGES.map(({ id }) => id)
  const built: Built = { contents: contentsOf(library), languages, pages, kits }
  write(FILES.library, JSON.stringify(built))
  noteSources(root, staging, [...modules, ...OTHER_SOURCES, ...guideSources(root)])
  replaceFolder(folder, staging)
}

/** Two runs of the tests in one folder may write the same at the same time. */
function replaceFolder(folder: string, staging: string): void {
  rmSync(folder, { recursive: true, force: true })
  try {
    renameSync(staging, folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
    replaceFolder(folder, staging)
  }
}

function readLibrary(root: string, document: ReturnType<typeof openApiDocument>): Library {
  const reference = referencePages(document)
  const paths = new Set([HOME, '/docs/search', ...reference.map(({ path }) => path)])
  return { guides: readGuides((path) => paths.has(path), root), reference, info: document.info }
}

function pagesOf(library: Library): Page[] {
  const plain = { isReference: false, samples: {} }
  return [
    { ...plain, path: HOME, html: homePage(library) },
    ...library.guides.map((guide) => ({ ...plain, path: guide.path, html: guidePage(library, guide) })),
    ...library.reference.map((page) => ({
      path: page.path,
      isReference: true,
      html: apiPage(library, page),
      samples: figuresOf(page.samples),
    })),
  ]
}

/** Returns each example in each language, rendered as on the page. */
function figuresOf(samples: Record<string, Record<string, string>>): BuiltPage['samples'] {
  const inAll = (name: string, texts: Record<string, string>) =>
    Object.fromEntries(LANGUAGES.map(({ id }) => [id, renderMarkup(sampleFigure(name, texts, id))]))
  return Object.fromEntries(Object.entries(samples).map(([name, texts]) => [name, inAll(name, texts)]))
}

function partsOfAll({ guides, reference }: Library): Part[] {
  const inGuides = guides.flatMap(({ title, path, locale, weight, keywords, lead, body }) =>
    partsOf(renderMarkup(lead) + renderMarkup(body), { page: title, path, locale, weight, keywords }),
  )
  const about = { locale: 'en', weight: 1 } as const
  const inReference = reference.flatMap(({ title, path, content, keywords, terms = [] }) => [
    ...terms.map(({ id, name, text }) => ({
      page: title,
      heading: name,
      href: `${path}#${id}`,
      ...about,
      text,
    })),
    // The examples and the texts of the kits are left out, because they would match almost every query.
    ...partsOf(withoutMarks(renderMarkup(content)).replaceAll(/<pre[\s\S]*?<\/pre>/g, ''), {
      page: title,
      path,
      keywords,
      ...about,
    }),
  ])
  return [...inGuides, ...inReference]
}
