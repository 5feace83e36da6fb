/**
 * Once for all test files: a real PostgreSQL, and in it a migrated template that each test's own database is copied
 * from. DATABASE_URL, where it is set, names a server that the tests may create databases on.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../postgres/embedded.ts'
import { makeTemplate } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the test server's maintenance database. */
    postgresUrl: string
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.DATABASE_URL
  if (given) {
    await makeTemplate(given)
    project.provide('postgresUrl', given)
    return async () => {}
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-test-'))
  await chmod(dataDir, 0o755)
  const embedded = await startEmbedded({ dataDir, settings: { max_connections: '300' } })
  await makeTemplate(embedded.url)
  project.provide('postgresUrl', embedded.url)
  return async () => {
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
