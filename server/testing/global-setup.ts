/**
 * Runs once for all test files. Starts a real PostgreSQL and creates the migrated templates, from which the database of each test file
 * is copied. If DATABASE_URL is set, the tests create their databases on that server instead.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { isCurrent } from '../documents/sources.ts'
import { makeTemplates } from './database.ts'
import { buildPrograms } from './processes/build-programs.ts'
import { PROCESS_ENV } from './processes/child-process.ts'
import { programOf } from './processes/programs.ts'
import { startTestServer, type TestServer } from './superuser.ts'
import { keepInMemory } from './temporary-files.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the test server's maintenance database. */
    postgresUrl: string
    /** The data directory of that server, whose superuser then is known. Empty if the tests were given a server. */
    postgresFolder: string
  }
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const WARM_CACHE = fileURLToPath(new URL('./processes/warm-cache.ts', import.meta.url))

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const removeFiles = keepInMemory()
  const [opened, warmed] = await Promise.allSettled([openServer(), warmUp()])
  if (opened.status === 'rejected') throw opened.reason
  const { url, dataDir, asSuperuser, close } = opened.value
  try {
    if (warmed.status === 'rejected') throw warmed.reason
    await makeTemplates(url, asSuperuser)
  } catch (error) {
    // Vitest calls the returned function only if this one succeeds. Without this call the server would keep running after the
    // tests.
    await close()
    throw error
  }
  project.provide('postgresUrl', url)
  project.provide('postgresFolder', dataDir)
  return async () => {
    await close()
    removeFiles()
  }
}

async function warmUp(): Promise<void> {
  // This is for the test processes themselves, which load the service from its sources.
  process.env.NODE_COMPILE_CACHE = PROCESS_ENV.NODE_COMPILE_CACHE
  const [isNew] = await Promise.all([buildPrograms(), buildDocuments()])
  if (isNew) await promisify(execFile)(process.execPath, [programOf(WARM_CACHE)], { env: PROCESS_ENV })
}

async function buildDocuments(): Promise<void> {
  if (isCurrent(ROOT, join(ROOT, '.dist/documents'))) return
  await promisify(execFile)(process.execPath, [join(ROOT, 'server/documents/build.ts')])
}

async function openServer(): Promise<Omit<TestServer, 'asSuperuser'> & Partial<TestServer>> {
  const given = process.env.DATABASE_URL
  return given ? { url: given, dataDir: '', close: async () => {} } : startTestServer()
}
