/**
 * The programs that tests start as processes, each with everything that it imports in a few files. Finding and loading a thousand
 * modules takes most of a start: it is 0.4 s of CPU time instead of 0.9 s. `npm-start.long.ts` starts the service from its sources.
 */
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
export const PROGRAMS_FOLDER = join(ROOT, '.dist/test-programs')
/** Paths from the project's root. The last program ends on its own, so Node writes its compile cache. */
export const ENTRIES = [
  'server/main.ts',
  'server/admin.ts',
  'server/testing/processes/crashing-main.ts',
  'server/testing/processes/operator-main.ts',
  'server/testing/kits/order-book-main.ts',
  'server/testing/processes/warm-cache.ts',
]
const builtFile = (entry: string): string => join(PROGRAMS_FOLDER, `${basename(entry, '.ts')}.js`)
/** Absolute paths of the entries, with the file that is started in their place. */
const BUILT = new Map(ENTRIES.map((entry) => [join(ROOT, entry), builtFile(entry)]))

/** Set to the folder once the programs are built. The test processes inherit it, and so do those of the browser tests. */
export const READY = 'KASSA_TEST_PROGRAMS'

/** Returns the file to start for an entry of the project. */
export function programOf(entry: string): string {
  return process.env[READY] ? (BUILT.get(entry) ?? entry) : entry
}
