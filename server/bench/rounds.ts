/** Measures in rounds. In each round every cell has its turn, so that other load on the machine affects all of them equally. */
import { setTimeout as sleep } from 'node:timers/promises'
import { familyCpuMs, processCpuMs } from './cpu.ts'
import type { Amount, LoadResult } from './load.ts'

/** One measured server, or several that share their work. */
export type Cell = {
  name: string
  pids: number[]
  work(amount: Amount, connections: number): Promise<LoadResult>
  /** @throws Error if the database does not have what the responses promised */
  verify?(): Promise<void>
}

/**
 * `steady`: after a time of the same work that is not measured. `pause`: the first requests after a time without any. Between two
 * turns of a server the others have theirs, so *steady* has its own warm-up in each turn.
 */
export type State = 'steady' | 'pause'

/** A figure of one cell in one round. CPU: in microseconds for each request. */
export type Turn = {
  cell: string
  state: State
  connections: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  nodeCpuUs: number
  postgresCpuUs: number
}

export type Plan = {
  rounds: number
  states: State[]
  connections: number[]
  /** `first`: before all rounds, so that the code of every server is compiled as after a long time of work. */
  amounts: Record<State | 'first' | 'warmUp', Amount>
  pauseSeconds: number
}

type Measuring = { cells: Cell[]; postmasterPid: number; onProgress(line: string): void }

export async function runRounds(plan: Plan, measuring: Measuring): Promise<Turn[]> {
  const { rounds, states, connections, pauseSeconds } = plan
  const { cells, onProgress } = measuring
  for (const cell of cells) await cell.work(plan.amounts.first, connections[0] ?? 1)
  const turns: Turn[] = []
  for (let round = 0; round < rounds; round++)
    for (const state of states)
      for (const atOnce of connections) {
        const order = orderOf(cells, round)
        if (state === 'pause') await sleep(pauseSeconds * 1000)
        for (const cell of order) {
          if (state === 'steady') await cell.work(plan.amounts.warmUp, atOnce)
          turns.push({
            state,
            connections: atOnce,
            ...(await measure(cell, plan, { state, atOnce }, measuring)),
          })
        }
        const rates = turns.slice(-cells.length).map((turn) => `${turn.cell} ${Math.round(turn.perSecond)}`)
        const what = `${state === 'steady' ? 'steady' : 'after a pause'}, ${atOnce} at once`
        onProgress(`round ${round + 1} of ${rounds}, ${what}: ${rates.join(', ')} a second`)
      }
  return turns
}

/**
 * Each round starts with another server, and every second round goes the other way. Otherwise each server would run after the same one in
 * nearly all rounds, while PostgreSQL still writes down what that one has left.
 */
function orderOf(cells: readonly Cell[], round: number): Cell[] {
  const start = round % cells.length
  const order = [...cells.slice(start), ...cells.slice(0, start)]
  return round % 2 ? order.reverse() : order
}

async function measure(
  cell: Cell,
  { amounts }: Plan,
  { state, atOnce }: { state: State; atOnce: number },
  { postmasterPid }: Measuring,
): Promise<Omit<Turn, 'state' | 'connections'>> {
  const cpuNow = async () => {
    const own = await Promise.all(cell.pids.map(processCpuMs))
    return { node: own.reduce((sum, ms) => sum + ms, 0), postgres: await familyCpuMs(postmasterPid) }
  }
  const before = await cpuNow()
  const { done, refused, seconds, latenciesMs } = await cell.work(amounts[state], atOnce)
  if (refused > 0 || done === 0)
    throw new Error(`${cell.name} returned another status than expected for ${refused} requests.`)
  const after = await cpuNow()
  return {
    cell: cell.name,
    perSecond: done / seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    nodeCpuUs: ((after.node - before.node) * 1000) / done,
    postgresCpuUs: ((after.postgres - before.postgres) * 1000) / done,
  }
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
