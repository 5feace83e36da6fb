/** Computes medians and ratios from the turns of every cell, and prints them as a table. */
import { median, type Turn } from './rounds.ts'
import type { Start } from './starts.ts'

export type Report = {
  /** Medians over the rounds. */
  cells: Turn[]
  /** Medians of the ratio within each round. CPU is the sum of Node and PostgreSQL. */
  ratios: { kassaToTx: number; kassaToCte: number; cpuKassaToTx: number; cpuKassaToCte: number }
  /** The ratios to the other checkout, if there is one: payments a second, CPU per payment, p99. */
  toOther: { rate: number; cpu: number; p99: number } | null
}

const FIGURES = ['requestsPerSecond', 'p50Ms', 'p99Ms', 'nodeCpuUs', 'postgresCpuUs', 'connections'] as const

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
    toOther:
      of('other').length === 0
        ? null
        : {
            rate: ratio('kassa', 'other', rate),
            cpu: ratio('kassa', 'other', cpuUs),
            p99: ratio('kassa', 'other', ({ p99Ms }) => p99Ms),
          },
  }
}

const HEAD = [
  '',
  'req/s',
  'p50 ms',
  'p99 ms',
  'Node us/req',
  'PostgreSQL us/req',
  'CPU us/req',
  'connections',
]

/** Returns the table as text, with the project's aims beside the results. */
export function table({ cells, ratios, toOther }: Report, starts: Start[]): string {
  const rows = cells.map((turn) => [
    turn.cell,
    turn.requestsPerSecond.toFixed(0),
    turn.p50Ms.toFixed(1),
    turn.p99Ms.toFixed(1),
    ...[turn.nodeCpuUs, turn.postgresCpuUs, cpuUs(turn)].map((figure) => figure.toFixed(0)),
    turn.connections.toFixed(0),
  ])
  const widths = HEAD.map((_, column) => Math.max(...[HEAD, ...rows].map((row) => row[column]?.length ?? 0)))
  const lines = [HEAD, ...rows].map((row) =>
    row
      .map((text, column) => (column ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)))
      .join('   '),
  )
  const startLines = starts.map(
    ({ name, startMs, connections }) =>
      `${name} starts in ${startMs.toFixed(0)} ms, and has ${connections} connections when idle with its worker`,
  )
  const otherLine = toOther
    ? `\nkassa / other ${toOther.rate.toFixed(2)}   (aim: at least 1); CPU ${toOther.cpu.toFixed(2)}, p99 ${toOther.p99.toFixed(2)}`
    : ''
  return `${lines.join('\n')}

${startLines.join('\n')}

kassa / tx    ${ratios.kassaToTx.toFixed(2)}   (aim: at least 1.5)
kassa / cte   ${ratios.kassaToCte.toFixed(2)}   (aim: at least 0.8)
CPU / tx      ${ratios.cpuKassaToTx.toFixed(2)}   (aim: at most 1.2)
CPU / cte     ${ratios.cpuKassaToCte.toFixed(2)}${otherLine}`
}
