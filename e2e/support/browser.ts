/**
 * Finds the browser that the end-to-end tests drive. Run as a program it also gets one where there is none, so that
 * `npm test` works on a bare machine; what it did stands in plain lines, and a failure says what to do.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const USUAL_PLACES = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome']
const MAC_PLACES = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const VERSION_TIMEOUT_MS = 20_000
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000
const PACKAGE_TIMEOUT_MS = 10 * 60_000

/**
 * The path of a Chromium that starts, or null: first CHROMIUM_PATH, then one that is installed, then Playwright's own.
 * A CHROMIUM_PATH that does not start is an answer too: nothing else is taken in its place.
 */
export function findChromium(): string | null {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen) return versionOf(chosen) ? chosen : null
  return candidates().find((path) => versionOf(path) !== null) ?? null
}

function candidates(): string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...USUAL_PLACES]
  const installed = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...new Set([...installed, ...MAC_PLACES, chromium.executablePath()])]
}

/** Asked and not only looked for: a distribution's placeholder exists as well, and missing libraries show only here. */
function versionOf(path: string): string | null {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    return null
  }
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS })
  return status === 0 && /chrom/i.test(stdout) ? stdout.trim() : null
}

/** Playwright's own build, into its cache. */
function downloadChromium(): boolean {
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright/package.json')), 'cli.js')
  return run(process.execPath, [cli, 'install', '--no-shell', 'chromium'], DOWNLOAD_TIMEOUT_MS)
}

/** The distribution's package, which brings the libraries along. Only root may, and only where there is apt. */
function installPackage(): boolean {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return false
  const install = ['install', '-y', '--no-install-recommends', 'chromium']
  return run('apt-get', ['update'], PACKAGE_TIMEOUT_MS) && run('apt-get', install, PACKAGE_TIMEOUT_MS)
}

function run(program: string, args: string[], timeoutMs: number): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync(program, args, { stdio: 'inherit', timeout: timeoutMs, env }).status === 0
}

const GIVE_UP = `No browser: the end-to-end tests need Chromium, and getting one failed (see above). Do one of these:
  - install Chromium or Chrome with your system's package manager (Debian: apt-get install chromium)
  - let Playwright fetch its own, with the libraries it needs: npx playwright install --with-deps chromium
  - name one that you have: CHROMIUM_PATH=/path/to/chromium npm test`

/** Answers the exit code. */
function main(): number {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen && !findChromium()) {
    console.error(`CHROMIUM_PATH=${chosen} is not a Chromium that starts. Correct it, or unset it.`)
    return 1
  }
  if (report()) return 0
  console.log('No Chromium found. Downloading the one that Playwright was built for ...')
  if (downloadChromium() && report()) return 0
  console.log('That one does not work here. Trying the system package ...')
  if (installPackage() && report()) return 0
  console.error(GIVE_UP)
  return 1
}

function report(): boolean {
  const path = findChromium()
  if (path) console.log(`Browser for the end-to-end tests: ${path} (${versionOf(path)})`)
  return path !== null
}

const isProgram = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isProgram) process.exitCode = main()
