/** Writes `server/messages/values.ts`: the keys of all messages, and the values that each needs. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeTypes } from './values.ts'

export const VALUES_FILE = fileURLToPath(new URL('../../messages/values.ts', import.meta.url))

if (import.meta.main) writeFileSync(VALUES_FILE, writeTypes())
