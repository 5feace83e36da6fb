/** The entry of the operator's command line: `npm run -s admin -- NOUN VERB [flags]`. The compile cache is explained in `main.ts`. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { loadJobLibrary } from './start/job-library.ts'

enableCompileCache(fileURLToPath(new URL('../.dist/compile-cache', import.meta.url)))
await loadJobLibrary()
await import('./admin/main.ts')
