/** Writes the tables of settings and of faults into their guides: `npm run generate -- settings`. */
import { readFile, writeFile } from 'node:fs/promises'
import { writeFaults, writeGuide } from './guide.ts'

const guide = (name: string) => new URL(`../guides/${name}.md`, import.meta.url)

await writeFile(guide('settings'), writeGuide())
await writeFile(guide('testing'), writeFaults(await readFile(guide('testing'), 'utf8')))
