import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The version of this build, as the health endpoint reports it and the widget contains it. */
export const VERSION = manifest.version
