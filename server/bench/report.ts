/** Computes medians and ratios from the turns of every cell, and prints them as a table. */
import { median, type State, type Turn } from './rounds.ts'
import { OWN } from './scene.ts'

/** What Kassa did in one state with one number of requests at once, as a share of what another cell did in the same round. */
export type Ratio = { situation: string; base: string; rounds: number[]; median: number }

const STATES: Record<State, string> = { steady: 'steady', pause: 'after a pause' }

export const situationOf = ({ state, connections }: Pick<Turn, 'state' | 'connections'>) =>
  `${STATES[state]}, ${connections} at once`

/** Returns the ratios of Kassa's rate to that of each other cell. */
export function findRatios(turns: Turn[]): Ratio[] {
  return [...Map.groupBy(turns, situationOf)].flatMap(([situation, there]) => {
    const rates = Map.groupBy(there, ({ cell }) => cell)
    const own = rates.get(OWN) ?? []
    return [...rates.keys()]
      .filter((base) => base !== OWN)
      .map((base) => {
        const others = rates.get(base) ?? []
        const rounds = own.map((turn, round) => turn.perSecond / (others[round]?.perSecond ?? Number.NaN))
        return { situation, base, rounds, median: median(rounds) }
      })
  })
}

const HEAD = ['', 'a second', 'p50 ms', 'p99 ms', 'Node us', 'PostgreSQL us', 'of it']

/** Returns a table for each situation: the medians of each cell, and Kassa's rate as a share of it. */
export function table(turns: Turn[], ratios: Ratio[]): string {
  return [...Map.groupBy(turns, situationOf)]
    .map(([situation, there]) => {
      const rows = [...Map.groupBy(there, ({ cell }) => cell)].map(([cell, own]) => {
        const of = (figure: Exclude<keyof Turn, 'cell' | 'state'>, digits = 0) =>
          median(own.map((turn) => turn[figure])).toFixed(digits)
        const ratio = ratios.find((each) => each.situation === situation && each.base === cell)
        const figures = [
          of('perSecond'),
          of('p50Ms', 1),
          of('p99Ms', 1),
          of('nodeCpuUs'),
          of('postgresCpuUs'),
        ]
        return [cell, ...figures, ratio?.median.toFixed(2) ?? '']
      })
      return `${situation}\n${align([HEAD, ...rows])}`
    })
    .join('\n\n')
}

function align(rows: string[][]): string {
  const shown = rows.map((row) => row.map((text) => (text === 'NaN' ? '-' : text)))
  const widths = HEAD.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)))
  const cellText = (text: string, column: number) =>
    column ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)
  return shown.map((row) => row.map(cellText).join('   ')).join('\n')
}
