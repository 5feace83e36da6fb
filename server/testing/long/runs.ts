/**
 * What is stored of the last run of each part of the long tests, in `server/testing/long-runs.json`. Only the runner writes the file.
 * A commit's id changes when it is put on another one, so a digest of the files decides whether a run is still valid.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PART_NAMES, PARTS, type Part, type PartName } from './parts.ts'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FILE = 'server/testing/long-runs.json'
/** Texts and short tests change nothing of what a long test has shown. */
const UNIMPORTANT = /\.md$|\.test\.tsx?$|^server\/testing\/|^e2e\/(support|bench)\//
const IS_LONG = /\.long\.ts$/
/** A test, or a group of tests, that `npm test` leaves out. The rest of its file runs there. */
const TAG = "['long']"

/** `skipped`: only skipped tests, because the machine lacks a program. */
export type Result = 'green' | 'red' | 'skipped'
export type Run = {
  at: string
  commit: string
  /** A digest of the files on which the part depends. */
  digest: string
  result: Result
  minutes: number
  passed: number
  failed: number
  skipped: number
}
export type Runs = Partial<Record<PartName, Run>>

const git = (...words: string[]): string =>
  execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })

export const readRuns = (): Runs =>
  JSON.parse(readFileSync(new URL(`../../../${FILE}`, import.meta.url), 'utf8'))

/** Stores the run. The parts keep the order of their table. */
export function storeRun(name: PartName, run: Run): void {
  const runs = { ...readRuns(), [name]: run }
  const ordered = Object.fromEntries(PART_NAMES.flatMap((each) => (runs[each] ? [[each, runs[each]]] : [])))
  writeFileSync(new URL(`../../../${FILE}`, import.meta.url), `${JSON.stringify(ordered, null, 2)}\n`)
}

/** Returns the files of ordinary tests in which some are long. */
export const listTagged = (): string[] =>
  git('grep', '-lF', '--untracked', TAG, '--', 'server/**/*.test.ts', 'server/**/*.suite.ts')
    .split('\n')
    .filter(Boolean)

function isMeant(part: Part, file: string, tagged: readonly string[]): boolean {
  if (part.rooms.includes(file)) return true
  const isLong = IS_LONG.test(file) || tagged.includes(file)
  return isLong ? part.files.some((start) => file.startsWith(start)) : !UNIMPORTANT.test(file)
}

/** Returns each file of the last commit on which the part depends, with the digest of its content. */
function listFiles(part: Part): string[] {
  const lines = git('ls-tree', '-r', 'HEAD', '--', ...part.rooms, ...foldersOf(part)).split('\n')
  const tagged = listTagged()
  return lines.filter((line) => isMeant(part, line.split('\t')[1] ?? '', tagged)).filter(Boolean)
}

/** The beginnings of paths, cut down to folders, because git does not know beginnings. */
const foldersOf = ({ files }: Part): string[] => files.map((start) => start.replace(/[^/]*$/, ''))

export const digestOf = (name: PartName): string =>
  createHash('sha256').update(listFiles(PARTS[name]).join('\n')).digest('hex').slice(0, 20)

/** Returns the files of the part that differ from the last commit. */
export function listUncommitted(name: PartName): string[] {
  const tagged = listTagged()
  return git('status', '--porcelain', '--', ...PARTS[name].rooms, ...foldersOf(PARTS[name]))
    .split('\n')
    .filter((line) => line !== '' && isMeant(PARTS[name], line.slice(3), tagged))
}

export const readCommitId = (): string => git('rev-parse', 'HEAD').trim()

/** Says for each part without a valid green run why it has none. A release needs an empty list. */
export function listUnproven(
  runs: Runs = readRuns(),
  digestNow: (name: PartName) => string = digestOf,
): string[] {
  return PART_NAMES.flatMap((name) => {
    const run = runs[name]
    if (!run) return [`${name}: was never run`]
    if (run.result !== 'green') return [`${name}: was ${run.result} at commit ${run.commit.slice(0, 10)}`]
    return run.digest === digestNow(name)
      ? []
      : [`${name}: its files have changed since commit ${run.commit.slice(0, 10)}, where it was green`]
  })
}
