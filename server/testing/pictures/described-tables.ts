/** What each table is for, as the chapter "The tables" of the README says it. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const README = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8')

/** Returns the tables that the README lists under a heading that names this schema, with the line for each. */
export function describedTables(schema: string): Map<string, string> {
  const chapter = README.split('## The tables')[1]?.split('\n## ')[0] ?? ''
  const [, rows = ''] =
    chapter
      .split(/^\| Schema /m)
      .find((part) => part.startsWith(`\`${schema}\``))
      ?.split('|---|---|') ?? []
  return new Map(
    [...rows.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name = '', line = '']) => [name, line]),
  )
}
