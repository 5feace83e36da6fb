/**
 * Runs before the service in `npm start`: builds the widget if its builder is installed. Plain JavaScript, because an older Node
 * cannot even read the service's own files, and would say so in a way that nobody understands.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const NODE_LEAST = 24

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

function stopWith(message) {
  console.error(message)
  process.exit(1)
}

if (Number.parseInt(process.versions.node, 10) < NODE_LEAST)
  stopWith(
    `Kassa needs Node ${NODE_LEAST} or newer, and this is Node ${process.versions.node}. Install Node ${NODE_LEAST}, or run npm ci without --omit=dev, which brings it.`,
  )
// npm puts the programs of development dependencies into the path.
const built = spawnSync('vite', ['build', '--logLevel', 'warn'], { stdio: 'inherit' })
if (built.error?.code !== 'ENOENT') {
  if (built.status !== 0) process.exit(built.status ?? 1)
} else if (!existsSync(new URL(`../.dist/widget/${version}/kassa.js`, import.meta.url)))
  stopWith(
    'The widget is not built, and its builder is not installed. Copy the .dist directory of a build to this one, or run npm ci without --omit=dev.',
  )
