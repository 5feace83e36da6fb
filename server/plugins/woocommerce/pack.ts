/**
 * Packs the plug-in for WordPress, with the client for PHP in it: `npx node server/plugins/woocommerce/pack.ts FOLDER` writes the folder
 * `kassa` and the archive `kassa.zip`, which WordPress takes under Plugins, Add New, Upload.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zipSync } from 'fflate'

const SOURCE = fileURLToPath(new URL('.', import.meta.url))
const CLIENT = fileURLToPath(new URL('../../clients/php/Kassa.php', import.meta.url))
/** The name is also that of the folder in WordPress. */
const NAME = 'kassa'
const PARTS = ['kassa.php', 'uninstall.php', 'README.md', 'LICENSE', 'src', 'assets', 'languages']
/** The same files make the same archive. */
const PACKED_AT = '2000-01-01T00:00:00Z'

/** Returns the plug-in's folder. */
export function packPlugin(folder: string): string {
  const target = join(folder, NAME)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(join(target, 'client'), { recursive: true })
  for (const part of PARTS) cpSync(join(SOURCE, part), join(target, part), { recursive: true })
  cpSync(CLIENT, join(target, 'client/Kassa.php'))
  return target
}

export function zipPlugin(folder: string): string {
  const target = packPlugin(folder)
  const names = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort()
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]))
  const file = join(folder, `${NAME}.zip`)
  writeFileSync(file, zipSync(files, { mtime: PACKED_AT }))
  return file
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) {
    console.error('Name the folder to write to: npx node server/plugins/woocommerce/pack.ts FOLDER')
    process.exitCode = 1
  } else console.info(zipPlugin(folder))
}
