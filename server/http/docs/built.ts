/**
 * The documents as `npm run build` wrote them. One archive serves many deployments, so whatever differs between them is a mark in
 * the text, such as `⟦baseUrl⟧`. The mark gets its value when the text is first needed.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context } from '../../context.ts'
import type { Language } from '../../contract/languages.ts'
import { DEFAULT_LIMITS, type LimitName } from '../../limits/settings.ts'

export const DOCUMENTS_FOLDER = fileURLToPath(new URL('../../../.dist/documents/', import.meta.url))
/** The files of the folder. Each page and each kit has one more. */
export const FILES = { library: 'library.json', openApi: 'openapi.json', search: 'search.json' }

/** The contents that every page shows, by groups. */
export type Contents = { title: string; locale: Language; entries: { href: string; title: string }[] }[]

/** A file that is sent as it is. `isShown`: a browser may show it. It saves the others, and never runs them. */
export type KitFile = { path: string; file: string; mediaType: string; isShown?: boolean }

/** A page to serve. `isReference`: the page has an address for each language of the examples. */
export type Library = {
  contents: Contents
  languages: string[]
  pages: Record<string, { file: string; isReference: boolean }>
  kits: KitFile[]
}

/** `samples`: the examples by their name and language. Each is put where the page has its mark. */
export type BuiltPage = { html: string; samples: Record<string, Record<string, string>> }

export const markOf = (name: string): string => `⟦${name}⟧`
/** The marks of a page that its reader's choice of a language fills. `inLanguage`: the end of an address. */
export const IN_LANGUAGE = markOf('inLanguage')
export const sampleMark = (name: string): string => markOf(`sample.${name}`)
export const limitMark = (name: LimitName, part: 'burst' | 'pace'): string => markOf(`${name}.${part}`)

const MARK = /⟦([\w.-]+)⟧/g

/** Returns the text with the values of its marks. A mark without a value stays. */
export const fill = (text: string, values: Record<string, string>): string =>
  text.replaceAll(MARK, (mark, name: string) => values[name] ?? mark)

/** Returns the text without its marks, for the search. */
export const withoutMarks = (text: string): string => text.replaceAll(MARK, '')

const NO_LIMIT = 'no limit'
const LIMITS_ON = 'This server counts:'
const LIMITS_OFF = 'Rate limits are switched off on this server.'
const pace = (perSecond: number) =>
  perSecond >= 1 ? `${perSecond} a second` : `one every ${Math.round(1 / perSecond)} seconds`

/** Returns the values of this very server. None of them needs escaping: an origin, numbers, and words. */
export function serverValues({
  baseUrl,
  config: { rateLimits },
}: Pick<Context, 'baseUrl' | 'config'>): Record<string, string> {
  const limits = Object.keys(DEFAULT_LIMITS).flatMap((name) => {
    const limit = rateLimits?.[name as LimitName]
    return [
      [`${name}.burst`, limit ? String(limit.burst) : NO_LIMIT],
      [`${name}.pace`, limit ? pace(limit.perSecond) : NO_LIMIT],
    ]
  })
  return { baseUrl, limits: rateLimits ? LIMITS_ON : LIMITS_OFF, ...Object.fromEntries(limits) }
}

/** When the documents were built. `npm run dev` builds them again while the service runs. Null if they are not there. */
export async function builtAt(folder = DOCUMENTS_FOLDER): Promise<number | null> {
  const found = await stat(join(folder, FILES.library)).catch(() => null)
  return found?.mtimeMs ?? null
}

export const readBuilt = (file: string, folder = DOCUMENTS_FOLDER): Promise<string> =>
  readFile(join(folder, file), 'utf8')
