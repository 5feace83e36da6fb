/**
 * The ratios of each release, in `history.json`. Only ratios, because machines differ. They count only as long as the baselines and
 * the load generator stay as they are, so these files are pinned by their digests.
 */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ratio } from './report.ts'

/** A rate that is lower than this share of the recorded one, in every round, has fallen. */
const FALLEN = 0.9
const FILE = join(import.meta.dirname, 'history.json')

/** `ratios`: by situation and baseline. `best`: the ratio to the best earlier build that was measured beside it. */
export type Entry = {
  release: string
  ratios: Record<string, Record<string, number>>
  best: Record<string, { build: string; ratio: number }>
}
/** `pinned`: the digests of the files that a ratio depends on. `cases`: the entries of each case, the newest last. */
export type History = { pinned: Record<string, string>; cases: Record<string, Entry[]> }

export async function readHistory(): Promise<History> {
  return JSON.parse(await readFile(FILE, 'utf8'))
}

/** Returns the pinned files that have changed. */
export async function findChangedPins({ pinned }: History): Promise<string[]> {
  const names = Object.keys(pinned)
  const digests = await Promise.all(names.map(digestOf))
  return names.filter((name, index) => pinned[name] !== digests[index])
}

export async function digestOf(name: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(import.meta.dirname, name)))
    .digest('hex')
}

/** Returns a sentence for each ratio to a baseline that has fallen since the newest entry. */
export function findFalls(entries: readonly Entry[], ratios: readonly Ratio[]): string[] {
  const newest = entries.at(-1)
  return ratios.flatMap(({ situation, base, rounds }) => {
    const before = newest?.ratios[situation]?.[base]
    const most = Math.max(...rounds)
    if (before === undefined || !(most < before * FALLEN)) return []
    return `${situation}: the ratio to ${base} has fallen from ${before} in ${newest?.release} to at most ${most.toFixed(2)} in every round.`
  })
}

/**
 * Returns the history with an entry for this release. An earlier entry of the release keeps the situations that were not measured this
 * time. `baselines`: all others are builds.
 */
export function addEntry(
  history: History,
  {
    name,
    release,
    ratios,
    baselines,
  }: { name: string; release: string; ratios: readonly Ratio[]; baselines: readonly string[] },
): History {
  const entries = history.cases[name] ?? []
  const earlier = entries.find((each) => each.release === release)
  const entry: Entry = { release, ratios: { ...earlier?.ratios }, best: { ...earlier?.best } }
  for (const [situation, there] of Map.groupBy(ratios, (ratio) => ratio.situation)) {
    const rounded = (ratio: Ratio) => Number(ratio.median.toFixed(2))
    const isBaseline = ({ base }: Ratio) => baselines.includes(base)
    entry.ratios[situation] = Object.fromEntries(
      there.filter(isBaseline).map((ratio) => [ratio.base, rounded(ratio)]),
    )
    const [best] = there
      .filter((ratio) => !isBaseline(ratio))
      .toSorted((left, right) => left.median - right.median)
    if (best) entry.best[situation] = { build: best.base, ratio: rounded(best) }
  }
  const others = entries.filter((each) => each !== earlier)
  return { ...history, cases: { ...history.cases, [name]: [...others, entry] } }
}

export const writeHistory = (history: History) => writeFile(FILE, `${JSON.stringify(history, null, 2)}\n`)
