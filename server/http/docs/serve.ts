/**
 * The documentation at /docs: the guides, the API reference, and a search over both. The pages and the search's index were written by
 * `npm run build`. A page is read at its first request and stored, also compressed. Only search results are written for each request.
 */

import { basename } from 'node:path'
import express, { type RequestHandler } from 'express'
import type MiniSearch from 'minisearch'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { translate } from '../../messages/translate.ts'
import { callerOf } from '../caller.ts'
import { takePermits } from '../rate-limit.ts'
import { type BuiltPage, builtAt, FILES, fill, type Library, readBuilt, serverValues } from './built.ts'
import { type Packed, pack, sendPacked } from './packed.ts'
import { loadIndex, search } from './search.ts'
import { localeNamed, missingPage, searchPage } from './search-page.ts'
import { HOME } from './shell.ts'

export function serveDocs(ctx: Context): RequestHandler {
  const shelf = openShelf(ctx)
  const router = express.Router()
  router.use(async (request, response, next) => {
    await takePermits(ctx, response, 'page', callerOf(request))
    next()
  })
  router.use((request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') return next()
    response.setHeader('Allow', 'GET, HEAD')
    throw new AppError('method_not_allowed', {
      hint: translate('en', 'errors.method.use', { methods: 'GET, HEAD' }),
    })
  })
  router.get('/search', async (request, response) => {
    const { contents, index } = await shelf()
    const query = typeof request.query.q === 'string' ? request.query.q : ''
    const locale = localeNamed(request.query.locale)
    response.setHeader('Cache-Control', 'no-store')
    response.type('html').send(searchPage(contents, query, search(await index(), query, locale), locale))
  })
  router.use(async (request, response) => {
    const { contents, page, kit } = await shelf()
    const path = withoutLastSlashes(`${HOME}${request.path}`)
    const file = kit(path)
    if (file) {
      if (!file.isShown) response.setHeader('Content-Disposition', `attachment; filename="${basename(path)}"`)
      return sendPacked(request, response, await file.packed, { type: `${file.mediaType}; charset=utf-8` })
    }
    const found = page(path, request.query.in)
    if (found) return sendPacked(request, response, await found)
    // People look for a page of the reference, such as /docs/quickstart, without its folder.
    const inReference = `${HOME}/api${path.slice(HOME.length)}`
    if (page(inReference, undefined)) return response.redirect(301, inReference)
    response.status(404).type('html').send(missingPage(contents))
  })
  return router
}

/** The document at /openapi.json, readable from every origin, because it holds no secret. */
export function serveOpenApi(ctx: Context): RequestHandler {
  const shelf = openShelf(ctx)
  return async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    await takePermits(ctx, response, 'page', callerOf(request))
    const { openApi } = await shelf()
    await sendPacked(request, response, await openApi(), { type: 'json' })
  }
}

/** A regular expression would try each run of slashes from each of its slashes, which takes long for thousands of them. */
function withoutLastSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

type DocsShelf = Awaited<ReturnType<typeof fillShelf>>

/** How often the file system is asked for changes, however many requests there are. */
const LOOK_EVERY_MS = 1_000

/** Returns the function that returns everything that is served. It reads again what `npm run dev` has built meanwhile. */
function openShelf(ctx: Context): () => Promise<DocsShelf> {
  const filled = store<DocsShelf>()
  let look = { at: Promise.resolve<number | null>(null), againMs: 0 }
  return async () => {
    const now = performance.now()
    if (now >= look.againMs) look = { at: builtAt(), againMs: now + LOOK_EVERY_MS }
    const at = await look.at
    if (at === null)
      throw new AppError('not_found', {
        hint: translate('en', 'errors.documents.none'),
      })
    return filled(String(at), () => fillShelf(ctx))
  }
}

async function fillShelf(ctx: Context) {
  const values = serverValues(ctx)
  const read = async (file: string) => fill(await readBuilt(file), values)
  const { contents, languages, pages, kits }: Library = JSON.parse(
    fill(await read(FILES.library), { inLanguage: '' }),
  )
  const packed = store<Packed>()
  const index = store<MiniSearch>()
  return {
    contents,
    index: () => index('all', async () => loadIndex(await read(FILES.search))),
    openApi: () => packed(FILES.openApi, async () => pack(await read(FILES.openApi))),
    kit(path: string) {
      const kit = kits.find((each) => each.path === path)
      return kit && { ...kit, packed: packed(path, async () => pack(await read(kit.file))) }
    },
    /** Returns null if there is no such page. `asked`: the language of its examples. */
    page(path: string, wanted: unknown) {
      const about = pages[path]
      if (!about) return null
      const [first = '', ...others] = about.isReference ? languages : []
      const language = others.find((each) => each === wanted) ?? first
      return packed(`${path}?in=${language}`, async () =>
        pack(inLanguage(JSON.parse(await read(about.file)), language, first)),
      )
    },
  }
}

/** Returns a page with its examples in a language. Its links to the reference keep the language, unless it is the first one. */
function inLanguage({ html, samples }: BuiltPage, language: string, first: string): string {
  const shown = Object.entries(samples).map(([name, texts]) => [`sample.${name}`, texts[language] ?? ''])
  return fill(html, { inLanguage: language === first ? '' : `?in=${language}`, ...Object.fromEntries(shown) })
}

/** Returns a function that computes the value of each key once. A failure is not stored. */
function store<Value>() {
  const made = new Map<string, Promise<Value>>()
  return (key: string, make: () => Promise<Value>): Promise<Value> => {
    const value = made.get(key) ?? make()
    made.set(key, value)
    value.catch(() => made.delete(key))
    return value
  }
}
