/**
 * Says whether files that were built are still those of their sources. A file beside them has the digest of the sources.
 * Also has the addresses of the files for programs.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'sources.json'
const NOT_A_SOURCE = /\.(test|suite|long)\.tsx?$/

/** Notes in the folder of built files which sources they are made of. A source that ends in a slash is a whole folder. */
export function noteSources(root: string, folder: string, sources: string[]): void {
  writeFileSync(join(folder, FILE), JSON.stringify({ digest: digestOf(root, sources), sources }))
}

/** Returns whether the sources are the same files as when the folder was built. */
export function isCurrent(root: string, folder: string): boolean {
  try {
    const { digest, sources } = JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
    return digest === digestOf(root, sources)
  } catch {
    return false
  }
}

function digestOf(root: string, sources: string[]): string {
  const hash = createHash('sha256')
  for (const source of sources)
    for (const file of source.endsWith('/') ? filesIn(root, source) : [source])
      hash.update(`\0${file}\0`).update(existsSync(join(root, file)) ? readFileSync(join(root, file)) : '')
  return hash.digest('base64url')
}

function filesIn(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !NOT_A_SOURCE.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length))
    .sort()
}

/** The addresses of the files for programs. */
export const POSTMAN_PATH = '/docs/kassa.postman_collection.json'
export const LLMS_PATH = '/docs/llms.txt'
/** The service's address as developers' guides and programs have it. The page that is served has the address of its own service. */
export const WRITTEN_ORIGIN = 'http://localhost:3000'
