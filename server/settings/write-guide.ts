/** Writes the settings guide: `npm run settings`. */
import { writeFile } from 'node:fs/promises'
import { writeGuide } from './guide.ts'

await writeFile(new URL('../guides/settings.md', import.meta.url), writeGuide())
