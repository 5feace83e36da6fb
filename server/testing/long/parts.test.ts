import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GUIDE, withRuns } from './guide.ts'
import { PART_NAMES, PARTS, partsOf, TOOLS } from './parts.ts'
import { digestOf, listTagged, listUnproven, ROOT, type Run, type Runs, readRuns } from './runs.ts'

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean)

test('each file of long tests belongs to exactly one part', () => {
  const tagged = listTagged()
  const long = files.filter((file) => file.endsWith('.long.ts') && !TOOLS.includes(file)).concat(tagged)
  expect(long.length - tagged.length).toBeGreaterThan(30)
  expect(long.filter((file) => partsOf(file).length !== 1).map((file) => [file, partsOf(file)])).toEqual([])
  expect(TOOLS.filter((file) => !files.includes(file))).toEqual([])
})

test('a tag stands in the files of tests themselves, because a part is run by their names', () => {
  const suites = listTagged().filter((file) => !/\.test\.tsx?$/.test(file))
  expect(suites).toEqual([])
})

test('each room and each beginning of a part exists', () => {
  const missing = PART_NAMES.flatMap((name) => {
    const { rooms, files: starts } = PARTS[name]
    return [
      ...rooms.filter((room) => !files.some((file) => file === room || file.startsWith(`${room}/`))),
      ...starts.filter((start) => !files.some((file) => file.startsWith(start))),
    ]
  })
  expect(missing).toEqual([])
})

test('a guide that is walked belongs to the part that walks it', () => {
  const walks = files.flatMap(
    (file) => /^server\/testing\/guides\/(?!scene|walk)(\w+)\.ts$/.exec(file)?.[1] ?? [],
  )
  expect(walks.length).toBeGreaterThan(3)
  expect(PARTS.guides.rooms).toEqual(expect.arrayContaining(walks.map((name) => `server/guides/${name}.md`)))
})

test('the guide shows the stored runs (npm run generate -- long writes it)', () => {
  const text = readFileSync(GUIDE, 'utf8')
  expect(text).toBe(withRuns(text, readRuns()))
  for (const name of PART_NAMES) expect(text).toContain(`| \`${name}\` |`)
})

test('a release needs a green run of each part on the files of today', () => {
  const run = (result: Run['result'], digest = 'today'): Run => ({
    at: '2026-01-02T03:04:05Z',
    commit: '0123456789abcdef',
    digest,
    result,
    minutes: 1,
    passed: 1,
    failed: 0,
    skipped: 0,
  })
  const all = Object.fromEntries(PART_NAMES.map((name) => [name, run('green')])) satisfies Runs
  expect(listUnproven(all, () => 'today')).toEqual([])
  const { payments: _, ...without } = all
  const some: Runs = {
    ...without,
    model: run('red'),
    operating: run('skipped'),
    books: run('green', 'earlier'),
  }
  expect(listUnproven(some, () => 'today')).toEqual([
    'payments: was never run',
    'model: was red at commit 0123456789',
    'books: its files have changed since commit 0123456789, where it was green',
    'operating: was skipped at commit 0123456789',
  ])
})

test('a digest is of the part’s own rooms', () => {
  // Each digest asks git for the files of its rooms, so two of them are compared.
  const [one, other] = [digestOf('payments'), digestOf('console')]
  expect(one).toMatch(/^[0-9a-f]{20}$/)
  expect(other).not.toBe(one)
})
