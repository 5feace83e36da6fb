/** A PostgreSQL of its own for a test that kills it. It has the settings of an embedded one, so it loses nothing in a crash. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { startEmbedded } from '../../postgres/embedded.ts'
import { preparePlace } from '../../postgres/place.ts'
import { findPostmaster } from '../../postgres/postmaster.ts'
import { allowDatabases } from '../../postgres/role.ts'
import { createEmptyDatabase, type TestDatabase } from '../database.ts'
import { connectTo } from './command.ts'

const LIFE = { timeout: 60_000, interval: 50 }

export class MortalServer {
  url = ''
  #folder = ''
  #stop = async () => {}

  /** `settings`: of PostgreSQL. The server is started again whenever it was killed. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'kassa-mortal-'))
    await chmod(this.#folder, 0o755)
    const server = await startEmbedded({ dataDir: this.#folder, revive: true, settings })
    this.url = server.url
    this.#stop = server.stop
  }

  async emptyDatabase(): Promise<TestDatabase> {
    // Each start of the server takes the right to create databases away.
    await allowDatabases(this.#folder, this.url)
    return createEmptyDatabase(this.url)
  }

  /** Kills the postmaster with SIGKILL. PostgreSQL's other processes end by themselves. */
  async kill(): Promise<void> {
    const pid = await findPostmaster(await preparePlace(this.#folder))
    if (pid === null) throw new Error('The server that a test wants to kill does not run.')
    process.kill(pid, 'SIGKILL')
  }

  /** Waits until the server has recovered. */
  async untilUp(): Promise<void> {
    await vi.waitUntil(async () => {
      const client = await connectTo(this.url).catch(() => null)
      await client?.end()
      return client !== null
    }, LIFE)
  }

  async close(): Promise<void> {
    await this.#stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
