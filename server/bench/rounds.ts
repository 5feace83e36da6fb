/** Measures in rounds. In each round every cell has its turn, so that other load on the machine affects all of them equally. */
import type { Db } from '../storage/db.ts'
import type { Cell } from './cells.ts'
import { countConnections } from './connections.ts'
import { familyCpuMs, processCpuMs } from './cpu.ts'
import { type LoadResult, runLoad } from './load.ts'

export type Turn = {
  cell: string
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** CPU time of the server process and of PostgreSQL, in microseconds per request. */
  nodeCpuUs: number
  postgresCpuUs: number
  /** Database connections of the server at the end of the turn. */
  connections: number
}

export type RoundsOptions = {
  cells: Cell[]
  db: Db
  postmasterPid: number
  rounds: number
  seconds: number
  connections: number
  signal: AbortSignal
  onProgress(line: string): void
}

const WARM_UP_SECONDS = 2

export async function runRounds(options: RoundsOptions): Promise<Turn[]> {
  const { cells, rounds, seconds, onProgress } = options
  for (const cell of cells) await load(options, cell, Math.min(seconds, WARM_UP_SECONDS))
  const turns: Turn[] = []
  for (let round = 0; round < rounds; round++) {
    // Each round starts with another server, so that none always runs after the same one.
    const start = round % cells.length
    const order = [...cells.slice(start), ...cells.slice(0, start)]
    for (const cell of order) turns.push(await measure(options, cell))
    const rates = turns
      .slice(-cells.length)
      .map((turn) => `${turn.cell} ${Math.round(turn.requestsPerSecond)}`)
    onProgress(`round ${round + 1} of ${rounds}: ${rates.join(', ')} req/s`)
  }
  return turns
}

async function measure(options: RoundsOptions, cell: Cell): Promise<Turn> {
  const cpuNow = () => Promise.all([processCpuMs(cell.pid), familyCpuMs(options.postmasterPid)])
  const [nodeBefore, postgresBefore] = await cpuNow()
  const { created, seconds, latenciesMs } = await load(options, cell, options.seconds)
  const [nodeAfter, postgresAfter] = await cpuNow()
  return {
    cell: cell.name,
    requestsPerSecond: created / seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    nodeCpuUs: ((nodeAfter - nodeBefore) * 1000) / created,
    postgresCpuUs: ((postgresAfter - postgresBefore) * 1000) / created,
    connections: await countConnections(options.db, cell.name),
  }
}

async function load(options: RoundsOptions, cell: Cell, seconds: number): Promise<LoadResult> {
  const { connections, signal } = options
  const result = await runLoad({ port: cell.port, connections, seconds, next: cell.next, signal })
  if (result.refused > 0 || result.created === 0)
    throw new Error(`${cell.name} returned another status than 201 for ${result.refused} requests.`)
  cell.created += result.created
  return result
}

/**
 * Compares the turns with this name over all rounds. `of`: the median of a figure. `to`: the median of its ratio to the turn
 * `base` of the same round.
 */
export function compareTurns<Name extends string, Figure extends string>(
  rounds: readonly Record<Name, Record<Figure, number>>[],
  name: Name,
  base: Name,
) {
  return {
    of: (figure: Figure, digits = 0) => median(rounds.map((turns) => turns[name][figure])).toFixed(digits),
    to: (figure: Figure) =>
      median(rounds.map((turns) => turns[name][figure] / turns[base][figure])).toFixed(2),
  }
}

export function median(values: number[]): number {
  return quantile(
    values.toSorted((left, right) => left - right),
    0.5,
  )
}

/** Returns the quantile of sorted values. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
