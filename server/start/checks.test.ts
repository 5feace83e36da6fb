/** The checks of a start, and the one line that each prints. The checks of keys and worlds are tested elsewhere. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { readConfig } from '../config.ts'
import { ADMIN } from '../invocation.ts'
import { openService } from '../service.ts'
import { openDb } from '../storage/db.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { SECRETS_KEY } from '../testing/harness.ts'
import { checkDisk, type Machine, THIS_MACHINE } from './machine.ts'

const MB = 1024 * 1024

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase(inject('postgresUrl'))
})
afterEach(() => database.drop())

const given = (settings: Record<string, string> = {}) =>
  readConfig({ MODE: 'sandbox', SECRETS_KEY, LOG_LEVEL: 'silent', DATABASE_URL: database.url, ...settings })

/** Starts and stops the service. Returns the lines that it printed. @throws Error of the start */
async function start(
  machine: Partial<Machine> = {},
  settings: Record<string, string> = {},
): Promise<string[]> {
  const lines: string[] = []
  const onProgress = (line: string) => lines.push(line)
  const service = await openService(given(settings), { machine: { ...THIS_MACHINE, ...machine }, onProgress })
  await service.close()
  return lines
}

async function ask(text: string): Promise<unknown[]> {
  const db = openDb(database.url, { world: 'sandbox', max: 1 })
  const { rows } = await db.query(text)
  await db.end()
  return rows
}

/** Returns the message of a start that fails, which must be one line. */
async function refusal(
  machine: Partial<Machine> = {},
  settings: Record<string, string> = {},
): Promise<string> {
  const { message } = await start(machine, settings).then(
    () => new Error('it started'),
    (error: Error) => error,
  )
  expect(message).not.toContain('\n')
  return message
}

test('a start without problems prints nothing', async () => {
  expect(await start()).toEqual([])
})

describe('a clock that differs from the clock of PostgreSQL', () => {
  const clock = (seconds: number) => ({ now: () => new Date(Date.now() + seconds * 1000) })

  test('by more than receivers tolerate makes the start fail', async () => {
    expect(await refusal(clock(400))).toMatch(
      /^The clock of this machine is 400 seconds ahead of the clock of PostgreSQL\. .*set it: timedatectl set-ntp true\./,
    )
    expect(await refusal(clock(-301))).toContain('301 seconds behind the clock of PostgreSQL')
  })

  test('by some seconds causes a warning', async () => {
    expect(await start(clock(-20))).toEqual([
      expect.stringMatching(/^Warning: The clock of this machine is 20 seconds behind/),
    ])
    expect(await start(clock(3))).toEqual([])
  })
})

describe('the disk of the embedded PostgreSQL', () => {
  test('that is nearly full makes the start fail before anything is written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kassa-disk-'))
    const questions: string[] = []
    const freeBytes = async (directory: string) => {
      questions.push(directory)
      if (directory !== folder) throw Object.assign(new Error('missing'), { code: 'ENOENT' })
      return 12 * MB
    }
    const message = await refusal({ freeBytes }, { DATABASE_URL: '', DATA_DIR: join(folder, 'not/yet') })
    expect(message).toMatch(
      /has 12 MB left, and PostgreSQL needs at least 64 MB\. Free some space and start again, or move DATA_DIR/,
    )
    expect([questions.at(-1), await readdir(folder)]).toEqual([folder, []])
    await rm(folder, { recursive: true })
  })

  test('with little free space causes a warning', async () => {
    const lines: string[] = []
    const says = async (megabytes: number) =>
      checkDisk('/', { ...THIS_MACHINE, freeBytes: async () => megabytes * MB }, (line) => lines.push(line))
    await says(600)
    expect(lines).toEqual([])
    await says(300)
    expect(lines).toEqual([expect.stringMatching(/^Warning: The disk of \/ has 300 MB left\./)])
  })
})

describe('a database', () => {
  test('without room for a connection makes the start fail, and the message names the limit', async () => {
    await ask(
      `do $$ begin execute format('alter database %I connection limit 0', current_database()); end $$`,
    )
    expect(await refusal()).toMatch(
      /^PostgreSQL has no room for another connection \(too many connections for database .*\)\. Close unused connections.* or lower POOL_MAX/,
    )
  })

  test('that does not exist or rejects the password is reported in one line', async () => {
    const at = (change: (url: URL) => void) => {
      const url = new URL(database.url)
      change(url)
      return { DATABASE_URL: url.href }
    }
    expect(
      await refusal(
        {},
        at((url) => (url.pathname = '/nowhere')),
      ),
    ).toMatch(
      /^PostgreSQL rejects the connection to the database of DATABASE_URL \(database "nowhere" does not exist\)\. Check its name/,
    )
    expect(
      await refusal(
        {},
        at((url) => (url.password = 'wrong')),
      ),
    ).toContain('(password authentication failed')
  })

  test('with room for fewer connections than this process may open causes a warning', async () => {
    await ask(
      `do $$ begin execute format('alter database %I connection limit 8', current_database()); end $$`,
    )
    expect(await start({}, { POOL_MAX: '20' })).toEqual([
      expect.stringMatching(
        /^Warning: PostgreSQL has room for \d connections of this process, which opens up to 20\./,
      ),
    ])
    const others = `select count(*)::int as others from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    await expect.poll(() => ask(others)).toEqual([{ others: 0 }])
    expect(await start({}, { POOL_MAX: '4' })).toEqual([])
  })

  test('that is moved, or is being moved, makes the start fail, and the message says what to do', async () => {
    const id = '00000000-0000-4000-8000-000000000000'
    await ask(
      `insert into kassa.moves (id, target, started_at) values ('${id}', 'db.example:5432/kassa', '2026-01-31T02:00:00Z')`,
    )
    expect(await refusal()).toBe(
      `Since 2026-01-31T02:00:00.000Z everything in this database is being moved to db.example:5432/kassa, and nothing can be stored here any more. Wait for the end of the move. If its command was interrupted, run it again. To use this database again, run: ${ADMIN} database reopen`,
    )
    await ask('update kassa.moves set finished_at = now()')
    expect(await refusal()).toBe(
      `Everything in this database was moved to db.example:5432/kassa. Set DATABASE_URL to that database. To use this database again, run: ${ADMIN} database reopen`,
    )
    await ask('delete from kassa.moves')
    await ask(`insert into kassa.incoming_moves (move_id, started_at) values ('${id}', now())`)
    expect(await refusal()).toBe(
      'A move into this database has not ended, so no service may use it yet. Set DATABASE_URL to the database that everything comes from. If the command of the move was interrupted, run it again there.',
    )
  })
})
