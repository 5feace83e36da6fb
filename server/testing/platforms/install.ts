/**
 * Installs the shop platforms of the long tests: `npx node server/testing/platforms/install.ts NAME`. It runs `npm ci --ignore-scripts` with
 * the lock file beside the driver, in a cache outside the repository: KASSA_PLATFORMS, or ~/.cache/kassa/platforms.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FILES = ['package.json', 'package-lock.json']
const sourceOf = (name: string, file: string) => fileURLToPath(new URL(`${name}/${file}`, import.meta.url))

/** Another lock file means another folder, so an old install is never taken for a new one. */
function folderOf(name: string): string {
  const cache = process.env.KASSA_PLATFORMS ?? join(homedir(), '.cache/kassa/platforms')
  const digest = createHash('sha256')
    .update(readFileSync(sourceOf(name, 'package-lock.json')))
    .digest('hex')
  return join(cache, `${name}-${digest.slice(0, 12)}`)
}

/** It is written last, so that an install that was stopped is not taken for a whole one. */
const doneIn = (folder: string) => join(folder, 'installed')

/** Finds a platform that npm installs. `label`: its name for people. */
export function findInstall(name: string, label: string): { folder: string } | { missing: string } {
  const folder = folderOf(name)
  return existsSync(doneIn(folder))
    ? { folder }
    : { missing: `${label} is not installed. Run: npx node server/testing/platforms/install.ts ${name}` }
}

function install(name: string): void {
  const folder = folderOf(name)
  rmSync(doneIn(folder), { force: true })
  mkdirSync(folder, { recursive: true })
  for (const file of FILES) copyFileSync(sourceOf(name, file), join(folder, file))
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
  })
  writeFileSync(doneIn(folder), '')
  console.info(`${name} is installed in ${folder}`)
}

if (import.meta.main) {
  const names = process.argv.slice(2)
  const unknown = names.filter(
    (name) => !/^[a-z]+$/.test(name) || !existsSync(sourceOf(name, 'package.json')),
  )
  if (names.length === 0 || unknown.length > 0) {
    console.error(
      `Name platforms that have a package.json in server/testing/platforms, not ${unknown.join(' ') || 'none'}.`,
    )
    process.exitCode = 1
  } else names.forEach(install)
}
