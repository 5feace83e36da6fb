/**
 * The widget's builds, as they lie on the disk: a folder for each version. Earlier ones stay served for the pages that
 * pinned them by their hash; the one of the service's own version is what new pages get.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { VERSION } from './version.ts'

const FOLDER = new URL('../.dist/widget/', import.meta.url)
const FILE = 'kassa.js'
const RELEASE = /^\d+\.\d+\.\d+(-[\w.]+)?$/

/** `bodies` are the same script under each content coding. `bytes`: without any. */
export type WidgetBuild = {
  version: string
  path: string
  integrity: string
  bytes: number
  bodies: { identity: Buffer; br: Buffer; gzip: Buffer }
}

/** What a page needs to pin the widget. */
export type PinnedWidget = { version: string; scriptUrl: string; integrity: string }

/** Every build that is whole, the highest version first. */
export function readWidgetBuilds(folder: URL = FOLDER): WidgetBuild[] {
  return listVersions(folder)
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    .flatMap((version) => readBuild(folder, version) ?? [])
}

/** The build of the service's own version; undefined where nobody ran `npm run build`. */
export function currentWidgetBuild(folder: URL = FOLDER): WidgetBuild | undefined {
  return readBuild(folder, VERSION)
}

/** The current build under its immutable address, for pages that pin it; undefined as above. */
export function pinnedWidget(baseUrl: string, folder: URL = FOLDER): PinnedWidget | undefined {
  const build = currentWidgetBuild(folder)
  return build && { version: build.version, scriptUrl: baseUrl + build.path, integrity: build.integrity }
}

function listVersions(folder: URL): string[] {
  try {
    return readdirSync(folder).filter((name) => RELEASE.test(name))
  } catch {
    return []
  }
}

function readBuild(folder: URL, version: string): WidgetBuild | undefined {
  const read = (ending: string) => readFileSync(new URL(`${version}/${FILE}${ending}`, folder))
  try {
    const bodies = { identity: read(''), br: read('.br'), gzip: read('.gz') }
    return {
      version,
      path: `/widget/${version}/${FILE}`,
      // Of the bytes themselves, so that no manifest can disagree with them.
      integrity: `sha384-${createHash('sha384').update(bodies.identity).digest('base64')}`,
      bytes: bodies.identity.length,
      bodies,
    }
  } catch {
    return undefined
  }
}
