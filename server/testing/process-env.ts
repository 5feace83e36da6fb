/** What every process that a test starts finds in its environment. */
import { fileURLToPath } from 'node:url'

/** Half of a start is compiling, so Node keeps compiled code here for the next process. */
const COMPILE_CACHE = fileURLToPath(new URL('../../.dist/compile-cache', import.meta.url))

export const PROCESS_ENV = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE }
