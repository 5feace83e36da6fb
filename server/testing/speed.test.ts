/**
 * No test depends on how fast the machine is. A test waits for a fact, moves a clock, or lets the time of the process pass
 * (`real-time.ts`). Where real time must pass, such as at a provider that answers late, a comment `Real time:` just above says why, and
 * why a slow machine changes nothing. The long tests may measure.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A limit ends a test that hangs. With less than this it would also end one on a busy machine. */
const LIMIT_MIN_MS = 30_000
/** How many lines above a call its comment may begin. */
const ABOVE = 3

const WAITS = /\b(sleep|waitForTimeout)\(|(?<!test\.)\bsetTimeout\(/
const DURATIONS = /performance\.now\(\) - \w+\)?\s*\)?\.toBe(Less|Greater)/
const LIMITS = /\b(?:timeout:|\w*(?:WITHIN|PATIENCE)_MS =) ?([\d_]+)(?! \*)/g
const OWN_END = /\btest\.setTimeout\(/
const REASON = /Real time:/

/** Returns what in this text depends on the machine's speed, as line numbers with the reason. */
function findSpeed(text: string): string[] {
  const lines = text.split('\n')
  const hasOwnTimers = text.includes('useFakeTimers')
  return lines.flatMap((line, index) => {
    const code = line.replace(/^\s*(\*|\/\/).*/, '')
    const isExplained = lines.slice(Math.max(0, index - ABOVE), index + 1).some((each) => REASON.test(each))
    if (isExplained) return []
    const limits = [...code.matchAll(LIMITS)].map(([, ms = '']) => Number(ms.replaceAll('_', '')))
    return [
      ...(WAITS.test(code) && !hasOwnTimers ? [`${index + 1}: it waits for a time: ${code.trim()}`] : []),
      ...(OWN_END.test(code) ? [`${index + 1}: it has a limit of its own: ${code.trim()}`] : []),
      ...(DURATIONS.test(code) ? [`${index + 1}: it compares a duration: ${code.trim()}`] : []),
      ...(limits.some((ms) => ms < LIMIT_MIN_MS)
        ? [`${index + 1}: it gives up too early: ${code.trim()}`]
        : []),
    ]
  })
}

/** What a long test may wait for within itself. Its own limit is that of its part, and no test sets a shorter one. */
const LONG_WAIT_MIN_MS = 120_000
const PART_LIMIT_MS = 1_200_000
const OWN_LIMIT = /^\s*(?:\}, )?([\d_]{5,})(?:\)|,)$/gm

/** Returns the limits of a long test that are too short. */
function findEarly(text: string): string[] {
  const shorter = (pattern: RegExp, least: number) =>
    [...text.matchAll(pattern)].filter(([, ms = '']) => Number(ms.replaceAll('_', '')) < least)
  return [...shorter(OWN_LIMIT, PART_LIMIT_MS), ...shorter(LIMITS, LONG_WAIT_MIN_MS)].map(([limit]) =>
    limit.trim(),
  )
}

const read = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8')
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
const files = listed.split('\n').filter((file) => /\.(test|suite|spec)\.tsx?$/.test(file))
const short = files.filter((file) => !file.includes('.suite.')).map(read)

/** A suite that only long tests use may measure. */
const isShort = (file: string) => {
  const name = file.split('/').at(-1) ?? ''
  return !file.includes('.suite.') || short.some((text) => text.includes(`/${name}'`))
}

test('no test of npm test waits for a time, compares durations, or gives up early', () => {
  const found = files
    .filter((file) => isShort(file) && !file.endsWith('testing/speed.test.ts'))
    .flatMap((file) => findSpeed(read(file)).map((fault) => `${file}:${fault}`))
  expect(found).toEqual([])
})

test('no long test gives up before a busy machine is done', () => {
  const found = listed
    .split('\n')
    .filter((file) => file.endsWith('.long.ts'))
    .flatMap((file) => findEarly(read(file)).map((limit) => `${file}: ${limit}`))
  expect(found).toEqual([])
  expect(findEarly('}, 60_000)\n  60_000,\n{ timeout: 20_000 }')).toHaveLength(3)
  expect(findEarly('}, 7_200_000)\n{ timeout: 120_000 }')).toEqual([])
})

test('each kind is found, and a reason excuses it', () => {
  const waits = '  await sleep(900)'
  const late = '  expect(performance.now() - started).toBeLessThan(5_000)'
  const early = '  await expect.poll(state, { timeout: 5_000 }).toBe(1)'
  const named = 'const PAID_WITHIN_MS = 8_000'
  expect(findSpeed([waits, late, early, named, '  test.setTimeout(60_000)'].join('\n'))).toHaveLength(5)
  expect(findSpeed(`  // Real time: the bank answers late. Any order is right.\n${waits}`)).toEqual([])
})
