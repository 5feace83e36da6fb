/**
 * The documentation at /docs: the guides, the API reference, and a search over both. Every page is rendered at its first
 * request and stored, also compressed. Only search results are rendered for each request.
 */
import express, { type RequestHandler } from 'express'
import type { Context } from '../../context.ts'
import { LANGUAGES as LOCALES, type Language as Locale } from '../../contract/languages.ts'
import { AppError } from '../../errors.ts'
import { callerOf } from '../caller.ts'
import { openApiDocument } from '../openapi/document.ts'
import { takePermits } from '../rate-limit.ts'
import { KIT_FILES, serveKit } from '../reference/kits.ts'
import { referencePages } from '../reference/pages.ts'
import { LANGUAGES } from '../reference/samples.ts'
import { readGuides } from './guides.ts'
import { type Packed, pack, sendPacked } from './packed.ts'
import { apiPage, guidePage, homePage, type Library, languageOf, missingPage, searchPage } from './pages.ts'
import { indexParts, type Part, partsOf, search } from './search.ts'
import { HOME, renderMarkup } from './shell.ts'

/** Everything that is served. `pages`: renders the page at an address. */
type Shelf = { library: Library; pages: Map<string, () => string> }

export function serveDocs(ctx: Context): RequestHandler {
  const shelf = once(() => fillShelf(ctx))
  const index = once(() => indexParts(partsOfAll(shelf().library)))
  const packed = new Map<string, Packed>()
  const router = express.Router()
  router.use(async (request, response, next) => {
    await takePermits(ctx, response, 'page', callerOf(request))
    next()
  })
  router.use((request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') return next()
    response.setHeader('Allow', 'GET, HEAD')
    throw new AppError('method_not_allowed', { hint: 'It takes GET, HEAD.' })
  })
  for (const file of KIT_FILES) router.get(file.path.slice(HOME.length), serveKit(file))
  router.get('/search', (request, response) => {
    const query = typeof request.query.q === 'string' ? request.query.q : ''
    response.setHeader('Cache-Control', 'no-store')
    const locale = (Object.keys(LOCALES) as Locale[]).find((each) => each === request.query.locale)
    response.type('html').send(searchPage(shelf().library, query, search(index(), query, locale), locale))
  })
  router.use(async (request, response) => {
    const { library, pages } = shelf()
    const path = withoutLastSlashes(`${HOME}${request.path}`)
    const key = pages.has(path) ? path : `${path}?in=${languageOf(request.query.in)}`
    const write = pages.get(key)
    if (!write) return void response.status(404).type('html').send(missingPage(library))
    const page = packed.get(key) ?? pack(write())
    packed.set(key, page)
    await sendPacked(request, response, page)
  })
  return router
}

/** A regular expression would try each run of slashes from each of its slashes, which takes long for thousands of them. */
function withoutLastSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Computes a value at its first use and stores it. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function fillShelf({ baseUrl, config }: Pick<Context, 'baseUrl' | 'config'>): Shelf {
  const document = openApiDocument(baseUrl)
  const reference = referencePages(document, config.rateLimits)
  const paths = new Set([HOME, '/docs/search', ...reference.map(({ path }) => path)])
  const library = { guides: readGuides((path) => paths.has(path)), reference, info: document.info }
  const pages = new Map<string, () => string>([[HOME, () => homePage(library)]])
  for (const guide of library.guides) pages.set(guide.path, () => guidePage(library, guide))
  for (const page of reference)
    for (const { id } of LANGUAGES) pages.set(`${page.path}?in=${id}`, () => apiPage(library, page, id))
  return { library, pages }
}

function partsOfAll({ guides, reference }: Library): Part[] {
  const inGuides = guides.flatMap(({ title, path, locale, forOwners, keywords, lead, body }) =>
    partsOf(renderMarkup(lead) + renderMarkup(body), { page: title, path, locale, forOwners, keywords }),
  )
  const inReference = reference.flatMap(({ title, path, content, terms = [] }) => [
    ...terms.map(({ id, name, text }) => ({
      page: title,
      heading: name,
      href: `${path}#${id}`,
      locale: 'en' as const,
      text,
    })),
    // The examples in four languages and the texts of the kits are left out, because they would match almost every query.
    ...partsOf(renderMarkup(content('')).replaceAll(/<pre[\s\S]*?<\/pre>/g, ''), {
      page: title,
      path,
      locale: 'en',
    }),
  ])
  return [...inGuides, ...inReference]
}
