/** The guide on libraries says how many lines our own code has. The decisions rest on these numbers. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** How far a number of the guide may be from the files. Not every change of a file has to change the guide. */
const TOLERANCE = 0.25
const NOT_COUNTED = /\.(test|suite|spec|long)\.tsx?$/

const guide = readFileSync(new URL('libraries.md', import.meta.url), 'utf8')
const kept = /^## Kept\n([\s\S]*?)^## /m.exec(guide)?.[1] ?? ''
const rows = [...kept.matchAll(/^\| (.+?) \| ([\d,]+) \|/gm)].map(([, what = '', lines = '']) => ({
  what,
  lines: Number(lines.replaceAll(',', '')),
}))
/** A row about a part of a file has no lines that could be counted. */
const whole = rows.filter(({ what }) => !what.includes('part of `'))

/** Returns the path in the project of a path in the guide: most are in `server`. */
const placeOf = (path: string) => join(ROOT, path.startsWith('e2e/') ? '' : 'server', path)

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !NOT_COUNTED.test(file))
    .map((file) => join(path, file))
}

/** Counts the lines of the paths in the cell, without those after the word `without`. */
function countLines(what: string): number {
  const [given = '', left = ''] = what.split(', without ')
  const pathsIn = (text: string) => [...text.matchAll(/`([^`]+[/.][^`]*)`/g)].map(([, path = '']) => path)
  const out = pathsIn(left).map(placeOf)
  return pathsIn(given)
    .flatMap((path) => filesIn(placeOf(path)))
    .filter((file) => !out.some((folder) => file.startsWith(folder)))
    .reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0)
}

test('most rows name whole files', () => {
  expect(whole.length).toBeGreaterThan(30)
  expect(rows.length - whole.length).toBeLessThan(6)
})

test.each(whole)('$what: the number of lines is about right', ({ what, lines }) => {
  const counted = countLines(what)
  expect(lines, `the files have ${counted} lines`).toBeGreaterThan(counted * (1 - TOLERANCE))
  expect(lines, `the files have ${counted} lines`).toBeLessThan(counted * (1 + TOLERANCE))
})
