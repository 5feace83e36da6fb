/** Reads the builds of the widget from the disk, one folder for each version, and the texts of the button in them. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { VERSION } from '../version.ts'

const FOLDER = new URL('../../.dist/widget/', import.meta.url)
const FILE = 'kassa.js'
const LANGUAGE_FILE = /^[a-z]{2,3}\.json$/
export const WIDGET_VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/

/** `bodies`: the same script in each content coding. `bytes`: its size without coding. */
export type WidgetBuild = {
  version: string
  path: string
  integrity: string
  bytes: number
  bodies: { identity: Buffer; br: Buffer; gzip: Buffer }
}

/** The texts of the button in one language, by their names. */
export type ButtonTexts = Record<string, string>

/** Returns the texts of each language but English, which is in the script itself. Empty if the version is not built. */
export function readButtonTexts(version: string, folder: URL = FOLDER): ReadonlyMap<string, ButtonTexts> {
  const place = new URL(`${version}/`, folder)
  try {
    const names = readdirSync(place).filter((name) => LANGUAGE_FILE.test(name))
    return new Map(
      names.map((name) => [
        name.slice(0, -'.json'.length),
        JSON.parse(readFileSync(new URL(name, place), 'utf8')),
      ]),
    )
  } catch {
    return new Map()
  }
}

/** Returns every complete build. */
export function readWidgetBuilds(folder: URL = FOLDER): WidgetBuild[] {
  return listVersions(folder).flatMap((version) => readBuild(folder, version) ?? [])
}

export function describeWidgetBuild(version: string, bodies: WidgetBuild['bodies']): WidgetBuild {
  return {
    version,
    path: `/widget/${version}/${FILE}`,
    // Computed from the bytes themselves, so it cannot differ from a manifest.
    integrity: `sha384-${createHash('sha384').update(bodies.identity).digest('base64')}`,
    bytes: bodies.identity.length,
    bodies,
  }
}

function listVersions(folder: URL): string[] {
  try {
    return readdirSync(folder).filter((name) => WIDGET_VERSION.test(name))
  } catch {
    return []
  }
}

function readBuild(folder: URL, version: string): WidgetBuild | undefined {
  const read = (ending: string) => readFileSync(new URL(`${version}/${FILE}${ending}`, folder))
  try {
    return describeWidgetBuild(version, { identity: read(''), br: read('.br'), gzip: read('.gz') })
  } catch {
    return undefined
  }
}

let known: ReadonlyMap<string, ButtonTexts> | undefined

/**
 * Returns the texts that a snippet carries, so that the page loads nothing but the script: `hy|...|...` is the language and its texts,
 * in the order of the file. Null for English and for a language without a file.
 */
export function snippetTexts(language: string): string | null {
  known ??= readButtonTexts(VERSION)
  const texts = known.get(language)
  return texts ? [language, ...Object.values(texts)].join('|') : null
}
