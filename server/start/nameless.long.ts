/** The service and its commands under an account without a name. */
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { freePort, SECRETS_KEY } from '../testing/harness.ts'
import { endProcess, startProgram } from '../testing/processes/child-process.ts'
import { canBeNameless, NAMELESS } from '../testing/processes/nameless.ts'
import { programOf } from '../testing/processes/programs.ts'

const WITHIN = { timeout: 120_000, interval: 100 }

/** Starts a program of ours without HOME, and collects what it prints. */
function startNameless(entry: string, args: string[], settings: Record<string, string>) {
  const program = programOf(fileURLToPath(new URL(entry, import.meta.url)))
  const env = { PATH: process.env.PATH, MODE: 'sandbox', SECRETS_KEY, SEED_DEMO: 'false', ...settings }
  const child = startProgram(process.execPath, [program, ...args], { env, ...NAMELESS })
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output.text += chunk
    })
  return { child, output, ended: once(child, 'close') }
}

describe.runIf(canBeNameless())('an account without a name and without HOME', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase(inject('postgresUrl'))
  })
  afterAll(() => database.drop())

  test('runs the service and the commands on a database of its own', async () => {
    const PORT = String(await freePort())
    const settings = { DATABASE_URL: database.url, PORT, DATA_DIR: '/nowhere' }
    const service = startNameless('../main.ts', [], settings)
    const ask = () =>
      fetch(`http://127.0.0.1:${PORT}/readyz`).then(
        ({ status }) => status,
        () => service.output.text,
      )
    await expect.poll(ask, WITHIN).toBe(200)
    const command = startNameless('../admin.ts', ['merchant', 'list'], settings)
    expect([await command.ended, command.output.text]).toEqual([
      [0, null],
      expect.stringMatching(/^There is no merchant yet/),
    ])
    await endProcess(service.child, 'SIGTERM')
  })

  test('reads in one line that the embedded PostgreSQL needs a name', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'kassa-nameless-'))
    await chown(dataDir, NAMELESS.uid, NAMELESS.gid)
    const { child, output, ended } = startNameless('../main.ts', [], { DATA_DIR: join(dataDir, 'data') })
    await ended.finally(() => rm(dataDir, { recursive: true }))
    expect(child.exitCode).toBe(1)
    expect(output.text.split('\n').slice(1)).toEqual([
      'PostgreSQL needs a user with a name, and the user id 54321 has no entry in /etc/passwd: start Kassa as a user with a name, or set DATABASE_URL to a PostgreSQL server.',
      '',
    ])
  })
})
