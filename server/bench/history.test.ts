import { describe, expect, test } from 'vitest'
import { COMPARISONS } from './comparisons.ts'
import { addEntry, digestOf, findChangedPins, findFalls, readHistory } from './history.ts'
import { findRatios, type Ratio } from './report.ts'
import type { Turn } from './rounds.ts'

const ratio = (base: string, ...rounds: number[]): Ratio => ({
  situation: 'steady, 16 at once',
  base,
  rounds,
  median: rounds[0] ?? 0,
})
const turn = (cell: string, perSecond: number): Turn => ({
  cell,
  state: 'steady',
  connections: 16,
  perSecond,
  p50Ms: 1,
  p99Ms: 1,
  nodeCpuUs: 1,
  postgresCpuUs: 1,
})

describe('the kept history', () => {
  test('belongs to the baselines and the load generator as they are', async () => {
    const history = await readHistory()
    expect(await findChangedPins(history)).toEqual([])
    const pinned = { ...history.pinned, 'load.ts': await digestOf('requests.ts') }
    expect(await findChangedPins({ ...history, pinned })).toEqual(['load.ts'])
  })

  test('has ratios of known comparisons only', async () => {
    for (const [name, entries] of Object.entries((await readHistory()).cases)) {
      const baselines = COMPARISONS[name]?.baselines ?? []
      for (const { ratios } of entries)
        for (const each of Object.values(ratios))
          for (const [base, value] of Object.entries(each))
            expect([name, baselines.includes(base), value > 0]).toEqual([name, true, true])
    }
  })
})

describe('a measurement', () => {
  test('has the ratio of each round and their median', () => {
    const turns = [
      turn('kassa', 50),
      turn('cte', 100),
      turn('kassa', 90),
      turn('cte', 90),
      turn('kassa', 40),
      turn('cte', 100),
    ]
    expect(findRatios(turns)).toEqual([
      { situation: 'steady, 16 at once', base: 'cte', rounds: [0.5, 1, 0.4], median: 0.5 },
    ])
  })

  test('replaces the same situations of its release and keeps the others', () => {
    const measured = (ratios: Ratio[]) => ({
      name: 'creation',
      release: '0.3.0',
      ratios,
      baselines: ['cte'],
    })
    const paused = { ...ratio('cte', 0.9), situation: 'after a pause, 16 at once' }
    const first = addEntry({ pinned: {}, cases: {} }, measured([ratio('cte', 1), paused]))
    const { cases } = addEntry(first, measured([ratio('cte', 0.8)]))
    expect(cases.creation).toEqual([
      {
        release: '0.3.0',
        ratios: { 'steady, 16 at once': { cte: 0.8 }, 'after a pause, 16 at once': { cte: 0.9 } },
        best: {},
      },
    ])
  })

  test('says what has fallen by more than a tenth in all rounds', () => {
    const history = addEntry(
      { pinned: {}, cases: {} },
      {
        name: 'creation',
        release: '0.3.0',
        ratios: [ratio('cte', 1), ratio('old', 1.2), ratio('older', 1.1)],
        baselines: ['cte'],
      },
    )
    const entries = history.cases.creation ?? []
    expect(entries).toEqual([
      {
        release: '0.3.0',
        ratios: { 'steady, 16 at once': { cte: 1 } },
        best: { 'steady, 16 at once': { build: 'older', ratio: 1.1 } },
      },
    ])
    expect(findFalls(entries, [ratio('cte', 0.85, 0.89, 0.7)])).toEqual([
      'steady, 16 at once: the ratio to cte has fallen from 1 in 0.3.0 to at most 0.89 in every round.',
    ])
    expect(findFalls(entries, [ratio('cte', 0.85, 0.91, 0.7), ratio('null', 0.1)])).toEqual([])
  })
})
