/**
 * The entry of the service. Everything else is imported after this line, because Node reads the compile cache only for later
 * imports. The cache holds the compiled code of earlier starts and halves the CPU time of a start. Without the right to write
 * there, Node compiles at each start.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../.dist/compile-cache', import.meta.url)))
await import('./serve.ts')
