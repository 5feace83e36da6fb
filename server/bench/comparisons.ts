/** The comparisons: what is measured, beside what, and the aim. */
import { prepareCreation, prepareProcesses } from './creation.ts'
import { prepareDeliveries } from './deliveries.ts'
import { prepareLookUps } from './look-ups.ts'
import type { Cell, Plan } from './rounds.ts'
import type { Scene } from './scene.ts'

export type Comparison = {
  /** The cells that are no build of Kassa. */
  baselines: readonly string[]
  connections: number[]
  amounts: Plan['amounts']
  /** A sentence. */
  aims: string
  prepare(scene: Scene): Promise<Cell[]>
}

/** The first thousand requests after a pause are the burst of a shop that was quiet. */
const REQUESTS = {
  first: { count: 5_000 },
  warmUp: { seconds: 1 },
  steady: { seconds: 4 },
  pause: { count: 1_000 },
}

export const COMPARISONS: Record<string, Comparison> = {
  creation: {
    baselines: ['null', 'tx', 'cte'],
    connections: [16],
    amounts: REQUESTS,
    aims: 'The aims are 0.45 of null, 1.0 of cte, and 1.0 of each earlier build.',
    prepare: prepareCreation,
  },
  'look-up': {
    baselines: ['read'],
    connections: [16],
    amounts: REQUESTS,
    aims: 'The aim is 0.8 of read.',
    prepare: prepareLookUps,
  },
  events: {
    baselines: ['bare'],
    connections: [16],
    amounts: {
      first: { count: 2_000 },
      warmUp: { count: 1_000 },
      steady: { count: 5_000 },
      pause: { count: 1_000 },
    },
    aims: 'The aim is 0.35 of bare.',
    prepare: prepareDeliveries,
  },
  processes: {
    baselines: ['two', 'three'],
    connections: [16],
    amounts: REQUESTS,
    aims: 'Processes on one machine share its processors. More machines are the gain.',
    prepare: prepareProcesses,
  },
}
