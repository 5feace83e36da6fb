/** A project folder as a shop's developer has it: the platform's packages, and ours beside them. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CLIENT = fileURLToPath(new URL('../../clients/node', import.meta.url))
export const PLUGINS = fileURLToPath(new URL('../../plugins', import.meta.url))

/** Fills an empty folder. The installed packages are linked, and ours are copied as `npm pack` would copy them. */
export function fillProject(folder: string, { install, plugin }: { install: string; plugin: string }): void {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  // Some platforms look for themselves among the dependencies.
  const { name, dependencies } = JSON.parse(readFileSync(join(install, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, dependencies }))
  for (const entry of readdirSync(join(install, 'node_modules')))
    symlinkSync(join(install, 'node_modules', entry), join(modules, entry))
  copyPackage(CLIENT, modules)
  copyPackage(join(PLUGINS, plugin), modules)
}

/** A file that the package does not list is not there, as in a shop. */
function copyPackage(source: string, modules: string): void {
  const { name, files } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const target = join(modules, name)
  mkdirSync(target)
  for (const entry of ['package.json', ...listFiles(source, files)])
    cpSync(join(source, entry), join(target, entry), { recursive: true })
}

function listFiles(source: string, patterns: string[]): string[] {
  return patterns.flatMap((pattern) => {
    if (!pattern.startsWith('*')) return existsSync(join(source, pattern)) ? [pattern] : []
    return readdirSync(source).filter((name) => name.endsWith(pattern.slice(1)))
  })
}
