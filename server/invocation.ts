/** How the reader of our messages runs Kassa: with npm in a checkout, or with the program of a release's archive. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Only an archive has this file beside the server. */
const PROGRAM = fileURLToPath(new URL('../kassa', import.meta.url))
const isArchive = existsSync(PROGRAM)

export const START = isArchive ? `${PROGRAM} start` : 'npm start'
/** Every command that is printed for an operator begins with this. */
export const ADMIN = isArchive ? `${PROGRAM} admin` : 'npm run -s admin --'
