/**
 * Once for all test files: a real PostgreSQL, and in it the migrated templates that each test's own database is copied
 * from. DATABASE_URL, where it is set, names a server that the tests may create databases on.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../postgres/embedded.ts'
import { PROCESS_ENV } from './child-process.ts'
import { makeTemplates } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the test server's maintenance database. */
    postgresUrl: string
  }
}

const WARM_CACHE = fileURLToPath(new URL('./warm-cache.ts', import.meta.url))
/**
 * Nobody kills this server or cuts its power, so it need not wait for the disk. Tests that do kill a PostgreSQL start
 * one of their own, with the settings of a real one.
 */
const SETTINGS = { max_connections: '300', fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const warmUp = promisify(execFile)(process.execPath, [WARM_CACHE], { env: PROCESS_ENV })
  const [opened, warmed] = await Promise.allSettled([openServer(), warmUp])
  if (opened.status === 'rejected') throw opened.reason
  const { url, close } = opened.value
  try {
    if (warmed.status === 'rejected') throw warmed.reason
    await makeTemplates(url)
  } catch (error) {
    // Vitest calls the returned function only if this one succeeds. Without this the server would run on after the tests.
    await close()
    throw error
  }
  project.provide('postgresUrl', url)
  return close
}

async function openServer(): Promise<{ url: string; close(): Promise<void> }> {
  const given = process.env.DATABASE_URL
  if (given) return { url: given, close: async () => {} }
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-test-'))
  await chmod(dataDir, 0o755)
  const embedded = await startEmbedded({ dataDir, settings: SETTINGS })
  return {
    url: embedded.url,
    async close() {
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
