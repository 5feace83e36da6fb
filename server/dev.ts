/**
 * `npm run dev`: runs the service from the sources, and starts it again after a change. Arguments go to Node, for example
 * `npm run dev -- --inspect`. The embedded PostgreSQL is held by this process, so a restart does not stop it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isCurrent } from './documents/sources.ts'
import { defaultDataDir, startEmbedded } from './postgres/embedded.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['server', 'widget', 'public']
const READ_BY_SERVICE = /\.(ts|tsx|js|css|html|svg|md|sql|json|yml)$/
const NOT_READ_BY_SERVICE =
  /^server\/(testing|bench|release)\/|\.(test|suite|long)\.ts$|^server\/dev\.ts$|(^|\/)\./
/** Editors and git write several files at once. They cause one restart. */
const SETTLE_MS = 100

const stopping = new AbortController()
const changed = new Set<string>()
let onChange = Promise.withResolvers<void>()

function print(line: string): void {
  console.error(`[dev] ${line}`)
}

/** Notes the changed files that the service or the button is made of. */
function watchFiles(): void {
  for (const folder of FOLDERS)
    watch(join(ROOT, folder), { recursive: true, signal: stopping.signal }, (_, name) => {
      const file = `${folder}/${name}`
      if (!READ_BY_SERVICE.test(file) || NOT_READ_BY_SERVICE.test(file)) return
      changed.add(file)
      onChange.resolve()
    }).on('error', (error) => print(`The files under ${folder}/ are no longer watched: ${error.message}`))
}

/** Returns the files that have changed since the last call, as soon as there are any. Returns none when it is time to stop. */
async function nextChange(): Promise<string[]> {
  await onChange.promise
  if (!stopping.signal.aborted) await setTimeout(SETTLE_MS)
  const files = [...changed].sort()
  changed.clear()
  onChange = Promise.withResolvers()
  return stopping.signal.aborted ? [] : files
}

/** npm puts the programs of development dependencies into the path. */
async function buildButton(): Promise<void> {
  const started = performance.now()
  const build = spawn('vite', ['build', '--logLevel', 'warn'], { cwd: ROOT, stdio: 'inherit' })
  const [code] = await once(build, 'exit')
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  if (code === 0) print(`Built the button in ${seconds} s.`)
  else print('The button was not built: see above. The service keeps the last one that was built.')
}

/** Runs beside the service, which reads the documents when they are asked for, and again after they have changed. */
async function buildDocuments(): Promise<void> {
  if (isCurrent(ROOT, join(ROOT, '.dist/documents'))) return
  const build = spawn(process.execPath, [join(ROOT, 'server/documents/build.ts')], { stdio: 'inherit' })
  const [code] = await once(build, 'exit')
  if (code === 0) print('Built the documents.')
  else print('The documents were not built: see above. The service keeps the last ones that were built.')
}

function startService(): ChildProcess {
  const main = join(ROOT, 'server/main.ts')
  const service = spawn(process.execPath, [...process.argv.slice(2), main], { stdio: 'inherit' })
  service.on('exit', (code, signal) => {
    if (code !== 0 && !stopping.signal.aborted && signal !== 'SIGTERM')
      print(
        `The service ended (${signal ?? `exit code ${code}`}): see above. It starts again when you save a file.`,
      )
  })
  return service
}

async function stopService(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return
  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  await ended
}

function shown(files: string[]): string {
  const [first, ...others] = files
  return others.length ? `${first} and ${others.length} more changed` : `${first} changed`
}

async function run(): Promise<void> {
  watchFiles()
  await buildButton()
  let service = startService()
  let documents = buildDocuments()
  for (;;) {
    const files = await nextChange()
    if (files.length === 0) return stopService(service)
    print(`${shown(files)}. Starting the service again.`)
    if (files.some((file) => file.startsWith('widget/'))) await buildButton()
    await stopService(service)
    service = startService()
    documents = documents.then(buildDocuments)
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopping.abort()
    onChange.resolve()
  })
const { DATABASE_URL, DATA_DIR } = process.env
const postgres = DATABASE_URL
  ? null
  : await startEmbedded({ dataDir: DATA_DIR || defaultDataDir(), revive: true, onProgress: print })
await run()
await postgres?.stop()
