/** The widget's builds, as they lie on the disk: a folder for each version. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../.dist/widget/', import.meta.url)
const FILE = 'kassa.js'
export const WIDGET_VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/

/** `bodies` are the same script under each content coding. `bytes`: without any. */
export type WidgetBuild = {
  version: string
  path: string
  integrity: string
  bytes: number
  bodies: { identity: Buffer; br: Buffer; gzip: Buffer }
}

/** Every build that is whole. */
export function readWidgetBuilds(folder: URL = FOLDER): WidgetBuild[] {
  return listVersions(folder).flatMap((version) => readBuild(folder, version) ?? [])
}

export function describeWidgetBuild(version: string, bodies: WidgetBuild['bodies']): WidgetBuild {
  return {
    version,
    path: `/widget/${version}/${FILE}`,
    // Of the bytes themselves, so that no manifest can disagree with them.
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
