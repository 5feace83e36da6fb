/** The table of the long tests in the guide: `npm run generate -- long`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { PART_NAMES, PARTS } from './parts.ts'
import { type Runs, readRuns } from './runs.ts'

export const GUIDE = new URL('../../guides/project-tests.md', import.meta.url)
const TABLE = /(<!-- long runs -->\n)[\s\S]*?(\n<!-- end -->)/

export function describeRuns(runs: Runs): string {
  const rows = PART_NAMES.map((name) => {
    const run = runs[name]
    const last = run
      ? `${run.result} on ${run.at.slice(0, 10)} at \`${run.commit.slice(0, 10)}\`, ${run.minutes} min: ${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped`
      : 'never'
    return `| \`${name}\` | ${PARTS[name].what} | ${last} |`
  })
  return ['| Part | What it tries | Last run |', '|---|---|---|', ...rows].join('\n')
}

/** Returns the guide's text with the table of these runs. */
export const withRuns = (text: string, runs: Runs): string =>
  text.replace(TABLE, (_, start: string, end: string) => `${start}${describeRuns(runs)}${end}`)

export function writeLongRuns(): void {
  writeFileSync(GUIDE, withRuns(readFileSync(GUIDE, 'utf8'), readRuns()))
}

if (import.meta.main) writeLongRuns()
