/** Calculates medians and ratios from the measurements, and writes them as a table. */
import { quantile, type Turn } from './rounds.ts'

export type Report = {
  /** Medians over the rounds. */
  cells: Turn[]
  /** Medians of the ratio within each round; CPU is Node and PostgreSQL together. */
  ratios: { kassaToTx: number; kassaToCte: number; cpuKassaToTx: number; cpuKassaToCte: number }
}

const FIGURES = ['requestsPerSecond', 'p50Ms', 'p99Ms', 'nodeCpuUs', 'postgresCpuUs'] as const

const cpuUs = (turn: Turn) => turn.nodeCpuUs + turn.postgresCpuUs

export function summarise(turns: Turn[]): Report {
  const of = (cell: string) => turns.filter((turn) => turn.cell === cell)
  const ratio = (left: string, right: string, figure: (turn: Turn) => number) => {
    const others = of(right)
    return median(of(left).map((turn, round) => figure(turn) / figure(others[round] ?? turn)))
  }
  const rate = (turn: Turn) => turn.requestsPerSecond
  const cells = [...new Set(turns.map((turn) => turn.cell))].map((cell) => {
    const figures = FIGURES.map((figure) => [figure, median(of(cell).map((turn) => turn[figure]))])
    return { cell, ...Object.fromEntries(figures) } as Turn
  })
  return {
    cells,
    ratios: {
      kassaToTx: ratio('kassa', 'tx', rate),
      kassaToCte: ratio('kassa', 'cte', rate),
      cpuKassaToTx: ratio('kassa', 'tx', cpuUs),
      cpuKassaToCte: ratio('kassa', 'cte', cpuUs),
    },
  }
}

function median(values: number[]): number {
  return quantile(
    values.toSorted((left, right) => left - right),
    0.5,
  )
}

const HEAD = ['', 'req/s', 'p50 ms', 'p99 ms', 'Node us/req', 'PostgreSQL us/req', 'CPU us/req']

/** Returns the table as text, with the project's targets next to the results. */
export function table({ cells, ratios }: Report): string {
  const rows = cells.map((turn) => [
    turn.cell,
    turn.requestsPerSecond.toFixed(0),
    turn.p50Ms.toFixed(1),
    turn.p99Ms.toFixed(1),
    ...[turn.nodeCpuUs, turn.postgresCpuUs, cpuUs(turn)].map((figure) => figure.toFixed(0)),
  ])
  const widths = HEAD.map((_, column) => Math.max(...[HEAD, ...rows].map((row) => row[column]?.length ?? 0)))
  const lines = [HEAD, ...rows].map((row) =>
    row
      .map((text, column) => (column ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)))
      .join('   '),
  )
  return `${lines.join('\n')}

kassa / tx    ${ratios.kassaToTx.toFixed(2)}   (aim: at least 1.5)
kassa / cte   ${ratios.kassaToCte.toFixed(2)}   (aim: at least 0.8)
CPU / tx      ${ratios.cpuKassaToTx.toFixed(2)}   (aim: at most 1.2)
CPU / cte     ${ratios.cpuKassaToCte.toFixed(2)}`
}
