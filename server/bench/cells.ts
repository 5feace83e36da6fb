/** The measured servers as cells: Kassa in one or several processes, and the baselines. */
import { join } from 'node:path'
import type { Db } from '../storage/db.ts'
import type { Baseline } from './baseline-storage.ts'
import { type LoadOptions, runLoad } from './load.ts'
import { type ServerProcess, spawnServer } from './processes.ts'
import type { Cell } from './rounds.ts'
import type { Checkout, Scene } from './scene.ts'

const BASELINE = join(import.meta.dirname, 'baseline-server.ts')
/** The database connections of a baseline: as many as Kassa has by default. */
const POOL = '10'

/** The worker of a build goes on with what the requests have made, also while the others have their turns. So it is left out. */
const WITHOUT_WORKER = { PROCESS: 'web' }

/** `count`: the statement that counts what the requests have stored. */
type Requests = Pick<LoadOptions, 'next' | 'expected'> & { stored?: { db: Db; count: string } }

export async function startKassa(
  { stack }: Scene,
  checkout: Checkout,
  { name = checkout.name, processes = 1, ...given }: Requests & { name?: string; processes?: number },
): Promise<Cell> {
  const servers: ServerProcess[] = []
  for (let index = 0; index < processes; index++) {
    const server = await checkout.start(WITHOUT_WORKER)
    stack.defer(server.stop)
    servers.push(server)
  }
  return cellOf(name, servers, given)
}

export async function startBaseline(
  { stack, environment }: Pick<Scene, 'stack' | 'environment'>,
  name: Baseline,
  given: Requests,
): Promise<Cell> {
  const server = spawnServer([process.execPath, BASELINE, name, POOL], { environment })
  stack.defer(server.stop)
  return cellOf(name, [server], given)
}

async function cellOf(name: string, servers: ServerProcess[], { stored, ...given }: Requests): Promise<Cell> {
  const ports = await Promise.all(servers.map(({ port }) => port))
  const { signal } = new AbortController()
  let done = 0
  return {
    name,
    pids: servers.map(({ pid }) => pid),
    async work(amount, connections) {
      const result = await runLoad({ ...given, ports, connections, amount, signal })
      done += result.done
      return result
    },
    async verify() {
      if (!stored) return
      const { rows } = await stored.db.query(stored.count)
      if (rows[0].count !== done)
        throw new Error(`${name} returned 201 for ${done} requests, but its database has ${rows[0].count}.`)
    },
  }
}
