/** Writes the values that each message needs: of the catalogues, and of the words of the console. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeConsoleTypes, writeTypes } from './values.ts'

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
export const VALUES_FILE = fileOf('messages/values.ts')
export const CONSOLE_VALUES_FILE = fileOf('console/words/values.ts')

if (import.meta.main) {
  writeFileSync(VALUES_FILE, writeTypes())
  writeFileSync(CONSOLE_VALUES_FILE, writeConsoleTypes())
}
