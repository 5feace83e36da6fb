/**
 * The long tests. `npm run test:long` runs every part, `npm run test:long -- PART` some parts, and `npm run test:long -- FILE` those files
 * of `.long.ts` whose paths contain the given text. `npm run test:long -- PART TEXT` runs the files of a part whose names go on with the
 * text, such as `platforms vendure`. The result of a whole part is stored in `long-runs.json` and shown in the guide.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeLongRuns } from './long/guide.ts'
import { PART_NAMES, PARTS, type Part, type PartName, partsOf } from './long/parts.ts'
import {
  digestOf,
  listTagged,
  listUncommitted,
  type Result,
  type Run,
  readCommitId,
  storeRun,
} from './long/runs.ts'
import { endWithTest } from './processes/child-process.ts'

const LIMIT_MS = 20 * 60_000
const UNIT = ['vitest', 'run', '--root', '.', '--config', 'server/testing/long-config.ts']
/** The long tests in files of ordinary ones. */
const TAGGED = ['vitest', 'run', '--root', '.', '--tags-filter=long']
const BEFORE_BROWSER = [
  ['vite', 'build'],
  ['node', 'e2e/support/browser.ts'],
]

type Counts = Pick<Run, 'passed' | 'failed' | 'skipped'>
const NONE: Counts = { passed: 0, failed: 0, skipped: 0 }
const add = (one: Counts, other: Counts): Counts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
})

/** Runs a program to its end, or to the end of the time. Returns its exit code, or null if it was ended. */
async function run(
  [program = '', ...words]: readonly string[],
  { env = {}, untilMs = Number.POSITIVE_INFINITY }: { env?: Record<string, string>; untilMs?: number } = {},
): Promise<number | null> {
  const child = spawn(program, words, {
    stdio: 'inherit',
    env: { ...process.env, KASSA_TEST_LONG: '1', ...env },
    detached: true,
  })
  endWithTest(child, { signal: 'TERM', isGroup: true })
  const end = () => child.pid && process.kill(-child.pid, 'SIGTERM')
  const left = untilMs - performance.now()
  const timer = Number.isFinite(left) ? setTimeout(end, left) : undefined
  process.once('SIGINT', end).once('SIGTERM', end)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  process.off('SIGINT', end).off('SIGTERM', end)
  return code
}

/** Reads what a test runner has written as JSON. A file that is missing or cut off counts as one failed test. */
function readCounts(file: string): Counts {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, stats } = JSON.parse(readFileSync(file, 'utf8'))
    return stats
      ? { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }
      : { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests }
  } catch {
    return { ...NONE, failed: 1 }
  }
}

type Step = { words: readonly string[]; json?: string; env?: Record<string, string> }

/** The commands of a part. Those with `json` write there what their tests did. */
function stepsOf(name: PartName, folder: string): Step[] {
  const { files, browser = [] }: Part = PARTS[name]
  const tagged = listTagged().filter((file) => partsOf(file).includes(name))
  const json = (index: number) => join(folder, `browser-${index}.json`)
  const unit = (begin: string[], chosen: readonly string[], file: string): Step[] => {
    const words = [...begin, ...chosen, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    return chosen.length > 0 ? [{ words, json: file }] : []
  }
  return [
    ...unit(UNIT, files, join(folder, 'unit.json')),
    ...unit(TAGGED, tagged, join(folder, 'tagged.json')),
    ...(browser.length > 0 ? BEFORE_BROWSER.map((words) => ({ words })) : []),
    ...browser.map((words, index) => ({
      words: ['playwright', 'test', '--reporter=list,json', ...words],
      json: json(index),
      env: { PLAYWRIGHT_JSON_OUTPUT_FILE: json(index) },
    })),
  ]
}

async function runPart(name: PartName): Promise<Result> {
  const uncommitted = listUncommitted(name)
  const folder = mkdtempSync(join(tmpdir(), 'kassa-long-'))
  const started = performance.now()
  const stored = { at: new Date().toISOString(), commit: readCommitId(), digest: digestOf(name) }
  let counts = NONE
  let hasFailed = false
  for (const { words, json, env = {} } of stepsOf(name, folder)) {
    const code = await run(words, { env, untilMs: started + LIMIT_MS })
    hasFailed ||= code !== 0
    if (json) counts = add(counts, readCounts(json))
  }
  rmSync(folder, { recursive: true, force: true })
  const minutes = Number(((performance.now() - started) / 60_000).toFixed(1))
  const result = hasFailed || counts.failed > 0 ? 'red' : counts.passed > 0 ? 'green' : 'skipped'
  const { passed, failed, skipped } = counts
  console.info(
    `${name}: ${result} after ${minutes} min, ${passed} passed, ${failed} failed, ${skipped} skipped`,
  )
  if (uncommitted.length > 0)
    console.info(`The result is not stored, because files are not committed:\n${uncommitted.join('\n')}`)
  else {
    storeRun(name, { ...stored, result, minutes, ...counts })
    writeLongRuns()
  }
  return result
}

const isPart = (text: string): text is PartName => PART_NAMES.some((name) => name === text)

const given = process.argv.slice(2)
const parts = given.filter(isPart)
const texts = given.filter((text) => !isPart(text))
const starts = parts.flatMap((name): readonly string[] => PARTS[name].files)
const files = parts.length > 0 ? starts.flatMap((start) => texts.map((text) => start + text)) : texts
if (texts.length > 0) process.exitCode = (await run([...UNIT, ...files])) ?? 1
else
  for (const name of parts.length > 0 ? parts : PART_NAMES)
    if ((await runPart(name)) === 'red') process.exitCode = 1
