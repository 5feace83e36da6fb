/**
 * Finds the browsers for the end-to-end tests. Run as a program, it also installs a browser if there is none, so that
 * `npm test` works on a new machine. It prints each step, and after a failure what to do.
 *
 * Nearly all tests run in Chromium's headless shell: the same engine without a window, in half the CPU time. It has no
 * page cache, so the test of that cache starts a whole Chromium.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const SHELL_NAMES = ['chromium-headless-shell', 'chrome-headless-shell']
const USUAL_PLACES = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome']
const MAC_PLACES = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const VERSION_TIMEOUT_MS = 20_000
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000
const PACKAGE_TIMEOUT_MS = 10 * 60_000

/**
 * Returns the path of a Chromium that starts, or null. It looks at CHROMIUM_PATH, then at installed ones, then at
 * Playwright's own. If CHROMIUM_PATH is set and does not start, it returns null and tries no other.
 */
export function findChromium(): string | null {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen) return versionOf(chosen) ? chosen : null
  return firstThatStarts([...installed(NAMES), ...MAC_PLACES, chromium.executablePath()])
}

/** Returns the path of the browser for most tests: a headless shell, else what `findChromium` returns, or null. */
export function findHeadlessChromium(): string | null {
  const shell = process.env.CHROMIUM_PATH ? null : firstThatStarts(installed(SHELL_NAMES))
  return shell ?? findChromium()
}

function installed(names: string[]): string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...USUAL_PLACES]
  return names.flatMap((name) => folders.map((folder) => join(folder, name)))
}

function firstThatStarts(paths: string[]): string | null {
  return [...new Set(paths)].find((path) => versionOf(path) !== null) ?? null
}

/** Starts the program to see whether it works: it may be a distribution's placeholder, or lack its libraries. */
function versionOf(path: string): string | null {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    return null
  }
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS })
  return status === 0 && /chrom/i.test(stdout) ? stdout.trim() : null
}

/** Downloads Playwright's own build into its cache. */
function downloadChromium(): boolean {
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright/package.json')), 'cli.js')
  return run(process.execPath, [cli, 'install', '--no-shell', 'chromium'], DOWNLOAD_TIMEOUT_MS)
}

/** Installs the distribution's packages with their libraries. This needs root and apt. Only Debian has the shell. */
function installPackages(): boolean {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return false
  const install = (...packages: string[]): boolean =>
    run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], PACKAGE_TIMEOUT_MS)
  if (!run('apt-get', ['update'], PACKAGE_TIMEOUT_MS)) return false
  return install('chromium', 'chromium-headless-shell') || install('chromium')
}

function run(program: string, args: string[], timeoutMs: number): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync(program, args, { stdio: 'inherit', timeout: timeoutMs, env }).status === 0
}

const GIVE_UP = `The end-to-end tests need Chromium, and installing it failed (see above). Do one of these:
  - install Chromium or Chrome with your system's package manager (Debian: apt-get install chromium)
  - let Playwright download its own, with the libraries that it needs: npx playwright install --with-deps chromium
  - set the path of one that you have: CHROMIUM_PATH=/path/to/chromium npm test`

/** Returns the exit code. */
function main(): number {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen && !findChromium()) {
    console.error(`CHROMIUM_PATH=${chosen} is not a Chromium that starts. Correct it or unset it.`)
    return 1
  }
  if (report()) return 0
  console.log('No Chromium found. Downloading the version that Playwright needs ...')
  if (downloadChromium() && report()) return 0
  console.log('The downloaded Chromium does not start here. Trying the system package ...')
  if (installPackages() && report()) return 0
  console.error(GIVE_UP)
  return 1
}

function report(): boolean {
  const whole = findChromium()
  const path = findHeadlessChromium()
  if (path) console.log(`Browser for the end-to-end tests: ${path} (${versionOf(path)})`)
  if (whole && path === whole && !process.env.CHROMIUM_PATH)
    console.log(
      'With a headless shell (Debian: apt-get install chromium-headless-shell) they take half the CPU time.',
    )
  return whole !== null
}

const isProgram = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isProgram) process.exitCode = main()
