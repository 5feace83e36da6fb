/** Measures how long a checkout takes to start on a prepared database, and how many database connections it then has. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../storage/db.ts'
import { type Checkout, KASSA_SETTINGS, spawnServer } from './cells.ts'
import { countConnections, nameConnections } from './connections.ts'
import { median } from './rounds.ts'

/** `startMs`: from the spawn to the first 200 of GET /api/health. `connections`: of the idle service with its worker. */
export type Start = { name: string; startMs: number; connections: number }

type StartsOptions = { db: Db; environment: Record<string, string>; rounds: number }

const HEALTHY_WITHIN_MS = 20_000
const ASK_EVERY_MS = 5
/** Long enough for the worker to have opened all its connections. */
const SETTLE_MS = 1_500

/** Returns medians. The checkouts take turns. The first start of each does not count. */
export async function measureStarts(checkouts: Checkout[], options: StartsOptions): Promise<Start[]> {
  const turns: Start[] = []
  for (let round = 0; round <= options.rounds; round++)
    for (const checkout of checkouts) {
      const turn = await measureStart(checkout, options)
      if (round > 0) turns.push(turn)
    }
  return checkouts.map(({ name }) => {
    const own = turns.filter((turn) => turn.name === name)
    return {
      name,
      startMs: median(own.map(({ startMs }) => startMs)),
      connections: median(own.map(({ connections }) => connections)),
    }
  })
}

async function measureStart(
  { name, main, databaseUrl }: Checkout,
  { db, environment }: StartsOptions,
): Promise<Start> {
  const started = performance.now()
  const server = spawnServer(main, [], {
    ...environment,
    ...KASSA_SETTINGS,
    ...nameConnections(name),
    DATABASE_URL: databaseUrl,
  })
  try {
    const port = await server.port
    await untilHealthy(port)
    const startMs = performance.now() - started
    await sleep(SETTLE_MS)
    return { name, startMs, connections: await countConnections(db, name) }
  } finally {
    await server.stop()
  }
}

async function untilHealthy(port: number): Promise<void> {
  const end = performance.now() + HEALTHY_WITHIN_MS
  while (performance.now() < end) {
    const status = await fetch(`http://127.0.0.1:${port}/api/health`).then(
      ({ status }) => status,
      () => 0,
    )
    if (status === 200) return
    await sleep(ASK_EVERY_MS)
  }
  throw new Error('The service was not healthy in time.')
}
