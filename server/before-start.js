/**
 * Runs before the service in `npm start`: builds the widget and the documents, if their sources have changed and their builder is
 * installed. Plain JavaScript, because an older Node cannot even read the service's own files, and would say so in a way that nobody
 * understands.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const NODE_LEAST = 24
const ROOT = fileURLToPath(new URL('../', import.meta.url))
const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
const WIDGET = `${ROOT}.dist/widget/${version}`
const DOCUMENTS = `${ROOT}.dist/documents`

function stopWith(message) {
  console.error(message)
  process.exit(1)
}

function isInstalled(name) {
  return existsSync(`${ROOT}node_modules/${name}`)
}

/** Npm puts the programs of development dependencies into the path. */
async function buildWidget() {
  const [code] = await once(spawn('vite', ['build', '--logLevel', 'warn'], { stdio: 'inherit' }), 'exit')
  if (code !== 0) process.exit(code ?? 1)
}

/** Nobody waits for it: the service starts meanwhile, and reads the documents when they are first asked for. */
function buildDocuments() {
  spawn(process.execPath, [`${ROOT}server/documents/build.ts`], { stdio: 'inherit' }).unref()
}

if (Number.parseInt(process.versions.node, 10) < NODE_LEAST)
  stopWith(
    `Kassa needs Node ${NODE_LEAST} or newer, and this is Node ${process.versions.node}. Install Node ${NODE_LEAST}, or run npm ci without --omit=dev, which brings it.`,
  )
const { isCurrent } = await import('./documents/sources.ts')

if (isInstalled('vite') && isInstalled('marked')) {
  if (!isCurrent(ROOT, DOCUMENTS)) buildDocuments()
  if (!isCurrent(ROOT, WIDGET)) await buildWidget()
} else if (!existsSync(`${WIDGET}/kassa.js`) || !existsSync(DOCUMENTS))
  stopWith(
    'The widget and the documents are not built, and their builders are not installed. Copy the .dist directory of a build to this one, or run npm ci without --omit=dev.',
  )
