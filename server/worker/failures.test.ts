/** The database refuses every connection for a while, as a stopped PostgreSQL does. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { serveHere } from '../testing/serve-here.ts'

/** Each sweep runs at least once a second. */
const AGAIN_MS = 1_500

test('while the database is away, each sweep logs one line, and it works again afterwards', async () => {
  const database = await createTestDatabase(inject('postgresUrl'), 'sandbox')
  const name = new URL(database.url).pathname.slice(1)
  const owner = new pg.Client({ connectionString: inject('postgresUrl') })
  await owner.connect()
  const service = await serveHere({ DATABASE_URL: database.url })
  const isReady = async () => (await fetch(`${service.url}/readyz`)).status
  try {
    expect(await isReady()).toBe(200)
    await owner.query(`alter database ${name} with allow_connections false`)
    await owner.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    const readKinds = () => {
      const lines = service.output().split('\n')
      const failures = lines.filter((line) =>
        /"msg":"(sweep failed|the sandbox's clock cannot be read)"/.test(line),
      )
      return failures.map((line) => {
        const { msg, sweep, lane, err } = JSON.parse(line)
        return JSON.stringify([msg, sweep, lane, err.cause?.message ?? err.message])
      })
    }
    await expect.poll(() => readKinds().length).toBeGreaterThan(5)
    // Real time: a sweep that logs again does so a second later. A slow machine finds less, and fails nothing.
    await sleep(AGAIN_MS)
    const kinds = readKinds()
    expect(kinds).toEqual([...new Set(kinds)])
    await owner.query(`alter database ${name} with allow_connections true`)
    await expect.poll(isReady).toBe(200)
  } finally {
    await owner.query(`alter database ${name} with allow_connections true`)
    await service.stop()
    await owner.end()
    await database.drop()
  }
})
